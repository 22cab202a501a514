"""What a feed lists: the newest matches or price drops of its person, and nothing of anybody else."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Q, Subquery

from monitor_site.watches.models import EventKind, ListingEvent, Match, MatchQuerySet, MatchState

from .models import Feed, FeedKind

MOST_ENTRIES = 50
LOOKED_THROUGH = 4 * MOST_ENTRIES
FOLLOWED = 5000  # the newest matches, whose listings' drops are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A match, with the names of the watches that hit the same listing, or a ``drop`` of its listing's price.

    ``changed_at`` is when anything last happened to it.
    """

    match: Match
    watches: tuple[str, ...]
    at: datetime
    changed_at: datetime
    drop: ListingEvent | None = None


def entries_of(feed: Feed, *, now: datetime) -> list[Entry]:
    """What a feed lists now, newest first."""
    matches = Match.objects.filter(user=feed.user_id).told().awake(now=now).exclude(state=MatchState.IGNORED)
    if feed.kind == FeedKind.DROPS:
        return _drops(matches)
    if feed.kind == FeedKind.WATCH:
        matches = matches.filter(watch=feed.watch_id)
    return _matches(matches)


def _matches(matches: MatchQuerySet) -> list[Entry]:
    happened = ListingEvent.objects.filter(listing=OuterRef("listing")).order_by("-at").values("at")[:1]
    newest = matches.select_related("listing", "watch").defer("listing__description")
    rows = newest.annotate(happened_at=Subquery(happened)).order_by("-id")[:LOOKED_THROUGH]
    return [_entry(found) for found in _by_listing(rows)][:MOST_ENTRIES]


def _by_listing(rows: Iterable[Match]) -> Iterator[list[Match]]:
    """The matches of each listing, oldest first: a second watch that finds the same is no news of its own."""
    found: dict[int, list[Match]] = {}
    for match in rows:
        found.setdefault(match.listing_id, []).insert(0, match)
    return iter(sorted(found.values(), key=lambda matches: -matches[0].pk))


def _entry(matches: list[Match]) -> Entry:
    first = matches[0]
    happened: datetime | None = getattr(first, "happened_at", None)
    return Entry(
        match=first,
        watches=tuple(dict.fromkeys(match.watch.name for match in matches)),
        at=first.matched_at,
        changed_at=max(first.matched_at, happened or first.matched_at),
    )


def _drops(matches: MatchQuerySet) -> list[Entry]:
    """The last drops of listings that matched; what only flips to and fro is none."""
    listings = matches.order_by("-id").values("listing")[:FOLLOWED]
    told = Q(kind=EventKind.PRICE_DROP, damped=False, listing__in=listings)
    events = list(ListingEvent.objects.filter(told).order_by("-at", "-id")[:MOST_ENTRIES])
    found = _first_matches(matches, {event.listing_id for event in events})
    entries = (_drop(event, found.get(event.listing_id, [])) for event in events)
    return [entry for entry in entries if entry is not None]


def _first_matches(matches: MatchQuerySet, listing_ids: set[int]) -> dict[int, list[Match]]:
    rows = matches.filter(listing__in=listing_ids).select_related("listing", "watch").order_by("-id")
    return {found[0].listing_id: found for found in _by_listing(rows.defer("listing__description"))}


def _drop(event: ListingEvent, matches: list[Match]) -> Entry | None:
    """A drop from before the listing matched, unless it made it match, is none that anybody waited for."""
    earlier = [match for match in matches if match.matched_at <= event.at or match.trace == event.trace]
    if not earlier:
        return None
    names = tuple(dict.fromkeys(match.watch.name for match in matches))
    return Entry(match=earlier[0], watches=names, at=event.at, changed_at=event.at, drop=event)
