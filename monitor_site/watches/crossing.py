"""What a look tells the watches of its listing: what crossed is written, told once, and comes to the top of the feed.

In the recording transaction. Only good looks get here: one that failed raises nothing and is no base for the next one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from monitor_site.contract import Status
from monitor_site.outbox import services as outbox

from . import follow
from .damping import COOL_DOWN, news
from .facts import amount_of
from .joining import Joined
from .models import Cause, Crossing, CrossingKind, Listing, Match, MatchState, PricePoint, Target, Watch, WatchTarget
from .models.watches import LONGEST_WATCH_NAME
from .results import Result
from .sightings import Seen
from .triggers import KIND_OF, Evaluation, Memory, State, begin, evaluate, from_plain, to_plain, triggers_of

TOPIC = "crossing"
# More changes of a price than this in the days of a wish, and nothing is said of its lowest.
MOST_POINTS = 2000
MEASURED_KINDS = (CrossingKind.FALL, CrossingKind.RISE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one look told of its listing, as it stands now."""

    one: Seen
    look: Result
    listing: Listing

    @property
    def price(self) -> int | None:
        """The price that this very look saw."""
        return amount_of(self.one.sighting.price)


def cross(
    looks: Sequence[Result],
    targets: Mapping[int, Target],
    seen: Mapping[str, Mapping[str, Seen]],
    joined: Joined,
    *,
    now: datetime,
) -> None:
    """See what these good looks mean to the watches of their listings; in ``joined`` what follows from it."""
    found = {look.target_id: one for look in looks if (one := _of(look, targets, seen))}
    links = _links(found)
    if not links:
        return
    listings = Listing.objects.in_bulk({found[link.target_id].listing_id for link in links})
    looks_by_target = {look.target_id: look for look in looks}
    told = {
        pk: Told(one=one, look=looks_by_target[pk], listing=listings[one.listing_id])
        for pk, one in found.items()
        if one.listing_id in listings
    }
    matches = _matches(links, told, now)
    crossings = [_settle(link, told[link.target_id], matches, now=now) for link in links]
    _tell([one for one in crossings if one is not None], joined, now)


def _of(look: Result, targets: Mapping[int, Target], seen: Mapping[str, Mapping[str, Seen]]) -> Seen | None:
    return seen.get(look.trace, {}).get(targets[look.target_id].criteria)


def _links(target_ids: Mapping[int, Seen]) -> list[WatchTarget]:
    """The watches that want to know, held in one order for everybody."""
    if not target_ids:
        return []
    wanting = WatchTarget.objects.filter(target_id__in=list(target_ids), watch__paused_at=None)
    return list(wanting.select_related("watch").order_by("pk").select_for_update(of=("self",), no_key=True))


def _matches(links: Sequence[WatchTarget], told: Mapping[int, Told], now: datetime) -> dict[tuple[int, int], Match]:
    """The match of each watch with its listing; the first look makes it, silently."""
    pairs = {"watch_id__in": [link.watch_id for link in links], "listing_id__in": {o.listing.pk for o in told.values()}}
    known = {(row.watch_id, row.listing_id): row for row in Match.objects.filter(**pairs)}
    new = [_draft(link.watch, told[link.target_id], now) for link in links]
    new = [draft for draft in new if (draft.watch_id, draft.listing_id) not in known]
    if not new:
        return known
    Match.objects.bulk_create(new, ignore_conflicts=True)
    return {(row.watch_id, row.listing_id): row for row in Match.objects.filter(**pairs)}


def _draft(watch: Watch, told: Told, now: datetime) -> Match:
    return Match(
        user_id=watch.user_id,
        watch=watch,
        listing=told.listing,
        cause=Cause.EXISTING,
        silent=True,
        price=told.price,
        trace=told.look.trace,
        matched_at=now,
    )


def _settle(
    link: WatchTarget, told: Told, matches: Mapping[tuple[int, int], Match], *, now: datetime
) -> Crossing | None:
    """What this look means to one watch; the crossing, if it is to be told."""
    if told.listing.looked_at != told.look.started_at:
        return None  # a newer answer is known already
    memory, first = from_plain(link.memory), link.baselined_at is None
    found = _evaluation(link, told, memory, first=first)
    match = matches[link.watch_id, told.listing.pk]
    match.listing = told.listing
    crossing = None if first and link.quiet else _crossing(match, found, memory, told)
    _remember(link, found.memory, now)
    _call_by_its_title(link.watch, told.listing)
    verdicts = list(found.verdicts)
    if crossing is None:
        if match.silent and (match.decision, match.price) != (verdicts, told.price):
            Match.objects.filter(pk=match.pk, silent=True).update(decision=verdicts, price=told.price)
        return None
    speaking = [one for one in verdicts if KIND_OF[one["rule"]] in crossing.kinds and one["rule"] in found.crossed]
    verdicts = [*speaking, *(one for one in verdicts if one not in speaking)]
    return _raise(crossing, match, verdicts, told, now)


def _evaluation(link: WatchTarget, told: Told, memory: Memory, *, first: bool) -> Evaluation:
    triggers, state = triggers_of(link.watch), _state(link.watch, told)
    return begin(triggers, state) if first else evaluate(triggers, memory, state)


def _state(watch: Watch, told: Told) -> State:
    status = told.one.sighting.status
    return State(
        at=told.look.started_at,
        price=told.price,
        on_sale=None if status is Status.UNKNOWN else status is Status.ON_SALE,
        ends_at=told.listing.ends_at,
        low=lowest_before(told.listing, price=told.price, days=watch.lowest_days, at=told.look.started_at),
    )


def lowest_before(listing: Listing, *, price: int | None, days: int | None, at: datetime) -> int | None:
    """The lowest price in so many days before it came to ``price``; ``None`` while prices are known for fewer days."""
    if not days or price is None:
        return None
    since, low = at - timedelta(days=days), None
    points = PricePoint.objects.filter(listing=listing, at__lte=at).order_by("-at")
    for moment, figure in points.values_list("at", "price")[:MOST_POINTS]:
        if low is not None or figure != price:
            low = figure if low is None else min(low, figure)
        if moment <= since:
            return low
    return None


def _crossing(match: Match, found: Evaluation, memory: Memory, told: Told) -> Crossing | None:
    """A row that is not saved yet; nothing when nothing crossed that says more than what was told lately."""
    if not found.kinds:
        return None
    at = told.look.started_at
    lately = Crossing.objects.filter(match=match, at__gt=at - COOL_DOWN, at__lte=at)
    kinds = news(found.kinds, price=told.price, told=lately)
    if not kinds:
        return None
    before = memory.base if kinds[0] in MEASURED_KINDS else memory.price
    return Crossing(
        match=match, kind=kinds[0], kinds=kinds, at=at, price=told.price, before=before, trace=told.look.trace
    )


def _remember(link: WatchTarget, memory: Memory, now: datetime) -> None:
    """Most looks bring nothing new, and write nothing."""
    kept = to_plain(memory)
    if link.baselined_at is None or kept != link.memory:
        WatchTarget.objects.filter(pk=link.pk).update(memory=kept, baselined_at=link.baselined_at or now)


def _call_by_its_title(watch: Watch, listing: Listing) -> None:
    """A watch that nobody named is called after its listing, once that is known; one that somebody changes just now

    at a later look: they hold it and wait for its target, which is held here.
    """
    title = " ".join(listing.title.split())[:LONGEST_WATCH_NAME].strip()
    if watch.name != watch.external_id or not title:
        return
    unnamed = Watch.objects.filter(pk=watch.pk, name=watch.external_id)
    if connection.features.has_select_for_update_skip_locked:
        unnamed = unnamed.select_for_update(skip_locked=True, no_key=True)
    Watch.objects.filter(pk__in=list(unnamed.values_list("pk", flat=True))).update(name=title)


def _raise(crossing: Crossing, match: Match, verdicts: list[Any], told: Told, now: datetime) -> Crossing | None:
    """Write it and show it; what the person has put aside stays there, and is told to nobody."""
    crossing.save()
    shown = Match.objects.filter(pk=match.pk).exclude(state=MatchState.IGNORED)
    facts = {"price": told.price, "decision": verdicts, "trace": told.look.trace, "matched_at": now}
    return crossing if shown.update(cause=Cause.CROSSED, silent=False, state=MatchState.NEW, **facts) else None


def _tell(crossings: Sequence[Crossing], joined: Joined, now: datetime) -> None:
    for crossing in crossings:
        joined.matched[crossing.trace] += 1
        if follow.can_look(crossing.match.listing.marketplace):
            joined.listings.add(crossing.match.listing_id)
    outbox.write(topic=TOPIC, object_ids=[crossing.pk for crossing in crossings], now=now)
