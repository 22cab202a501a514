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

from . import charts
from .charts import BROKEN, UPRIGHT, Frame, Key, Named
from .thinning import Point

MOST_READ = 5_000
IN_TABLE = 200
MOST_EVENTS = 50
# While it is not there nobody asks a price.
AWAY = frozenset({EventKind.STOPPED, EventKind.REMOVED, EventKind.ENDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A price from a moment on; ``percent`` is the change from the one before, ``None`` for the first."""

    at: datetime
    price: int
    percent: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The latest prices, newest first, and how many there are in all; their drawing with its legend and the ends of
    its axes; ``change`` is by how many percent the price changed in all, ``None`` when it is where it was.
    """

    steps: list[Step]
    known: int
    change: int | None
    drawing: SafeString
    legend: list[Key]
    frame: Frame
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What was read: prices with their moments, oldest first, and when the listing was away, back and sold."""

    prices: list[tuple[datetime, int]]
    events: list[ListingEvent]
    last: datetime

    def share(self, at: datetime) -> float:
        """Where in the time that is shown a moment lies."""
        first = self.prices[0][0]
        return (at - first).total_seconds() / ((self.last - first).total_seconds() or 1)

    @property
    def points(self) -> list[Point]:
        """Prices in their order, with a gap from where the listing was away to where it was back."""
        known: list[tuple[datetime, int | None]] = [*self.prices, *(self._edge(one) for one in self.events)]
        ordered = sorted(known, key=lambda one: (one[0], one[1] is None))
        return [(self.share(at), price) for at, price in ordered if at >= self.prices[0][0]]

    def _edge(self, event: ListingEvent) -> tuple[datetime, int | None]:
        return event.at, None if event.kind in AWAY else event.after or None


def history_of(listing: Listing, *, until: datetime, lines: Sequence[Named] = ()) -> History | None:
    """The prices up to a moment, with lines to compare them with; ``None`` when none was ever known."""
    if (course := _read(listing, until)) is None:
        return None
    prices, sold = [price for _, price in course.prices], listing.sold_at
    frame = charts.frame_of(prices, lines)
    shown = [line for line in lines if frame.holds(line.price)]
    label = _in_words(prices, listing.currency)
    share = None if sold is None or not course.prices[0][0] <= sold <= course.last else course.share(sold)
    return History(
        steps=_steps(course.prices[-IN_TABLE - 1 :])[-IN_TABLE:][::-1],
        known=len(prices),
        change=_percent(prices[0], prices[-1]) or None,
        drawing=charts.step_line(course.points, frame=frame, lines=shown, sold=share, label=label),
        legend=_legend(shown, sold=share is not None, gap=_has_gap(course.points)),
        frame=frame,
        first=course.prices[0][0],
        last=course.last,
    )


def _read(listing: Listing, until: datetime) -> Course | None:
    points = PricePoint.objects.filter(listing=listing).order_by("-at").values_list("at", "price")[:MOST_READ]
    if not (prices := list(points)[::-1]):
        return None
    edges = listing.events.filter(kind__in=[*AWAY, EventKind.BACK], at__lte=until).order_by("-at")[:MOST_READ]
    return Course(prices=prices, events=list(edges)[::-1], last=max(until, prices[-1][0]))


def _has_gap(points: Sequence[Point]) -> bool:
    """Whether a time without a price ended."""
    known = [price is not None for _, price in points]
    return not all(known[: len(known) - known[::-1].index(True)])


def _legend(lines: Sequence[Named], *, sold: bool, gap: bool) -> list[Key]:
    keys = [Key(mark=line.mark, words=line.words) for line in lines]
    if sold:
        keys.append(Key(mark="", words=gettext("Sold"), path=UPRIGHT))
    if gap:
        keys.append(Key(mark="", words=gettext("a gap: not on sale"), path=BROKEN))
    return keys


def _steps(points: Sequence[tuple[datetime, int]]) -> list[Step]:
    before: list[int | None] = [None, *(price for _, price in points)]
    pairs = zip(points, before, strict=False)
    return [Step(at=at, price=now, percent=None if was is None else _percent(was, now)) for (at, now), was in pairs]


def _percent(before: int, after: int) -> int:
    return round(100 * (after - before) / before)


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
    """One line of the timeline; ``number`` grows with the events, 0 for what is none of ours."""

    at: datetime
    words: str
    number: int = 0


def timeline_of(listing: Listing) -> list[Happening]:
    """What happened to a listing, newest first."""
    events = listing.events.order_by("-at", "-pk")[:MOST_EVENTS]
    lines = [Happening(at=event.at, words=words_of(event), number=event.pk) for event in events]
    if listing.listed_at is not None:
        lines.append(Happening(at=listing.listed_at, words=gettext("Listed at the marketplace")))
    return lines


def mark_of(timeline: Sequence[Happening]) -> str:
    """Stands for the last thing that happened: the same mark, the same history."""
    return str(max((line.number for line in timeline), default=0))


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
