"""The truth: what the marketplace took, whoever heard of it."""

from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from monitor_site.contract import Blocked, Money, Purchase, PurchasePage, PurchaseStage, Unavailable

MOST_LAG = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Sold:
    """A purchase, the order that caused it (none: by hand), and when its buyer sees it."""

    purchase: Purchase
    order: str | None
    visible_at: datetime
    lag: timedelta


@dataclass
class Market:
    """Sells without end and knows no key, so whatever is sent twice is bought twice. ``mood`` is how it answers."""

    mood: str = "well"
    lists: bool = True
    sold: dict[int, list[Sold]] = field(default_factory=dict)
    count: int = 0

    def sell(self, account: int, listing: str, order: str | None, now: datetime, lag: timedelta) -> Purchase:
        """One more purchase."""
        self.count += 1
        purchase = Purchase(
            external_id=listing,
            transaction_id=f"t{self.count}",
            stage=PurchaseStage.WAIT_PAYMENT,
            paid=Money(amount=1000, currency="JPY"),
            at=now,
        )
        self.sold.setdefault(account, []).insert(0, Sold(purchase, order, now + lag, lag))
        return purchase

    def move_on(self, account: int, number: int, stage: PurchaseStage) -> None:
        """A purchase comes to another stage."""
        rows = self.sold.get(account, [])
        if rows:
            one = rows[number % len(rows)]
            rows[number % len(rows)] = replace(one, purchase=replace(one.purchase, stage=stage))


@dataclass(frozen=True, slots=True)
class Counter:
    """The purchases of one account, as they are asked for at a moment."""

    market: Market
    account: int
    now: datetime

    @property
    def lists(self) -> bool:
        """Whether they are listed."""
        return self.market.lists

    def _shown(self) -> list[Purchase]:
        if self.market.mood == "gone":
            raise Unavailable("gone")
        if self.market.mood == "blocked":
            raise Blocked("blocked")
        if self.market.mood == "empty":
            return []
        return [one.purchase for one in self.market.sold.get(self.account, []) if one.visible_at <= self.now]

    async def find(self, external_id: str) -> Purchase | None:
        """The latest purchase of a listing."""
        return next((one for one in self._shown() if one.external_id == external_id), None)

    async def page(self, token: str | None) -> PurchasePage:
        """All of them."""
        del token
        return PurchasePage(purchases=tuple(self._shown()))


def at_once(asking: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that waits for nothing."""
    try:
        asking.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("it waited")
