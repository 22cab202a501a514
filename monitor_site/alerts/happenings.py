"""What matches and listings give to tell of."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from monitor_site.watches.models import Cause, Crossing, EventKind, ListingEvent, Match
from monitor_site.watches.wants import wanted

from .models import AlertKind
from .telling import Draft, publish

# What is older was told of, or is no news any more.
NEWS = timedelta(days=1)
KINDS = {
    EventKind.PRICE_DROP: AlertKind.PRICE_DROP,
    EventKind.PRICE_RISE: AlertKind.PRICE_RISE,
    EventKind.BACK: AlertKind.BACK,
    EventKind.SOLD: AlertKind.SOLD,
    EventKind.ENDED: AlertKind.SOLD,
    EventKind.STOPPED: AlertKind.SOLD,
    EventKind.REMOVED: AlertKind.SOLD,
}


def tell_of_matches(*, match_ids: Collection[int], now: datetime) -> None:
    """A listing met watches: one alert for a person and a listing, whichever of their watches it met."""
    drafts: dict[tuple[int, int], Draft] = {}
    told = wanted().filter(pk__in=match_ids).exclude(cause=Cause.CROSSED)
    for match in _awake(told.select_related("watch").order_by("pk"), now):
        draft = drafts.setdefault((match.user_id, match.listing_id), _of_match(match))
        draft.matches[match.pk] = match.watch_id
    publish(list(drafts.values()), now=now)


def _awake(matches: Iterable[Match], now: datetime) -> list[Match]:
    """Without those of muted watches and those that sleep."""
    return [
        match
        for match in matches
        if not match.watch.is_muted(now=now) and (match.snoozed_until is None or match.snoozed_until <= now)
    ]


def _of_match(match: Match) -> Draft:
    return Draft(
        user_id=match.user_id,
        kind=AlertKind.MATCH,
        key=f"match:{match.listing_id}",
        listing_id=match.listing_id,
        facts={"price": match.price, "cause": match.cause},
        trace=match.trace,
    )


def tell_of_changes(*, listing_ids: Collection[int], now: datetime) -> None:
    """Something happened to matched listings: one alert for a person and an event."""
    events = ListingEvent.objects.filter(
        listing__in=listing_ids, kind__in=list(KINDS), damped=False, at__gt=now - NEWS, at__lte=now
    )
    matches = _awake(wanted().filter(listing__in=listing_ids).select_related("watch").order_by("pk"), now)
    by_listing: dict[int, list[Match]] = {}
    for match in matches:
        by_listing.setdefault(match.listing_id, []).append(match)
    drafts: dict[tuple[int, int], Draft] = {}
    for event in events.order_by("pk"):
        for match in by_listing.get(event.listing_id, ()):
            _note(drafts, event, match)
    publish(list(drafts.values()), now=now)


def _note(drafts: dict[tuple[int, int], Draft], event: ListingEvent, match: Match) -> None:
    """What happened before the match is part of why it matched; a price watch tells of what it was asked to."""
    asked = not match.watch.is_of_listing or KINDS[EventKind(event.kind)] == AlertKind.SOLD
    if asked and event.at > match.matched_at:
        draft = drafts.setdefault((match.user_id, event.pk), _of_event(event, match.user_id))
        draft.matches[match.pk] = match.watch_id


def _of_event(event: ListingEvent, user_id: int) -> Draft:
    return Draft(
        user_id=user_id,
        kind=KINDS[EventKind(event.kind)],
        key=f"event:{event.pk}",
        listing_id=event.listing_id,
        facts={"before": event.before, "price": event.after, "event": event.kind},
        trace=event.trace,
    )


def tell_of_crossings(*, crossing_ids: Collection[int], now: datetime) -> None:
    """What price watches were asked to tell of: one alert for each crossing."""
    crossings = Crossing.objects.filter(pk__in=crossing_ids, match__in=wanted())
    rows = crossings.select_related("match__watch").order_by("pk")
    awake = {match.pk for match in _awake([row.match for row in rows], now)}
    publish([_of_crossing(row) for row in rows if row.match_id in awake], now=now)


def _of_crossing(crossing: Crossing) -> Draft:
    match = crossing.match
    return Draft(
        user_id=match.user_id,
        kind=AlertKind.CROSSING,
        key=f"crossing:{crossing.pk}",
        listing_id=match.listing_id,
        matches={match.pk: match.watch_id},
        facts={"before": crossing.before, "price": crossing.price, "event": crossing.kind},
        trace=crossing.trace,
    )
