"""A marketplace in memory: what an account bought there, and how it answers."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from monitor_site.contract import MarketplaceError, Money, Purchase, PurchasePage, PurchaseStage
from monitor_site.engine import outcomes
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import reconciling, sweeping
from monitor_site.purchasing.models import Order, Stray, Submission, SubmissionOutcome, Way
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import Verb
from tests.purchasing.rows import budget_of, order_of

SENDER = Because(actor="sender")
OLD = "t-old"


@dataclass
class Market:
    """Purchases with the moment from which their buyer sees them; ``error`` is raised instead of an answer."""

    now: datetime
    lists: bool = True
    size: int = 20
    error: MarketplaceError | None = None
    asked: int = 0
    purchases: list[tuple[Purchase, datetime]] = field(default_factory=list)

    def sell(self, external_id: str, number: str, *, lag: timedelta = timedelta(0), **fields: Any) -> Purchase:
        """It is bought now, and shown to its buyer after ``lag``."""
        standard = {"stage": PurchaseStage.WAIT_SHIPPING, "at": self.now, "paid": Money(amount=1000, currency="JPY")}
        sold = Purchase(external_id=external_id, transaction_id=number, **standard | fields)
        self.purchases.insert(0, (sold, self.now + lag))
        return sold

    def change(self, number: str, **fields: Any) -> None:
        """What the marketplace tells of it from now on."""
        import dataclasses

        changed = [
            (dataclasses.replace(p, **fields) if p.transaction_id == number else p, at) for p, at in self.purchases
        ]
        self.purchases = changed

    def shown(self) -> list[Purchase]:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return [purchase for purchase, at in self.purchases if at <= self.now]

    async def find(self, external_id: str) -> Purchase | None:
        return next((one for one in self.shown() if one.external_id == external_id), None)

    async def page(self, token: str | None) -> PurchasePage:
        shown, start = self.shown(), int(token or 0)
        more = start + self.size < len(shown)
        part = tuple(shown[start : start + self.size])
        return PurchasePage(purchases=part, next_token=str(start + self.size) if more else None)

    def opened(self) -> Any:
        """Stands for the gateway."""

        @asynccontextmanager
        async def open_it() -> AsyncIterator[Callable[[str, int], "Market"]]:
            yield lambda _marketplace, _account: self

        return open_it()

    def ask(self, order: Order) -> Order:
        """Have the reconciler ask about an order, if it is due."""
        outcomes.ask([order.pk], opened=self.opened, now=self.now)
        order.refresh_from_db()
        return order

    def sweep(self, account: MarketplaceAccount) -> None:
        """Have the account swept, due or not."""
        sweeping.wake(now=self.now)
        account.sweep.refresh_from_db() if hasattr(account, "sweep") else None
        type(account.sweep).objects.filter(account=account).update(due_at=self.now)
        outcomes.sweep([account.pk], opened=self.opened, now=self.now)

    def run(self, order: Order, *, until: timedelta, step: timedelta = timedelta(seconds=15)) -> Order:
        """Let time pass, with the upkeep at its beat, until the order is settled."""
        end = self.now + until
        while self.now < end and order.state in {"submitting", "unknown"}:
            reconciling.wake(now=self.now)
            self.ask(order)
            self.now = max(self.now + step, min(order.ask_at or end, end))
        return order


def account_of(user: Any, *, now: datetime, **fields: Any) -> MarketplaceAccount:
    """An account that may spend."""
    standard = {"marketplace": "mercari", "created_at": now, "updated_at": now, "spends_since": now}
    return MarketplaceAccount.objects.create(user=user, **standard | fields)


def known(account: MarketplaceAccount, *, now: datetime, number: str = OLD) -> Stray:
    """A purchase that was known before."""
    seen = {"first_seen_at": now - timedelta(days=1), "noted_at": now}
    return Stray.objects.create(account=account, external_id="m-old", number=number, **seen)


def submitted(user: Any, account: MarketplaceAccount, number: int = 1, *, now: datetime, **fields: Any) -> Order:
    """An order whose request may go out at this moment."""
    if not user.budgets.exists():
        budget_of(user, now=now, kind="user", total=100_000)
    order = order_of(user, number, now=now, account=account, way=Way.PARTNER_API, **fields)
    move(order=order, verb=Verb.MAKE_READY, because=SENDER, now=now)
    fields = {"epoch": order.epoch + 1, "ask_at": now + timedelta(minutes=16)}
    move(order=order, verb=Verb.SUBMIT, because=Because(actor="sender", fields=fields), now=now)
    moments = {"send_deadline": now + timedelta(seconds=15), "begun_at": now}
    Submission.objects.create(order=order, epoch=order.epoch, price_cap=order.price_max, **moments)
    return order


def lost(user: Any, account: MarketplaceAccount, number: int = 1, *, now: datetime, **fields: Any) -> Order:
    """An order whose outcome nobody knows."""
    order = submitted(user, account, number, now=now, **fields)
    Submission.objects.filter(order=order).update(outcome=SubmissionOutcome.UNKNOWN)
    because = Because(actor="sender", fields={"ask_at": now + timedelta(seconds=15)})
    move(order=order, verb=Verb.LOSE_SIGHT, because=because, now=now)
    return order
