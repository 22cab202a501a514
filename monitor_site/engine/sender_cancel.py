"""Who sends one request to cancel a purchase: as a sender of an order does, with nothing to look at before."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from monitor_site.connections import async_redis_client
from monitor_site.contract import CancelRequest, MarketplaceError
from monitor_site.faultpoint import faultpoint
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.purchasing import cancelling
from monitor_site.purchasing.models import Cancellation, SubmissionOutcome
from monitor_site.purchasing.submitting import Told

from .sender import LIMITS, Sender


@dataclass(kw_only=True)
class Canceller(Sender):
    """Sends one request to cancel the purchase of ``order``."""

    cancellation: Cancellation

    async def send(self) -> Told:
        """Send it; what became of it."""
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
    related = ("order__listing", "order__account", "order__user")
    cancellation = Cancellation.objects.select_related(*related).get(pk=cancellation_id)
    return asyncio.run(_send(cancellation))


async def _send(cancellation: Cancellation) -> Told:
    async with async_redis_client() as redis:
        gateway = Gateway(redis=redis, limits=LIMITS)
        return await Canceller(order=cancellation.order, gateway=gateway, cancellation=cancellation).send()
