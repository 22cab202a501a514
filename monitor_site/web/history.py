"""The prices of a listing over time and what happened to it, as a page shows them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from monitor_site import wording
from monitor_site.contract import Status
from monitor_site.watches.models import EventKind, Listing, ListingEvent, PricePoint
from monitor_site.watches.named import ENDED

from . import drawing

MOST_POINTS = 200
MOST_EVENTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A price from a moment on; ``percent`` is the change from the one before, ``None`` for the first."""

    at: datetime
    price: int
    percent: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The last prices, newest first, their drawing, and the ends of its axes; ``first`` and ``last`` are moments."""

    steps: list[Step]
    drawing: SafeString
    low: int
    high: int
    first: datetime
    last: datetime

    @property
    def change(self) -> int | None:
        """By how many percent the price changed in all; ``None`` when it never did or is back where it was."""
        return _percent(self.steps[-1].price, self.steps[0].price) or None


def history_of(listing: Listing, *, until: datetime) -> History | None:
    """The prices up to a moment; ``None`` when none was ever known."""
    newest = PricePoint.objects.filter(listing=listing).order_by("-at")[:MOST_POINTS]
    points = list(newest)[::-1]
    if not points:
        return None
    prices, last = [point.price for point in points], max(until, points[-1].at)
    return History(
        steps=_steps(points)[::-1],
        drawing=drawing.steps(_shares(points, last), label=_in_words(prices, listing.currency)),
        low=min(prices),
        high=max(prices),
        first=points[0].at,
        last=last,
    )


def _steps(points: Sequence[PricePoint]) -> list[Step]:
    before: list[int | None] = [None, *(point.price for point in points)]
    pairs = zip(points, before, strict=False)
    return [Step(at=p.at, price=p.price, percent=None if was is None else _percent(was, p.price)) for p, was in pairs]


def _percent(before: int, after: int) -> int:
    return round(100 * (after - before) / before)


def _shares(points: Sequence[PricePoint], last: datetime) -> list[tuple[float, int]]:
    whole = (last - points[0].at).total_seconds() or 1
    return [((point.at - points[0].at).total_seconds() / whole, point.price) for point in points]


def _in_words(prices: Sequence[int], currency: str) -> str:
    changes, money = len(prices) - 1, partial(wording.money, currency=currency)
    if not changes:
        return gettext("The price has always been %(price)s.") % {"price": money(prices[0])}
    facts = {"n": changes, "first": money(prices[0]), "last": money(prices[-1])}
    facts |= {"low": money(min(prices)), "high": money(max(prices))}
    return (
        ngettext(
            "%(n)d change from %(first)s to %(last)s; lowest %(low)s, highest %(high)s.",
            "%(n)d changes from %(first)s to %(last)s; lowest %(low)s, highest %(high)s.",
            changes,
        )
        % facts
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One line of the timeline."""

    at: datetime
    words: str


def timeline_of(listing: Listing) -> list[Happening]:
    """What happened to a listing, newest first."""
    events = listing.events.order_by("-at", "-pk")[:MOST_EVENTS]
    lines = [Happening(at=event.at, words=words_of(event)) for event in events]
    if listing.listed_at is not None:
        lines.append(Happening(at=listing.listed_at, words=gettext("Listed at the marketplace")))
    return lines


def words_of(event: ListingEvent) -> str:
    """What an event was."""
    say = SAID.get(event.kind)
    words = say(event) if say else str(event.get_kind_display())
    return gettext("%(event)s (again within an hour)") % {"event": words} if event.damped else words


def _moment(seconds: int | None) -> str:
    """The figures of an extension are ends, in epoch seconds."""
    if seconds is None:
        return gettext("not known")
    return wording.end(datetime.fromtimestamp(seconds, tz=UTC), now=timezone.now())


def _priced(event: ListingEvent) -> dict[str, str]:
    currency = event.listing.currency
    return {"before": wording.money(event.before, currency), "after": wording.money(event.after, currency)}


SAID: Mapping[str, Callable[[ListingEvent], str]] = {
    EventKind.LISTED: lambda event: gettext("Seen for the first time, price %(after)s") % _priced(event),
    EventKind.PRICE_DROP: lambda event: gettext("Price fell from %(before)s to %(after)s") % _priced(event),
    EventKind.PRICE_RISE: lambda event: gettext("Price rose from %(before)s to %(after)s") % _priced(event),
    EventKind.RESERVED: lambda _: str(ENDED[Status.RESERVED]),
    EventKind.SOLD: lambda event: gettext("Sold, price %(after)s") % _priced(event),
    EventKind.STOPPED: lambda _: str(ENDED[Status.STOPPED]),
    EventKind.ENDED: lambda event: gettext("Ended, price %(after)s") % _priced(event),
    EventKind.REMOVED: lambda _: str(ENDED[Status.REMOVED]),
    EventKind.BACK: lambda event: gettext("Back on sale, price %(after)s") % _priced(event),
    EventKind.BUMPED: lambda _: gettext("Moved up or edited; nothing that we see changed"),
    EventKind.RELISTED: lambda event: (
        gettext("Listed again by the same seller; the price before was %(before)s") % _priced(event)
    ),
    "extended": lambda event: gettext("Extended until %(end)s") % {"end": _moment(event.after)},
}
