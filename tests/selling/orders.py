"""Orders at the stall, from a match to what became of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import proposing
from monitor_site.purchasing.models import BuyRule, Order
from monitor_site.purchasing.transitions import State
from tests.purchasing.invariants import Sold, all_hold
from tests.purchasing.rows import budget_of, watch_of
from tests.selling.market import Market
from tests.web.rows import match


@dataclass
class Desk:
    """Makes orders of one person at the stall."""

    user: Any
    account: MarketplaceAccount
    market: Market
    now: datetime
    number: int = 0

    def rule(self, **fields: Any) -> BuyRule:
        """A watch whose matches may be bought up to 5,000 with the account; the person is asked."""
        watch = watch_of(self.user, now=self.now, name=f"Clocks {self.number}", marketplaces=["stall"])
        usual = {"price_max": 5000, "way": "partner_api", "account": self.account, "updated_at": self.now}
        return BuyRule.objects.create(watch=watch, user=self.user, **usual | fields)

    def budget(self, **limits: Any) -> Any:
        """All that the person may spend."""
        return budget_of(self.user, now=self.now, kind="user", **limits or {"total": 50_000})

    def listed(self, rule: BuyRule, **thing: Any) -> Any:
        """A match of a new listing, which is on sale at the stall too."""
        self.number += 1
        name = f"s{self.number}"
        self.market.goods[name] = thing
        fields = {"marketplace": "stall", "external_id": name, "price": thing.get("price", 1000)}
        fields |= {"shipping": thing.get("shipping", "included"), "url": f"https://stall.example/item/{name}"}
        return match(rule.watch, self.number, now=self.now, **{f"listing_{key}": fields[key] for key in fields})

    def proposed(self, rule: BuyRule | None = None, **thing: Any) -> Order:
        """An order as its rule proposes it."""
        found = self.listed(rule or self.rule(), **thing)
        [order] = proposing.propose(match_ids=[found.pk], now=self.now)
        return order

    def approved(self, rule: BuyRule | None = None, **thing: Any) -> Order:
        """An order with its money held, ready to be sent."""
        if not self.user.budgets.exists():
            self.budget()
        order = self.proposed(rule, **thing)
        proposing.approve(order=order, seen=order.shown, actor="person", now=self.now)
        assert order.state == State.READY
        return order


def again(order: Order) -> Order:
    """The order as it stands now."""
    return Order.objects.get(pk=order.pk)


def outcomes(order: Order) -> list[str]:
    """What became of each try."""
    return list(order.submissions.order_by("epoch").values_list("outcome", flat=True))


def all_holds(market: Market) -> None:
    """What must hold whatever died."""
    all_hold(Sold(reference=one["reference"], listing=one["item"], paid=one["paid"]) for one in market.truth)
