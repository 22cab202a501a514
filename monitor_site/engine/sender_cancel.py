"""Who sends one request to cancel a purchase: as a sender of an order does, with nothing to look at before."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from monitor_site.contract import CancelRequest, MarketplaceError
from monitor_site.faultpoint import faultpoint
from monitor_site.purchasing import cancelling
from monitor_site.purchasing.models import Cancellation, SubmissionOutcome
from monitor_site.purchasing.submitting import Told

from .sender import Sender, act, one_connection


@dataclass(kw_only=True)
class Canceller(Sender):
    """Sends one request to cancel the purchase of ``order``."""

    cancellation: Cancellation

    async def _sent(self) -> Told:
        thing = self.order.listing
        number, reference = self.order.reference, self.order.public_id
        request = CancelRequest(external_id=thing.external_id, transaction_id=number, reference=reference)
        names: dict[str, Any] = {"marketplace": thing.marketplace, "account_id": self.order.account_id}
        try:
            receipt = await self.gateway.cancel(request=request, before_commit=self._ask_leave, **names)
        except MarketplaceError as error:
            return self._failed(error)
        faultpoint("replied")
        return self._told(SubmissionOutcome.PLACED, "", reference=receipt.transaction_id)

    def _may_commit(self) -> bool:
        return cancelling.may_commit(cancellation=self.cancellation, now=datetime.now(UTC))


def send(*, cancellation_id: int) -> Told:
    """Send the request to cancel that has begun."""
    database = one_connection()
    cancellation = database.submit(_begun, cancellation_id).result()
    return asyncio.run(act(Canceller, database=database, order=cancellation.order, cancellation=cancellation))


def _begun(cancellation_id: int) -> Cancellation:
    related = ("order__listing", "order__account", "order__user")
    return Cancellation.objects.select_related(*related).get(pk=cancellation_id)
