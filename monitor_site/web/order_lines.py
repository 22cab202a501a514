"""What the pages of approvals and orders show, as plain values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import get_language

from monitor_site.marketplaces.catalog import catalog
from monitor_site.purchasing import sweeping
from monitor_site.purchasing.models import FOUND_LATE, Mode, Order
from monitor_site.purchasing.transitions import BOUGHT, HELD, State
from monitor_site.watches.models import Listing

from . import pictures
from .cards import purchase_url
from .order_words import reason_words, state_words, tone_of
from .standing import standing_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An order in a list."""

    order: Order
    marketplace: str
    picture: str
    state: str
    tone: str
    reason: str


def line_of(order: Order) -> Line:
    """One order."""
    images = order.listing.images
    return Line(
        order=order,
        marketplace=catalog().title(order.listing.marketplace, get_language() or "en"),
        picture=pictures.address(images[0], size=160) if images else "",
        state=state_words(State.NEEDS_HUMAN if group_of(order) in {"asked", "look"} else order.state),
        tone="warn" if group_of(order) == "look" else tone_of(order.state),
        reason=reason_words(order),
    )


def group_of(order: Order) -> str:
    """What an order asks of its person."""
    if order.mode == Mode.DRY_RUN:
        return "rehearsed"
    if order.state == State.NEEDS_HUMAN or order.reason == FOUND_LATE:
        return "look"
    if order.state in {State.SUBMITTING, State.UNKNOWN}:
        return "checking"
    if order.state == State.HANDED_OVER and order.ask_at:
        return "asked"
    if order.state in HELD:
        return "to_order"
    return "bought" if order.state in BOUGHT else "ended"


def strays_of(user: Any, most: int) -> list[dict[str, Any]]:
    """Purchases of the person's accounts that belong to no order, each with what we know of its listing."""
    strays = list(sweeping.strays_of(user)[:most])
    names = {stray.external_id for stray in strays}
    listings = {(one.marketplace, one.external_id): one for one in Listing.objects.filter(external_id__in=names)}
    return [
        {
            "stray": stray,
            "listing": listings.get((stray.account.marketplace, stray.external_id)),
            "marketplace": catalog().title(stray.account.marketplace, get_language() or "en"),
        }
        for stray in strays
    ]


def link_of(order: Order, *, now: datetime) -> str:
    """Where the person orders it: the marketplace's purchase page, else the page of the listing."""
    return purchase_url(order.listing, gone=standing_of(order.listing, now=now).gone) or order.listing.url
