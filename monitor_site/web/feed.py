"""What of the feed a person sees: filters from the query string, and the matches behind them, each read with an end."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, Subquery
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from monitor_site.contract import Kind
from monitor_site.watches.models import (
    Cause,
    Crossing,
    CrossingKind,
    EventKind,
    ListingEvent,
    Match,
    MatchQuerySet,
    MatchState,
    Note,
    Watch,
)
from monitor_site.watches.text import fold

from .cards import key_of
from .query_filters import asked, holds, number, query_string

PER_PAGE = 30
AT_ONCE = 4 * PER_PAGE
SEARCHED = 5000
FOLLOWED = 5000
CHANGED = timedelta(minutes=2)
LATE_ROWS = timedelta(minutes=1)
SEGMENTS = {
    "all": gettext_lazy("All"),
    "new": gettext_lazy("New"),
    "auctions": gettext_lazy("Auctions"),
    "drops": gettext_lazy("Price drops"),
    "ignored": gettext_lazy("Ignored"),
}
FALLS = Exists(Crossing.objects.filter(match=OuterRef("pk"), kind=CrossingKind.FALL))
CONDITIONS_OF = {
    "all": ~Q(state=MatchState.IGNORED),
    "new": Q(state=MatchState.NEW),
    "auctions": Q(listing__kind=Kind.AUCTION.value) & ~Q(state=MatchState.IGNORED),
    "drops": (Q(cause=Cause.PRICE_DROP) | Q(FALLS, cause=Cause.CROSSED)) & ~Q(state=MatchState.IGNORED),
    "ignored": Q(state=MatchState.IGNORED),
}
RARE = {"auctions", "drops", "ignored"}  # no index knows them: few of them may lie far apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What of the feed a person wants to see; all of it lies in the query string."""

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
class Page:
    """A page of the feed; ``older`` is the id before which the next one begins, ``None`` at the end."""

    matches: list[Match]
    older: int | None


def page_of(user: Any, filters: Filters, *, before: int | None, now: datetime) -> Page:
    """The newest matches behind these filters, below ``before``: by the time when they were told last.

    A search looks through so many matches and no more; the next page goes on where it ended.
    """
    matches = _of(user, filters, now=now)
    matches = _below(matches, before, user) if before else matches
    rare = filters.words or filters.market or filters.tag or filters.segment in RARE
    end = _end_of_search(matches) if rare else None
    matches = _below(matches, end, user, itself=True) if end else matches
    ids = _ids(_narrowed(matches, filters), filters, limit=PER_PAGE + 1)
    if len(ids) > PER_PAGE:
        return Page(matches=_shown(ids[:PER_PAGE]), older=ids[PER_PAGE - 1])
    return Page(matches=_shown(ids), older=end)


def _below(matches: MatchQuerySet, pk: int, user: Any, *, itself: bool = False) -> MatchQuerySet:
    """Those that were told before a match; or, with it ``itself``, all the others."""
    edge = Match.objects.of(user).filter(pk=pk).values_list("matched_at", flat=True).first()
    if edge is None:
        return matches.filter(id__gte=pk) if itself else matches.filter(id__lt=pk)
    if itself:
        return matches.filter(Q(matched_at__gt=edge) | Q(matched_at=edge, id__gte=pk), matched_at__gte=edge)
    return matches.filter(Q(matched_at__lt=edge) | Q(matched_at=edge, id__lt=pk), matched_at__lte=edge)


def _of(user: Any, filters: Filters, *, now: datetime) -> MatchQuerySet:
    """A match is tagged as its watch is."""
    told = Match.objects.of(user).told().awake(now=now)
    if filters.tag is not None:
        told = told.filter(watch__in=Watch.objects.of(user).filter(tagged__tag=filters.tag))
    return told.filter(watch_id=filters.watch) if filters.watch is not None else told


def _narrowed(matches: MatchQuerySet, filters: Filters) -> MatchQuerySet:
    wanted = matches.filter(CONDITIONS_OF[filters.segment])
    return wanted.filter(listing__marketplace=filters.market) if filters.market else wanted


def _end_of_search(matches: MatchQuerySet) -> int | None:
    """The id of the last match that is looked at; ``None`` when no other comes after it."""
    edge = list(matches.order_by("-matched_at", "-id").values_list("id", flat=True)[SEARCHED - 1 : SEARCHED + 1])
    return edge[0] if len(edge) > 1 else None


def since(user: Any, filters: Filters, *, after: int, now: datetime) -> list[int]:
    """Ids of what came after an id, and of all of the last minute, newest first, one more than a page takes at once;

    what has come back to the top since that one was told too.

    PostgreSQL gives ids before it shows rows: a smaller one may appear later than a greater one.
    """
    wanted = _narrowed(_of(user, filters, now=now), filters)
    fresh = _ids(wanted.filter(id__gt=after), filters, limit=AT_ONCE + 1)
    told = Match.objects.of(user).filter(pk=after).values_list("matched_at", flat=True).first()
    lately = Q(matched_at__gte=now - LATE_ROWS) | (Q(matched_at__gt=told, cause=Cause.CROSSED) if told else Q())
    late = _ids(wanted.filter(lately), filters, limit=AT_ONCE + 1)
    return sorted({*fresh, *late}, reverse=True)[: AT_ONCE + 1]


def keys_of(ids: list[int]) -> list[float]:
    """The numbers by which an open page knows these matches."""
    back = Match.objects.filter(pk__in=ids, cause=Cause.CROSSED).values_list("pk", "cause", "matched_at")
    keys = {pk: float(key_of(pk, cause, at)) for pk, cause, at in back}
    return [keys.get(pk, pk) for pk in ids]


def _ids(matches: MatchQuerySet, filters: Filters, *, limit: int) -> list[int]:
    newest = matches.order_by("-matched_at", "-id")
    if not filters.words:
        return list(newest.values_list("id", flat=True)[:limit])
    found = _holding(newest, filters.words)
    return [pk for pk, _ in zip(found, range(limit), strict=False)]


def _holding(matches: MatchQuerySet, text: str) -> Iterator[int]:
    """Ids of those that hold all words in title, seller or number."""
    words = fold(text).split()
    texts = matches.values_list("id", "listing__title", "listing__seller_name", "listing__external_id")
    for pk, *parts in texts[:SEARCHED]:
        if holds(parts, words):
            yield pk


def _shown(ids: list[int]) -> list[Match]:
    return list(shown(Match.objects.filter(pk__in=ids)).order_by("-matched_at", "-id"))


def shown(matches: MatchQuerySet) -> MatchQuerySet:
    """Matches as cards need them: with watch, its prices, listing, the price before the last drop, and a note."""
    notes = Note.objects.filter(listing=OuterRef("listing"), user=OuterRef("user")).values("text")[:1]
    drops = ListingEvent.objects.filter(listing=OuterRef("listing"), kind=EventKind.PRICE_DROP).order_by("-at")
    return matches.select_related("watch__prices", "listing").annotate(
        price_before=Subquery(drops.values("before")[:1]), note=Subquery(notes)
    )


def changed_lately(user: Any, *, now: datetime) -> list[Match]:
    """Those matches to whose listings something happened in the last minutes, latest first, as cards need them.

    An open page shows cards that many others have come after: what is looked at again was found a while ago.
    """
    newest = Match.objects.of(user).told().order_by("-id").values("pk")[:FOLLOWED]
    events = ListingEvent.objects.filter(listing=OuterRef("listing"), at__gte=now - CHANGED, damped=False)
    latest = Subquery(events.order_by("-at").values("at")[:1])
    matches = Match.objects.filter(pk__in=newest).annotate(happened=latest).exclude(happened=None)
    return list(shown(matches).order_by("-happened", "-id")[:AT_ONCE])


def all_behind(user: Any, filters: Filters, *, upto: int | None, now: datetime) -> MatchQuerySet:
    """Every match behind these filters up to an id; with words those of the newest that a search looks through."""
    matches = _narrowed(_of(user, filters, now=now), filters)
    matches = matches.filter(id__lte=upto) if upto is not None else matches
    if not filters.words:
        return matches
    return Match.objects.filter(pk__in=_ids(matches, filters, limit=SEARCHED))


def newest(user: Any) -> int:
    """What is newer than this is new to the page, whatever its filters."""
    return Match.objects.of(user).told().order_by("-id").values_list("id", flat=True).first() or 0
