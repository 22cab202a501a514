"""From sightings to matches: who asked, what is new to them, and what they had before. In the recording transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import F

from monitor_site.outbox import services as outbox

from . import doubts, follow
from .blocking import BlockBook
from .judging import EDGE_MEMORY, EDGES, Edges, Judged, Past
from .models import Doubt, Listing, ListingEvent, Match, MatchState, RelistedWish, Watch, WatchTarget
from .pages import Page
from .sightings import Seen

TOPIC = "match"
SAVED_AT_ONCE = 500


@dataclass(slots=True, kw_only=True)
class Joined:
    """How many new listings and matches each check (by trace) brought, the matches to tell of, and their listings."""

    new: Counter[str] = field(default_factory=Counter)
    matched: Counter[str] = field(default_factory=Counter)
    announced: list[int] = field(default_factory=list)
    listings: set[int] = field(default_factory=set)


def join(*, pages: Sequence[Page], links: list[WatchTarget], seen: dict[str, dict[str, Seen]], now: datetime) -> Joined:
    """Make the matches of these pages for the links (watch asks target), as they were read when the pages were."""
    joined = Joined()
    for trace, rows in seen.items():
        joined.new[trace] = sum(one.fresh for one in rows.values())
    if not pages:
        return joined
    by_target = {page.target.pk: page for page in pages}
    asked = [link for link in links if link.target_id in by_target]
    watches = Watch.objects.in_bulk([link.watch_id for link in asked])
    past = _past(asked, pages, seen, {watch.user_id for watch in watches.values()})
    drafts: list[Match] = []
    for link in (link for link in asked if link.watch_id in watches):
        link.watch = watches[link.watch_id]
        page = by_target[link.target_id]
        judged = Judged(link=link, page=page, past=past, now=now)
        judged.judge(seen.get(page.result.trace, {}))
        drafts += judged.drafts
        _keep_doubts(judged, now)
    save(drafts, joined)
    _baseline([link.pk for link in asked if link.baselined_at is None], now)
    return joined


def _past(
    asked: list[WatchTarget], pages: Sequence[Page], rows: dict[str, dict[str, Seen]], user_ids: set[int]
) -> Past:
    """Matched once is matched. Of what is seen for the first time there is nothing to know."""
    seen = [one for page in pages for one in rows.get(page.result.trace, {}).values()]
    listings, blocks = {one.listing_id for one in seen if not one.fresh}, BlockBook(user_ids)
    if not listings:
        return Past(blocks=blocks)
    pairs = {"watch_id__in": {link.watch_id for link in asked}, "listing_id__in": listings}
    return Past(
        blocks=blocks,
        edges=_edges_of(pages, seen),
        matched=set(Match.objects.filter(**pairs).values_list("watch_id", "listing_id")),
        doubted={(row.watch_id, row.listing_id): row.pk for row in Doubt.objects.still_open().filter(**pairs)},
        listings=Listing.objects.in_bulk(listings),
    )


def _edges_of(pages: Sequence[Page], seen: list[Seen]) -> Edges:
    """What lately happened to listings that these pages show: another target's check may have written it down."""
    known = {one.listing_id for one in seen if not one.fresh and not one.events}
    if not pages or not known:
        return {}
    since = min(page.result.started_at for page in pages) - EDGE_MEMORY
    kinds = [kind for kind, _cause in EDGES]
    recent = ListingEvent.objects.filter(listing_id__in=known, kind__in=kinds, at__gte=since)
    happened: Edges = {}
    for listing_id, kind, at in recent.values_list("listing_id", "kind", "at"):
        happened.setdefault(listing_id, []).append((kind, at))
    return happened


def _keep_doubts(judged: Judged, now: datetime) -> None:
    doubts.raise_doubts(judged.doubtful, now=now)
    for outcome, ids in judged.settled.items():
        doubts.decide_doubts(ids, outcome, now=now)


def _baseline(links: list[int], now: datetime) -> None:
    if links:
        WatchTarget.objects.filter(pk__in=links, baselined_at=None).update(baselined_at=now)


def save(drafts: list[Match], joined: Joined) -> None:
    """One match per watch and listing, whoever comes first; only what this recording made is told of."""
    drafts.sort(key=lambda match: (match.listing_id, match.watch_id))
    for start in range(0, len(drafts), SAVED_AT_ONCE):
        some = drafts[start : start + SAVED_AT_ONCE]
        _put_aside(some)
        Match.objects.bulk_create(some, ignore_conflicts=True)
        _told([draft.public_id for draft in some], joined)


def _put_aside(drafts: Sequence[Match]) -> None:
    """What is listed again stays ignored where the person has put it aside under its old number, else it follows their

    wish. What a block put aside is a matter of that block alone.
    """
    listings = {draft.listing_id for draft in drafts}
    before = Match.objects.filter(listing__relisted_as__in=listings)
    known: dict[tuple[Any, Any], Match] = {
        (match.watch_id, match.again): match  # type: ignore[attr-defined]  # annotated
        for match in before.annotate(again=F("listing__relisted_as")).select_related("listing")
    }
    for draft in drafts:
        if old := known.get((draft.watch_id, draft.listing_id)):
            if old.state == MatchState.IGNORED and old.blocked_by_id is None:
                draft.state = MatchState.IGNORED
            told = is_told_again(draft.watch, before=old.listing.price, after=draft.price)
            draft.silent = draft.silent or not told


def is_told_again(watch: Watch, *, before: int | None, after: int | None) -> bool:
    """Whether a person wants to see what is listed again; that a price differs must be known."""
    if watch.relisted == RelistedWish.PRICE_CHANGE:
        return None not in (before, after) and before != after
    return watch.relisted == RelistedWish.ALERT


def _told(public_ids: list[str], joined: Joined) -> None:
    made = Match.objects.filter(public_id__in=public_ids, silent=False).exclude(state=MatchState.IGNORED)
    for pk, trace, listing_id, marketplace in made.values_list("pk", "trace", "listing_id", "listing__marketplace"):
        joined.matched[trace] += 1
        joined.announced.append(pk)
        if follow.can_look(marketplace):
            joined.listings.add(listing_id)


def tell(joined: Joined, *, now: datetime) -> None:
    """Have the matches told of and their listings followed, after the commit."""
    outbox.write(topic=TOPIC, object_ids=joined.announced, now=now)
    follow.follow_later(listing_ids=joined.listings, now=now)
