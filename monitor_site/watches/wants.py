"""Who wants a listing looked at: matches that were told, doubts, and the watches of that very listing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Max, QuerySet

from .looks import Watching
from .models import Doubt, Listing, Match, MatchState, Target, WatchTarget
from .wished_times import trigger_of_watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Wants:
    """What there is to look at one listing for; ``listing`` is ``None`` while nobody knows whether there is one.

    ``matched`` is when it met a watch last, ``None`` when nobody wants it for that.
    """

    listing: Listing | None
    matched: datetime | None
    doubted: bool
    watching: Sequence[Watching]


def wanted() -> QuerySet[Match]:
    """The matches that make their listing be followed: told, and not put aside."""
    return Match.objects.filter(silent=False).exclude(state=MatchState.IGNORED)


def matched_at(listing_ids: Iterable[int]) -> dict[int, datetime]:
    """When each of these listings met a watch last; those nobody wants any more are missing."""
    matches = wanted().filter(listing_id__in=list(listing_ids)).order_by()
    return dict(matches.values_list("listing_id").annotate(last=Max("matched_at")))


def doubted(listing_ids: Iterable[int]) -> set[int]:
    """Those of these listings whose look some watch waits for."""
    asked = Doubt.objects.asked().filter(listing_id__in=list(listing_ids), watch__paused_at=None)
    return set(asked.values_list("listing_id", flat=True))


def watching(target_ids: Iterable[int]) -> dict[int, list[Watching]]:
    """How the watches of these very listings want them looked at, by look."""
    links = WatchTarget.objects.filter(target_id__in=list(target_ids), watch__paused_at=None)
    found: dict[int, list[Watching]] = defaultdict(list)
    for link in links.select_related("watch__user").annotate(key=F("target__key")):
        found[link.target_id].append(_watching(link))
    return found


def _watching(link: Any) -> Watching:
    trigger, minutes = trigger_of_watch(link.watch), link.watch.ends_within_minutes
    return Watching(
        interval=timedelta(seconds=link.watch.interval_seconds),
        times=None if trigger.is_plain else trigger,
        key=link.key,
        ends_within=timedelta(minutes=minutes) if minutes else None,
        back=link.watch.back_on_sale,
        waiting=link.baselined_at is None,
    )


def wants_of(looks: Sequence[Target]) -> dict[int, Wants]:
    """Who wants these looks, by look; four queries, however many there are, and none for none."""
    if not looks:
        return {}
    listings = Listing.objects.in_bulk({look.listing_id for look in looks if look.listing_id is not None})
    matched, asked, watches = matched_at(listings), doubted(listings), watching(look.pk for look in looks)
    return {
        look.pk: Wants(
            listing=listings.get(look.listing_id or 0),
            matched=matched.get(look.listing_id or 0),
            doubted=look.listing_id in asked,
            watching=watches.get(look.pk, ()),
        )
        for look in looks
    }
