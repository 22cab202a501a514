"""The practice market of Mercari on a real port, a person with an account there, and the lanes an order goes along."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from monitor_site.connections import lane_queue
from monitor_site.engine import worker
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox import services as outbox
from monitor_site.purchasing import sweeping
from monitor_site.purchasing.models import BuyRule, Order, Sweep
from monitor_site.watches import joining
from tests.plugins.standins import Market
from tests.purchasing.invariants import Sold, all_hold
from tests.purchasing.rows import budget_of, watch_of
from tests.waiting import PATIENCE_SECONDS
from tests.web.rows import match

LANES = ("alerts", "express")


@dataclass
class Shopper:
    """A person with a budget and an account that may spend."""

    user: Any
    account: MarketplaceAccount
    market: Market
    redis: Any

    def __post_init__(self) -> None:
        now = datetime.now(UTC)
        budget_of(self.user, now=now, kind="user", total=50_000)
        MarketplaceAccount.objects.filter(pk=self.account.pk).update(spends_since=now, label="mine")
        self.account.refresh_from_db()

    def rule(self, policy: str) -> BuyRule:
        """A watch whose matches may be bought, asked about or not."""
        now = datetime.now(UTC)
        watch = watch_of(self.user, now=now, name=f"Cameras to {policy}")
        fields = {"price_max": 5000, "way": "partner_api", "account": self.account, "updated_at": now}
        automatic = {"until": now.date() + timedelta(days=2), "confirmed_at": now} if policy == "buy" else {}
        return BuyRule.objects.create(watch=watch, user=self.user, policy=policy, **fields, **automatic)

    def finds(self, rule: BuyRule, number: int) -> Order:
        """Something is listed and matches; the order that comes of it, when all lanes have come to rest."""
        now = datetime.now(UTC)
        name = str(self.market.do("list", title="ルミナ カメラ", price=3000, visible_in=0)["id"])
        fields = {"listing_external_id": name, "listing_price": 3000, "price": 3000}
        found = match(rule.watch, number, now=now, **fields)
        outbox.write(topic=joining.TOPIC, object_ids=[found.pk], now=now)
        self.run_lanes()
        return Order.objects.get(match=found)

    def run_lanes(self) -> None:
        """Real workers of both lanes, to the end of what waits."""
        while any(lane_queue(lane, self.redis).count for lane in LANES):
            for lane in LANES:
                worker.work(lane=lane, seat=f"{lane}-1", drain_seconds=PATIENCE_SECONDS, burst=True)

    def sweep(self) -> None:
        """Compare the account's purchases with its orders, as upkeep does later."""
        now = datetime.now(UTC)
        sweeping.wake(now=now)
        Sweep.objects.update(due_at=now)
        sweeping.wake(now=now)
        self.run_lanes()

    def all_holds(self) -> None:
        """What must hold, by the market's own truth log."""
        sold = self.market.truth("purchased")
        ours = {order.public_id for order in Order.objects.all()}
        mine = [one for one in sold if one["reference"] in ours]
        all_hold(Sold(reference=one["reference"], listing=one["id"], paid=one["paid"]) for one in mine)
