"""From sightings to matches: who asked, what is new to them, and what they had before. In the recording transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.outbox import services as outbox

from . import follow
from .blocking import NOTHING_BLOCKED, BlockBook, Blocked
from .facts import amount_of
from .matching import Decision, Rule, decide
from .models import Cause, EventKind, ListingEvent, Match, ShippingWish, Watch, WatchTarget
from .pages import Page
from .sightings import Seen

TOPIC = "match"
# A listing may be older than the watch by the time the marketplace's search needs to show it, and some more.
INDEX_MARGIN = timedelta(minutes=2)
EDGE_MEMORY = timedelta(minutes=10)
SAVED_AT_ONCE = 500
# Listing → what happened to it, and when.
Edges = dict[int, list[tuple[str, datetime]]]
EDGES = ((EventKind.PRICE_DROP, Cause.PRICE_DROP), (EventKind.BACK, Cause.BACK))


@dataclass(slots=True, kw_only=True)
class Joined:
    """How many new listings and matches each check (by trace) brought, the matches to tell of, and their listings."""

    new: Counter[str] = field(default_factory=Counter)
    matched: Counter[str] = field(default_factory=Counter)
    announced: list[int] = field(default_factory=list)
    listings: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a recording knows beforehand: (watch, listing) of matches that exist, recent edges, blocks, and the time."""

    matched: set[tuple[int, int]]
    edges: Edges
    blocks: BlockBook
    now: datetime


def join(*, pages: Sequence[Page], links: list[WatchTarget], seen: dict[str, dict[str, Seen]], now: datetime) -> Joined:
    """Make the matches of these pages for the links (watch asks target), as they were read when the pages were."""
    joined = Joined()
    for trace, rows in seen.items():
        joined.new[trace] = sum(one.fresh for one in rows.values())
    by_target = {page.target.pk: page for page in pages}
    asked = [link for link in links if link.target_id in by_target]
    watches = Watch.objects.in_bulk([link.watch_id for link in asked])
    blocks = BlockBook({watch.user_id for watch in watches.values()})
    known = Known(matched=_had(asked, seen), edges=_edges_of(pages, seen), blocks=blocks, now=now)
    drafts = []
    for link in (link for link in asked if link.watch_id in watches):
        link.watch = watches[link.watch_id]
        page = by_target[link.target_id]
        drafts += _drafts(link, page, seen.get(page.result.trace, {}), known)
    _save(drafts, joined)
    _baseline([link.pk for link in asked if link.baselined_at is None], now)
    outbox.write(topic=TOPIC, object_ids=joined.announced, now=now)
    follow.follow_later(listing_ids=joined.listings, now=now)
    return joined


def _had(asked: list[WatchTarget], seen: dict[str, dict[str, Seen]]) -> set[tuple[int, int]]:
    """(watch, listing) of matches that exist already: matched once is matched."""
    listings = {one.listing_id for rows in seen.values() for one in rows.values()}
    watches = {link.watch_id for link in asked}
    return set(
        Match.objects.filter(watch_id__in=watches, listing_id__in=listings).values_list("watch_id", "listing_id")
    )


def _edges_of(pages: Sequence[Page], seen: dict[str, dict[str, Seen]]) -> Edges:
    """What lately happened to listings that these pages show: another target's check may have written it down."""
    known = {one.listing_id for rows in seen.values() for one in rows.values() if not one.fresh and not one.events}
    if not pages or not known:
        return {}
    since = min(page.result.started_at for page in pages) - EDGE_MEMORY
    kinds = [kind for kind, _cause in EDGES]
    recent = ListingEvent.objects.filter(listing_id__in=known, kind__in=kinds, at__gte=since)
    happened: Edges = {}
    for listing_id, kind, at in recent.values_list("listing_id", "kind", "at"):
        happened.setdefault(listing_id, []).append((kind, at))
    return happened


def _baseline(links: list[int], now: datetime) -> None:
    if links:
        WatchTarget.objects.filter(pk__in=links, baselined_at=None).update(baselined_at=now)


def _drafts(link: WatchTarget, page: Page, rows: dict[str, Seen], known: Known) -> list[Match]:
    rule = rule_of(link.watch, known.blocks.of(link.watch.user_id, page.target.marketplace))
    # Who sells is not always told: a block of one seller must not lose what nobody is known to sell.
    of_unknown = replace(rule, blocked_sellers=())
    drafts = []
    for one in rows.values():
        wanted = link.baselined_at is None or one.sighting.external_id in page.changed
        if not wanted or one.doubted or (link.watch_id, one.listing_id) in known.matched:
            continue
        decision = decide(rule if one.sighting.seller else of_unknown, one.sighting, now=known.now)
        if decision.matches:
            drafts.append(_draft(link, page, one, decision, known))
    return drafts


def rule_of(watch: Watch, blocked: Blocked = NOTHING_BLOCKED) -> Rule:
    """The watch's limits and what its user has blocked, as plain values."""
    return Rule(
        must=tuple(watch.must),
        any_of=tuple(watch.any_of),
        none_of=tuple(watch.none_of),
        blocked_phrases=blocked.phrases,
        blocked_sellers=blocked.sellers,
        price_min=watch.price_min,
        price_max=watch.price_max,
        currency=watch.currency,
        conditions=tuple(watch.conditions),
        shipping_included=watch.shipping == ShippingWish.INCLUDED,
    )


def _draft(link: WatchTarget, page: Page, one: Seen, decision: Decision, known: Known) -> Match:
    cause = _cause(link, page, one, known)
    return Match(
        user_id=link.watch.user_id,
        watch=link.watch,
        listing_id=one.listing_id,
        cause=cause,
        silent=cause == Cause.EXISTING and link.quiet,
        price=amount_of(one.sighting.price),
        decision=list(decision.rules),
        trace=page.result.trace,
        matched_at=known.now,
    )


def _cause(link: WatchTarget, page: Page, one: Seen, known: Known) -> Cause:
    """New is: not shown before, and created since the watch began. A bumped old listing is not new."""
    if link.baselined_at is None:
        return Cause.LISTED if _created_after(link.began_at, one) else Cause.EXISTING
    edge = _edge(one, known.edges, since=page.result.started_at - EDGE_MEMORY)
    if edge is not None:
        return edge
    if page.shown_before(one.sighting.external_id):
        return Cause.CHANGED
    grace = _index_lag(page.target.marketplace) + INDEX_MARGIN
    return Cause.LISTED if _created_after(link.began_at - grace, one, unknown=one.fresh) else Cause.EXISTING


def _created_after(moment: datetime, one: Seen, *, unknown: bool = False) -> bool:
    created = one.sighting.created
    return unknown if created is None else created >= moment


def _edge(one: Seen, edges: Edges, *, since: datetime) -> Cause | None:
    """The edge that made it match, of this check or of another's a moment ago."""
    kinds = set(one.events)
    if not one.fresh and not kinds:
        kinds = {kind for kind, at in edges.get(one.listing_id, ()) if at >= since}
    for kind, cause in EDGES:
        if kind in kinds:
            return cause
    return None


def _index_lag(marketplace: str) -> timedelta:
    try:
        return timedelta(seconds=catalog().get(marketplace).manifest.index_lag)
    except UnknownMarketplace:
        return timedelta()


def _save(drafts: list[Match], joined: Joined) -> None:
    """One match per watch and listing, whoever comes first; only what this recording made is told of."""
    drafts.sort(key=lambda match: (match.listing_id, match.watch_id))
    for start in range(0, len(drafts), SAVED_AT_ONCE):
        some = drafts[start : start + SAVED_AT_ONCE]
        Match.objects.bulk_create(some, ignore_conflicts=True)
        _told([draft.public_id for draft in some], joined)


def _told(public_ids: list[str], joined: Joined) -> None:
    made = Match.objects.filter(public_id__in=public_ids, silent=False)
    for pk, trace, listing_id, marketplace in made.values_list("pk", "trace", "listing_id", "listing__marketplace"):
        joined.matched[trace] += 1
        joined.announced.append(pk)
        if follow.can_look(marketplace):
            joined.listings.add(listing_id)
