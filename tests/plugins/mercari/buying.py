"""Buying at the practice market through the gateway, in the name of people who have an account there."""

import json
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from asgiref.sync import sync_to_async

from monitor_site.contract import Answer, BuyRequest, MarketplaceError, Money, Purchase, Receipt, Shipping, Status
from monitor_site.marketplaces import services
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.models import MarketplaceAccount
from plugins.mercari.parse_partner import Item
from plugins.mercari.partner_account import PartnerAccount
from plugins.mercari.practice import account
from tests.plugins.standins import Market

ITEM_ID = "m01234567890"
SECRET = {spec.name for spec in fields(PartnerAccount) if spec.metadata["secret"]}


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


ITEM = Item(
    external_id=ITEM_ID,
    status=Status.ON_SALE,
    price=yen(3001),
    checksum="ff03",
    auction=False,
    shop=False,
    shipping=Shipping.INCLUDED,
    fee=yen(0),
    variants=(),
)


def told(data: Any, status: int = 200, media_type: str = "application/json") -> Answer:
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    return Answer(status=status, headers={"content-type": media_type}, body=body, url="https://api.example/")


def wish(external_id: str, **changes: Any) -> BuyRequest:
    """To buy something for 3,000 yen at most, as it was seen at 3,000."""
    usual = {"price_max": yen(3000), "seen_price": yen(3000), "reference": "order-1"}
    return BuyRequest(**usual | {"external_id": external_id} | changes)


def connected(user: Any, buyer: str = "alice", *, named: str = "", **changes: str) -> MarketplaceAccount:
    """An account at the practice market, named as its buyer there where nothing else is said."""
    given = account(buyer) | changes
    values = {name: value for name, value in given.items() if name not in SECRET}
    secrets = {name: value for name, value in given.items() if name in SECRET}
    now = datetime.now(UTC)
    return services.connect_account(
        marketplace="mercari", user=user, label=named or buyer, values=values, secrets=secrets, now=now
    )


@dataclass
class Buyer:
    """Somebody who buys at a practice market."""

    gateway: Gateway
    market: Market
    account: MarketplaceAccount

    async def buy(self, external_id: str, **changes: Any) -> Receipt:
        asked = changes.pop("before_commit", None)
        return await self.gateway.buy(
            marketplace="mercari",
            account_id=self.account.pk,
            request=wish(external_id, **changes),
            before_commit=asked,
        )

    async def refused(self, external_id: str, **changes: Any) -> MarketplaceError:
        """What it ends with instead of a receipt; the pause that may follow is over at once."""
        try:
            receipt = await self.buy(external_id, **changes)
        except MarketplaceError as error:
            await sync_to_async(services.resume_account)(account=self.account, now=datetime.now(UTC))
            return error
        raise AssertionError(f"bought: {receipt}")

    async def find(self, external_id: str) -> Purchase | None:
        return await self.gateway.find_purchase(
            marketplace="mercari", account_id=self.account.pk, external_id=external_id
        )

    def offer(self, **changes: Any) -> str:
        usual: dict[str, Any] = {"title": "買い物 見本", "price": 3000, "visible_in": 0}
        return str(self.market.do("list", **usual | changes)["id"])

    def purchases(self, external_id: str) -> list[dict[str, Any]]:
        """What the truth log holds of purchases of a listing."""
        return [event for event in self.market.truth("purchased") if event["id"] == external_id]
