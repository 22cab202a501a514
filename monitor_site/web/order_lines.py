"""What the pages of approvals and orders show, as plain values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import get_language

from monitor_site import wording
from monitor_site.marketplaces.catalog import catalog
from monitor_site.purchasing import queries, sweeping
from monitor_site.purchasing.ledger import budgets_of
from monitor_site.purchasing.models import FOUND_LATE, Mode, Order, OrderStep
from monitor_site.purchasing.queries import Cover
from monitor_site.purchasing.transitions import BOUGHT, HELD, State
from monitor_site.watches.models import Listing

from . import pictures
from .cards import purchase_url
from .order_words import (
    amount_words,
    budget_name,
    changed_words,
    reason_words,
    room_words,
    state_words,
    step_words,
    tone_of,
)
from .standing import standing_of

SHOWN_ENDED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverLine:
    """A limit before and after, in words; ``missing`` is empty when it suffices."""

    label: str
    before: str
    after: str
    missing: str


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
class Proposal:
    """A proposal with what speaks against approving it: ``possible`` when nothing does."""

    line: Line
    covers: list[CoverLine]
    guarded: bool
    changed: str
    short: bool
    expired: bool
    possible: bool
    can_extend: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a proposal, and how long that took."""

    step: OrderStep
    words: str
    took: str


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


def proposal_of(order: Order, *, now: datetime) -> Proposal:
    """What one decides on."""
    covers, guarded = queries.covers_of(order, now=now), bool(budgets_of(order))
    changed = changed_words(order, now=now)
    expired = order.expires_at is None or order.expires_at <= now
    short = any(cover.missing for cover in covers)
    return Proposal(
        line=line_of(order),
        covers=[_cover_line(cover) for cover in covers],
        guarded=guarded,
        changed=changed,
        short=short,
        expired=expired,
        possible=guarded and not changed and not expired and not short,
        can_extend=not expired and not order.reason,
    )


def _cover_line(cover: Cover) -> CoverLine:
    room = cover.room
    return CoverLine(
        label=f"{budget_name(cover.budget)} · {room_words(room)}",
        before=amount_words(room, room.free),
        after=amount_words(room, cover.after),
        missing=amount_words(room, cover.missing) if cover.missing else "",
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


def answer_of(step: OrderStep) -> Answer:
    """One line of the history."""
    took = (step.at - step.order.created_at).total_seconds()
    reason = reason_words(step.order) if step.order.state == step.after else ""
    words = f"{step_words(step)} ({reason})" if reason else step_words(step)
    return Answer(step=step, words=words, took=wording.duration(max(0, took)))


def link_of(order: Order, *, now: datetime) -> str:
    """Where the person orders it: the marketplace's purchase page, else the page of the listing."""
    return purchase_url(order.listing, gone=standing_of(order.listing, now=now).gone) or order.listing.url
