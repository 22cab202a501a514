"""Why a listing did or did not meet a person's watches. What only others' watches have seen does not exist here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitor_site.contract import Sighting
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog

from .blocking import BlockBook
from .matching import Blocks, Decision, decide
from .models import Check, Listing, ListingEvent, Match, Watch, WatchKind, WatchTarget
from .rules import rule_of

MOST_WATCHES = 100
MOST_EVENTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one person's checks tell of a listing.

    ``listing`` is ``None`` unless a check of this person has shown it; ``shown`` are the watches whose checks did,
    ``asked`` when each watch's questions to this marketplace were last answered (``None``: not yet).
    """

    listing: Listing | None
    watches: Sequence[Watch]
    matches: Mapping[int, Match]
    shown: Collection[int]
    asked: Mapping[int, datetime | None]
    lag: timedelta
    blocks: Blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One watch and the listing; ``decision`` is ``None`` while nobody knows how the listing is.

    ``asks``: the watch asks the listing's marketplace. ``shown``: a check of this watch has shown the listing.
    """

    watch: Watch
    match: Match | None
    decision: Decision | None
    asks: bool
    shown: bool
    asked_at: datetime | None


def watches_of(user: Any) -> list[Watch]:
    """The newest watches of a person that search."""
    return list(Watch.objects.of(user).filter(kind=WatchKind.SEARCH).order_by("-pk")[:MOST_WATCHES])


def read(user: Any, *, marketplace: str, external_id: str) -> Reading:
    """Everything that this person may know of a listing, in a fixed number of queries."""
    watches = watches_of(user)
    links = list(
        WatchTarget.objects.filter(watch__in=watches, target__marketplace=marketplace)
        .exclude(target__kind="listing")
        .select_related("target")
    )
    row = Listing.objects.filter(marketplace=marketplace, external_id=external_id).first()
    matches = {match.watch_id: match for match in Match.objects.of(user).filter(listing=row)} if row else {}
    shown = _shown(row, links, external_id) | set(matches)
    return Reading(
        listing=row if shown else None,
        watches=watches,
        matches=matches,
        shown=shown,
        asked=_asked(links),
        lag=_lag(marketplace),
        blocks=BlockBook({user.pk}).of(user.pk, marketplace),
    )


def _shown(row: Listing | None, links: Sequence[WatchTarget], external_id: str) -> set[int]:
    """The watches of which a last good answer holds it, or whose question saw something happen to it."""
    if row is None:
        return set()
    events = ListingEvent.objects.filter(listing=row).order_by("-at").values_list("trace", flat=True)
    traces = {row.trace, *events[:MOST_EVENTS]}
    saw = Check.objects.filter(trace__in=traces, target__in=[link.target_id for link in links])
    targets = set(saw.values_list("target_id", flat=True))
    return {link.watch_id for link in links if link.target_id in targets or external_id in link.target.recent}


def _asked(links: Sequence[WatchTarget]) -> dict[int, datetime | None]:
    asked: dict[int, datetime | None] = {}
    for link in links:
        moments = [asked.get(link.watch_id), link.target.succeeded_at]
        asked[link.watch_id] = max((moment for moment in moments if moment), default=None)
    return asked


def _lag(marketplace: str) -> timedelta:
    try:
        return timedelta(seconds=catalog().get(marketplace).manifest.index_lag)
    except UnknownMarketplace:
        return timedelta()


def findings(reading: Reading, *, sighting: Sighting | None, only: int | None, now: datetime) -> list[Finding]:
    """What each watch says of the listing as it is in ``sighting``; ``only`` one of them, if it is this person's."""
    watches = [watch for watch in reading.watches if only in {None, watch.pk}]
    return [_finding(reading, watch, sighting, now) for watch in watches]


def _finding(reading: Reading, watch: Watch, sighting: Sighting | None, now: datetime) -> Finding:
    return Finding(
        watch=watch,
        match=reading.matches.get(watch.pk),
        decision=_decided(watch, sighting, reading.blocks, now) if sighting else None,
        asks=watch.pk in reading.asked,
        shown=watch.pk in reading.shown,
        asked_at=reading.asked.get(watch.pk),
    )


def _decided(watch: Watch, sighting: Sighting, blocks: Blocks, now: datetime) -> Decision:
    return decide(rule_of(watch, blocks=blocks.about(sighting)), sighting, now=now)
