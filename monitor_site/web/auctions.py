"""Which auctions a person sees, by their end: sections read one after the other, each through an index and with an end.

An auction stands here once, however many of the person's watches it matches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy, pgettext_lazy

from monitor_site.contract import Kind
from monitor_site.watches.models import Listing, Match, MatchQuerySet, MatchState, Watch
from monitor_site.watches.text import fold

from .query_filters import asked, holds, number, query_string
from .standing import EXTENSION, GONE

PER_PAGE = 30
SEARCHED = 5000
COUNTED = 100
SOON = timedelta(hours=1)
KEPT = timedelta(days=3)  # how long one that is over stays
SEGMENTS = {
    "all": pgettext_lazy("auctions", "All"),
    "soon": gettext_lazy("Ending soon"),
    "ended": pgettext_lazy("auctions", "Ended"),
}
SECTIONS_OF = {"all": ("running", "open", "over"), "soon": ("soon",), "ended": ("over",)}
ORDERS = {
    "running": ("ends_at", "pk"),
    "soon": ("ends_at", "pk"),
    "open": ("-pk",),
    "over": ("-ends_at", "-pk"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which auctions a person wants to see; all of it lies in the query string."""

    segment: str
    watch: int | None
    market: str
    words: str
    tag: int | None = None

    @classmethod
    def of(cls, query: QueryDict) -> "Filters":
        """From a query string; what makes no sense is left out."""
        return cls(**asked(query, SEGMENTS), tag=number(query.get("tag")))

    def query(self, **changes: Any) -> str:
        """The query string of these filters with some of them changed."""
        values = {"show": self.segment, "watch": self.watch, "market": self.market, "tag": self.tag, "q": self.words}
        return query_string(values | changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place between two auctions: behind this end and number, in this section. Without an end at its beginning."""

    section: str
    ends_at: datetime | None = None
    pk: int | None = None

    @classmethod
    def of(cls, text: str) -> "Mark | None":
        """From the query string; ``None`` for what makes no sense."""
        section, _, rest = text.partition(".")
        if section not in ORDERS:
            return None
        micros, _, pk = rest.partition(".")
        return cls(section=section, ends_at=_moment(number(micros)), pk=number(pk))

    def text(self) -> str:
        """The same for the query string."""
        micros = "" if self.ends_at is None else str(round((self.ends_at - EPOCH) / MICROSECOND))
        return self.section if self.pk is None else f"{self.section}.{micros}.{self.pk}"


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def _moment(micros: int | None) -> datetime | None:
    try:
        return None if micros is None else EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of auctions with the section each stands in; ``older`` is where the next one begins, else ``None``."""

    found: list[tuple[str, Listing]]
    older: Mark | None


def page_of(user: Any, filters: Filters, *, after: Mark | None, now: datetime) -> Page:
    """The auctions behind these filters, from a mark on."""
    found: list[tuple[str, Listing]] = []
    for section, mark in _to_read(filters.segment, after):
        rows = _behind(_section(user, filters, section, now), mark)
        taken, older = _take(rows, filters.words, PER_PAGE - len(found), Mark(section=section))
        found += [(section, row) for row in taken]
        if older is not None:
            return Page(found=found, older=older)
    return Page(found=found, older=None)


def _to_read(segment: str, after: Mark | None) -> Iterator[tuple[str, Mark]]:
    sections = SECTIONS_OF[segment]
    start = sections.index(after.section) if after and after.section in sections else 0
    for section in sections[start:]:
        yield section, after if after and after.section == section else Mark(section=section)


def _section(user: Any, filters: Filters, name: str, now: datetime) -> QuerySet[Listing]:
    mine = _behind_filters(user, told(user, now=now), filters)
    rows = _auctions(mine).filter(_condition(name, now)).order_by(*ORDERS[name])
    return rows.filter(marketplace=filters.market) if filters.market else rows


def _behind_filters(user: Any, matches: MatchQuerySet, filters: Filters) -> MatchQuerySet:
    """Those of one watch, or of the watches with a tag."""
    if filters.tag is not None:
        matches = matches.filter(watch__in=Watch.objects.of(user).filter(tagged__tag=filters.tag))
    return matches.filter(watch_id=filters.watch) if filters.watch is not None else matches


def _auctions(matches: MatchQuerySet) -> QuerySet[Listing]:
    """The auctions of these matches."""
    mine = matches.filter(listing=OuterRef("pk"))
    return Listing.objects.filter(Exists(mine), kind=Kind.AUCTION.value).defer("extra")


def told(user: Any, *, now: datetime) -> MatchQuerySet:
    """What this person was told of and has neither put aside nor snoozed."""
    return Match.objects.of(user).told().awake(now=now).exclude(state=MatchState.IGNORED)


def _condition(section: str, now: datetime) -> Q:
    over, edge = Q(status__in=GONE), now - EXTENSION
    if section == "over":
        return Q(ends_at__gte=now - KEPT) & (over | Q(ends_at__lt=edge))
    if section == "open":
        return ~over & Q(ends_at=None, seen_at__gte=now - KEPT)
    soon = Q(ends_at__lt=now + SOON) if section == "soon" else Q()
    return ~over & Q(ends_at__gte=edge) & soon


def _behind(rows: QuerySet[Listing], mark: Mark) -> QuerySet[Listing]:
    if mark.pk is None:
        return rows
    if mark.section == "open" or mark.ends_at is None:
        return rows.filter(pk__lt=mark.pk)
    way = "lt" if mark.section == "over" else "gt"
    same = Q(ends_at=mark.ends_at, **{f"pk__{way}": mark.pk})
    return rows.filter(Q(**{f"ends_at__{way}": mark.ends_at}) | same)


def _take(rows: QuerySet[Listing], words: str, room: int, start: Mark) -> tuple[list[Listing], Mark | None]:
    """As many as there is room for, and where the rest begins; a search looks through so many and no more."""
    taken: list[Listing] = []
    wanted, last, looked = fold(words).split(), start, 0
    most = SEARCHED if wanted else room + 1
    for row in rows[:most]:
        hit = _holds(row, wanted)
        if hit and len(taken) == room:
            return taken, last
        taken += [row] if hit else []
        last, looked = Mark(section=start.section, ends_at=row.ends_at, pk=row.pk), looked + 1
    return taken, last if wanted and looked == most else None


def _holds(row: Listing, words: list[str]) -> bool:
    return not words or holds((row.title, row.seller_name, row.external_id), words)


def some(user: Any, pks: list[int], *, now: datetime) -> list[Listing]:
    """Those of these auctions that the person may see."""
    return list(_auctions(told(user, now=now)).filter(pk__in=pks))


def ending_soon(user: Any, *, now: datetime) -> QuerySet[Listing]:
    """Those that end within the hour, to be counted: 100 stand for more."""
    return _auctions(told(user, now=now)).filter(_condition("soon", now)).order_by()[:COUNTED]


def new_since(user: Any, filters: Filters, moment: datetime, *, known: list[int], now: datetime) -> int:
    """How many auctions came since then, beside those that the page shows; 100 stands for more."""
    fresh = _behind_filters(user, told(user, now=now), filters).filter(matched_at__gt=moment)
    fresh = fresh.filter(listing__kind=Kind.AUCTION.value).exclude(listing_id__in=known)
    fresh = fresh.filter(listing__marketplace=filters.market) if filters.market else fresh
    return fresh.order_by()[:COUNTED].count()


def group_of(section: str, listing: Listing, *, now: datetime) -> str:
    """Under which heading an auction stands: ``hour``, ``today``, ``later``, ``open`` (end not known) or ``over``."""
    if section in {"open", "over"} or listing.ends_at is None:
        return section
    if listing.ends_at < now + SOON:
        return "hour"
    return "today" if listing.ends_at < _midnight(now) else "later"


def _midnight(now: datetime) -> datetime:
    """The end of the reader's day."""
    zone = timezone.get_current_timezone()
    return datetime.combine(timezone.localtime(now).date() + timedelta(days=1), time.min, tzinfo=zone)
