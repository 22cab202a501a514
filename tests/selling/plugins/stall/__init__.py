"""A market stall: each listing is one JSON answer, an order is one JSON request."""

import json
from dataclasses import dataclass
from typing import Any

from monitor_site.contract import (
    CONTRACT_VERSION,
    Access,
    AccountInfo,
    AccountSettings,
    BuyRequest,
    CancelReceipt,
    CancelRequest,
    Capability,
    Kind,
    LayoutChanged,
    ListingGone,
    Manifest,
    Money,
    Pace,
    Plugin,
    Purchase,
    PurchaseStage,
    Receipt,
    RefusalKind,
    Refused,
    SearchCriteria,
    SearchPage,
    Session,
    Shipping,
    Sighting,
    Status,
    option,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys(AccountSettings):
    """What a buyer has."""

    key: str = option(label="Key", secret=True)


@dataclass
class Stall:
    """Who sells there."""

    session: Session

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        return SearchPage(sightings=())

    async def look(self, external_id: str) -> Sighting:
        answer = await self.session.get(f"{self.session.base}/item/{external_id}")
        if answer.status == 404:
            raise ListingGone(external_id)
        told = json.loads(answer.body)
        fee = told.get("shipping_fee")
        return Sighting(
            external_id=external_id,
            title="古い時計",
            url=f"{self.session.web}/item/{external_id}",
            price=None if told["price"] is None else _yen(told["price"]),
            kind=Kind(told["kind"]),
            status=Status(told["status"]),
            shipping=Shipping(told["shipping"]),
            shipping_fee=None if fee is None else _yen(fee),
            extra={"checksum": told["checksum"]},
        )

    async def buy(self, request: BuyRequest) -> Receipt:
        asked = {"item": request.external_id, "most": request.price_max.amount, "checksum": request.seen_digest}
        url = f"{self.session.base}/buy"
        answer = await self.session.commit(url, json=asked | {"reference": request.reference})
        told: Any = json.loads(answer.body)
        if answer.status == 409:
            raise Refused(RefusalKind(told["refused"]))
        if answer.status != 200:
            raise LayoutChanged(f"status {answer.status}")
        return Receipt(external_id=told["item"], transaction_id=told["number"], paid=_yen(told["paid"]))

    async def cancel(self, request: CancelRequest) -> CancelReceipt:
        url = f"{self.session.base}/cancel"
        answer = await self.session.commit(url, json={"number": request.transaction_id, "reference": request.reference})
        told: Any = json.loads(answer.body)
        if answer.status == 409:
            raise Refused(RefusalKind(told["refused"]))
        if answer.status != 200:
            raise LayoutChanged(f"status {answer.status}")
        return CancelReceipt(external_id=told["item"], transaction_id=told["number"])

    async def find_purchase(self, external_id: str) -> Purchase | None:
        answer = await self.session.get(f"{self.session.base}/bought/{external_id}")
        told = json.loads(answer.body)
        if told is None:
            return None
        return Purchase(external_id=external_id, transaction_id=told["number"], stage=PurchaseStage(told["stage"]))

    async def verify(self) -> AccountInfo:
        return AccountInfo(label="buyer")


def _yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


plugin = Plugin(
    manifest=Manifest(
        name="stall",
        title={"en": "Stall"},
        contract=CONTRACT_VERSION,
        home="https://stall.example",
        hosts=("stall.example",),
        picture_hosts=(),
        currency="JPY",
        time_zone="Asia/Tokyo",
        capabilities=frozenset(
            {Capability.SEARCH, Capability.LOOK, Capability.BUY, Capability.CANCEL, Capability.OUTCOME}
        ),
        criteria=SearchCriteria,
        settings=Keys,
        reads_signed_in=False,
        pace=Pace(per_minute=600, ceiling_per_minute=600, floor_seconds=1),
        access=Access.OFFICIAL_API,
        control=SearchCriteria(keyword="clock"),
        search_tells=frozenset({"price"}),
        purchase_lag=60,
    ),
    connect=Stall,
    api="https://stall.example",
    practice="tests.selling.market",
)
