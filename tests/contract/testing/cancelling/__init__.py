"""A plugin that buys and cancels, over the sample market: what the kit demands of cancelling can be kept."""

import json
from dataclasses import dataclass, replace
from typing import Any

from monitor_site.contract import (
    AccountInfo,
    AccountSettings,
    Answer,
    BuyRequest,
    CancelReceipt,
    CancelRequest,
    Capability,
    LayoutChanged,
    Purchase,
    PurchaseStage,
    Receipt,
    RefusalKind,
    Refused,
    Session,
    Status,
    option,
)
from monitor_site.contract.scaffold.sample_market import plugin as sample
from monitor_site.contract.scaffold.sample_market.marketplace import Marketplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys(AccountSettings):
    """What a buyer has."""

    key: str = option(label="Key", secret=True)


class Seller(Marketplace):
    """Sells, and takes back."""

    async def buy(self, request: BuyRequest) -> Receipt:
        seen = await self.look(request.external_id)
        if seen.status != Status.ON_SALE:
            raise Refused(RefusalKind.SOLD_OUT)
        if seen.price is None or seen.price.amount > request.seen_price.amount:
            raise Refused(RefusalKind.PRICE_CHANGED)
        if seen.price.amount > request.price_max.amount:
            raise Refused(RefusalKind.OVER_LIMIT)
        told = answered(await self._commit("purchase", id=request.external_id))
        return Receipt(external_id=told["id"], transaction_id=told["number"])

    async def cancel(self, request: CancelRequest) -> CancelReceipt:
        told = answered(await self._commit("cancel", number=request.transaction_id))
        return CancelReceipt(external_id=told["id"], transaction_id=told["number"])

    async def find_purchase(self, external_id: str) -> Purchase | None:
        answer = await self._session.get(f"{self._session.base}/purchased/{external_id}")
        told = answered(answer)
        if "none" in told:
            return None
        return Purchase(external_id=told["id"], transaction_id=told["number"], stage=PurchaseStage(told["stage"]))

    async def verify(self) -> AccountInfo:
        return AccountInfo(label="buyer")

    async def _commit(self, what: str, **body: str) -> Answer:
        return await self._session.commit(f"{self._session.base}/{what}", json=body)


def answered(answer: Answer) -> dict[str, Any]:
    """What a whole answer tells. Raises: Refused (listed), LayoutChanged (anything else)."""
    try:
        told = json.loads(answer.body)
    except ValueError as error:
        raise LayoutChanged("no JSON") from error
    if answer.status == 409 and "refused" in told:
        raise Refused(RefusalKind(told["refused"]))
    if answer.status != 200:
        raise LayoutChanged(f"status {answer.status}")
    return dict(told)


def connect(session: Session) -> Seller:
    return Seller(session)


ABLE = sample.manifest.capabilities | {Capability.BUY, Capability.CANCEL, Capability.OUTCOME}
plugin = replace(
    sample,
    manifest=replace(sample.manifest, capabilities=ABLE, settings=Keys, reads_signed_in=False),
    connect=connect,
    practice=f"{__name__}.practice",
)
