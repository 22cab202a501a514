"""What the pages of approvals and orders show, as plain values."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import get_language, gettext

from monitor_site import second_currency
from monitor_site.marketplaces.catalog import catalog
from monitor_site.purchasing import sweeping
from monitor_site.purchasing.models import FOUND_LATE, Mode, Order
from monitor_site.purchasing.transitions import BOUGHT, HELD, State
from monitor_site.watches.models import Listing

from . import pictures
from .cards import purchase_url
from .order_words import (
    reason_words,
    state_words,
    step_words,
    tone_of,
)
from .standing import standing_of

SHOWN_ENDED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An order in a list."""

    order: Order
    marketplace: str
    picture: str
    state: str
    tone: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Orders that ask the same of their person."""

    name: str
    title: str
    lines: list[Line]

    @property
    def sum(self) -> str:
        """What they cost together, as far as it is known at most; each currency by itself."""
        sums = Counter[str]()
        for line in self.lines:
            order = line.order
            sums[order.currency] += order.price_max if order.paid is None else order.paid
        return " + ".join(second_currency.both(amount, currency) for currency, amount in sums.items())


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
    """Which group of the list an order is in."""
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


def groups_of(orders: Iterable[Order]) -> list[Group]:
    """All orders by what they ask; a group without one is left out."""
    titles = {
        "look": gettext("Please look"),
        "asked": gettext("Was it you?"),
        "checking": gettext("Being checked"),
        "to_order": gettext("To order"),
        "bought": gettext("Bought"),
        "rehearsed": gettext("Dry runs"),
        "ended": gettext("Ended"),
    }
    found: dict[str, list[Line]] = {name: [] for name in titles}
    for order in orders:
        found[group_of(order)].append(line_of(order))
    return [Group(name=name, title=titles[name], lines=lines) for name, lines in found.items() if lines]


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


def happenings_of(order: Order) -> list[dict[str, Any]]:
    """The way of an order so far, newest first."""
    steps = [{"words": step_words(step), "at": step.at} for step in order.history.order_by("-number")]
    return [*steps, {"words": state_words(State.PROPOSED), "at": order.created_at}]
