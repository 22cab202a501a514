"""Who sends one order to a marketplace: a process of its own, which the kernel ends at the deadline.

It looks at the listing, and asks last, with only sending left, whether it still may. What it does not say is found out
from what it has written down.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from monitor_site.connections import async_redis_client
from monitor_site.contract import (
    BuyRequest,
    ListingGone,
    MarketplaceError,
    Money,
    NotSent,
    OutcomeUnknown,
    Refused,
    Shipping,
    Sighting,
)
from monitor_site.faultpoint import faultpoint
from monitor_site.marketplaces.accounts import Accounts
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.transport import Limits
from monitor_site.purchasing import submitting
from monitor_site.purchasing.models import Order, Submission, SubmissionOutcome
from monitor_site.purchasing.submitting import Told
from monitor_site.purchasing.suitability import Objection, objection_now
from monitor_site.tracing import traced

T = TypeVar("T")

LIMITS = Limits(connect_seconds=3.0, deadline_seconds=7.0)
KEPT_BACK, DRY_RUN = "kept_back", "dry_run"
OUTCOMES = {Refused.code: SubmissionOutcome.REFUSED, OutcomeUnknown.code: SubmissionOutcome.UNKNOWN}
EXTRA_DIGEST = "checksum"


@dataclass(kw_only=True)
class Sender:
    """Sends one order, or rehearses it: without ``submission`` nothing is ever sent."""

    order: Order
    gateway: Gateway
    database: ThreadPoolExecutor
    submission: Submission | None = None
    kept_back: bool = False
    evidence: dict[str, Any] = field(default_factory=dict)

    async def send(self) -> Told:
        """Look, judge, send; what became of it."""
        with traced(self.order.trace):
            return await self._sent()

    async def _sent(self) -> Told:
        try:
            sighting = await self._look()
            objection = objection_now(sighting, self.order)
            if objection is not None:
                return self._told(SubmissionOutcome.NOT_SENT, objection, final=True)
            return await self._act(self._request(sighting))
        except MarketplaceError as error:
            return self._failed(error)

    async def _look(self) -> Sighting:
        """How the listing stands at this moment."""
        faultpoint("begun")
        thing = self.order.listing
        found = await self.gateway.look(marketplace=thing.marketplace, external_id=thing.external_id)
        sighting = found.sightings[0]
        self.evidence["seen"] = _seen(sighting)
        faultpoint("looked")
        return sighting

    def _request(self, sighting: Sighting) -> BuyRequest:
        order, price = self.order, sighting.price
        return BuyRequest(
            external_id=order.listing.external_id,
            price_max=Money(amount=order.price_max, currency=order.currency),
            seen_price=price or Money(amount=order.price, currency=order.currency),
            seen_digest=sighting.extra.get(EXTRA_DIGEST, ""),
            buyer_pays_ok=sighting.shipping == Shipping.BUYER_PAYS,
            reference=order.public_id,
        )

    async def _act(self, request: BuyRequest) -> Told:
        names: dict[str, Any] = {"marketplace": self.order.listing.marketplace, "account_id": self.order.account_id}
        if self.submission is None:
            would = await self.gateway.rehearse(request=request, **names)
            self.evidence["would_send"] = {"url": would.url, "json": would.json}
            return self._told(SubmissionOutcome.NOT_SENT, DRY_RUN, final=True)
        receipt = await self.gateway.buy(request=request, before_commit=self._ask_leave, **names)
        faultpoint("replied")
        paid = receipt.paid.amount if receipt.paid and receipt.paid.currency == self.order.currency else None
        return self._told(SubmissionOutcome.PLACED, "", paid=paid, reference=receipt.transaction_id)

    async def _ask_leave(self) -> None:
        """The last moment at which nothing has been sent. Raises :class:`NotSent`."""
        faultpoint("ready")
        self.kept_back = not await self._in_database(self._may_commit)
        if self.kept_back:
            raise NotSent("our own rules keep it back")
        faultpoint("committing")

    def _may_commit(self) -> bool:
        return self.submission is not None and submitting.may_commit(submission=self.submission, now=datetime.now(UTC))

    async def _in_database(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.database, work)

    def _failed(self, error: MarketplaceError) -> Told:
        """A marketplace's error as the outcome it means; its detail is for whoever reads the evidence."""
        self.evidence["detail"] = error.detail[:500]
        outcome = OUTCOMES.get(error.code, SubmissionOutcome.NOT_SENT)
        if outcome == SubmissionOutcome.REFUSED:
            return self._told(outcome, error.reason)
        if error.code == ListingGone.code:
            return self._told(outcome, Objection.GONE, final=True)
        return self._told(outcome, KEPT_BACK if self.kept_back else error.code)

    def _told(self, outcome: SubmissionOutcome, reason: str, **more: Any) -> Told:
        return Told(outcome=outcome, reason=str(reason), evidence=self.evidence, **more)


def _seen(sighting: Sighting) -> dict[str, Any]:
    price, fee = sighting.price, sighting.shipping_fee
    return {
        "at": datetime.now(UTC).isoformat(),
        "status": sighting.status.value,
        "kind": sighting.kind.value,
        "price": price.amount if price else None,
        "shipping": sighting.shipping.value,
        "shipping_fee": fee.amount if fee else None,
    }


def send(*, submission_id: int) -> Told:
    """Send the order of a submission that has begun."""
    database = one_connection()
    submission = database.submit(_begun, submission_id).result()
    return asyncio.run(act(Sender, database=database, order=submission.order, submission=submission))


def rehearse(*, order_id: int) -> Told:
    """Do the same for an order in dry run, without anything to send with."""
    database = one_connection()
    return asyncio.run(act(Sender, database=database, order=database.submit(_planned, order_id).result()))


def one_connection() -> ThreadPoolExecutor:
    """All questions through one connection to the database: to open one costs more than to ask."""
    return ThreadPoolExecutor(1, "database")


async def act(sender: type[Sender], *, database: ThreadPoolExecutor, **about: Any) -> Told:
    """Let a sender do what it is for, through a gateway of its own."""
    async with async_redis_client() as redis:
        gateway = Gateway(redis=redis, limits=LIMITS, accounts=Accounts(database=database))
        return await sender(gateway=gateway, database=database, **about).send()


def _begun(submission_id: int) -> Submission:
    related = ("order__listing", "order__account", "order__user")
    return Submission.objects.select_related(*related).get(pk=submission_id)


def _planned(order_id: int) -> Order:
    return Order.objects.select_related("listing", "account", "user").get(pk=order_id)
