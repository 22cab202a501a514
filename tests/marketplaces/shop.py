"""A plugin that can buy, with a purchase that is the test's own function."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from monitor_site.contract import (
    AccountInfo,
    BuyRequest,
    Capability,
    Money,
    Plugin,
    Purchase,
    PurchasePage,
    PurchaseStage,
    Receipt,
    SearchCriteria,
    SearchPage,
    Session,
)

from .keys import Keys
from .loopback import plugin

ABLE = frozenset({Capability.SEARCH, Capability.BUY, Capability.OUTCOME})
REQUEST = BuyRequest(
    external_id="b1",
    price_max=Money(amount=1500, currency="JPY"),
    seen_price=Money(amount=1200, currency="JPY"),
    reference="order-1",
)
BOUGHT = Purchase(external_id="b1", transaction_id="t1", stage=PurchaseStage.WAIT_SHIPPING)

Buys = Callable[[Session, BuyRequest], Awaitable[Any]]


async def plain_buy(session: Session, request: BuyRequest) -> Receipt:
    """Commits, and believes the answer."""
    answer = await session.commit(f"{session.base}/buy", json={"item": request.external_id}, headers={"X-Key": "k"})
    told = json.loads(answer.body)
    return Receipt(external_id=told["item"], transaction_id=told["transaction"])


@dataclass
class Shop:
    """A marketplace that sells."""

    session: Session
    buys: Buys

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        return SearchPage(sightings=())

    async def buy(self, request: BuyRequest) -> Any:
        return await self.buys(self.session, request)

    async def find_purchase(self, external_id: str) -> Any:
        answer = await self.session.get(f"{self.session.base}/purchase")
        return BOUGHT if answer.body else None

    async def purchases(self, page_token: str | None = None) -> PurchasePage:
        return PurchasePage(purchases=(BOUGHT,), next_token=page_token)

    async def verify(self) -> AccountInfo:
        return AccountInfo(label="ours")


def shop(buys: Buys = plain_buy, **changes: Any) -> Plugin:
    """A plugin called ``bazaar`` that can buy."""
    usual = {"settings": Keys, "capabilities": ABLE, "lists_purchases": True}
    return plugin(connect=lambda session: Shop(session, buys), **usual | changes)
