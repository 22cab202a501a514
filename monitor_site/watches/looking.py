"""What follows from looks: what is gone is removed, and every listing is given its next time. In the recording
transaction, under the lock of the targets.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from monitor_site.contract import ListingGone

from . import follow
from .doubts import close_gone
from .facts import OVER
from .looks import GONE_AGAIN, after_failure
from .models import Listing, Target
from .pages import currency_of
from .results import Result, asked_rest
from .sightings import Look, remove

# One wrong answer, or two of one bad moment, remove no listing.
GONE_TIMES = 2
GONE_APART = timedelta(seconds=30)


def look_of(target: Target, result: Result) -> Look:
    """The answer of a look."""
    return Look(
        marketplace=target.marketplace,
        currency=currency_of(target.marketplace),
        trace=result.trace,
        at=result.started_at,
        sightings=result.sightings,
        closer=True,
        asked=target.criteria,
    )


def says_gone_again(target: Target, result: Result) -> bool:
    """Whether this answer that the listing is gone counts: one that comes right after the first says the same."""
    if result.error != ListingGone.code:
        return False
    return not target.empty_streak or target.checked_at is None or result.started_at >= target.checked_at + GONE_APART


def conclude(results: Sequence[Result], targets: Mapping[int, Target], *, now: datetime) -> set[int]:
    """Draw the conclusions of counted results; returns the listings that were removed."""
    looks = {result.target_id: targets[result.target_id] for result in results}
    listings = Listing.objects.in_bulk([target.listing_id for target in looks.values()])
    matched, doubted, removed = follow.matched_at(listings), follow.doubted(listings), set()
    close_gone({looks[r.target_id].listing_id for r in results if _is_gone(looks[r.target_id], r)}, now=now)
    for result in results:
        target = looks[result.target_id]
        listing = listings[target.listing_id]
        if _is_gone(target, result) and remove(listing=listing, at=result.started_at, trace=result.trace):
            removed.add(listing.pk)
        due_at = _next(target, result, listing, matched.get(listing.pk), now)
        if due_at is None and _asks_again(target, result, listing.pk in doubted):
            due_at = now + after_failure(target.failures)
        follow.schedule(target, due_at=due_at, now=now)
    return removed


def _asks_again(target: Target, result: Result, doubted: bool) -> bool:
    """A look that failed leaves its doubts open."""
    return doubted and result.failed and not _is_gone(target, result) and follow.can_look(target.marketplace)


def _is_gone(target: Target, result: Result) -> bool:
    return result.error == ListingGone.code and target.empty_streak >= GONE_TIMES


def _next(target: Target, result: Result, listing: Listing, matched: datetime | None, now: datetime) -> datetime | None:
    """The next look. What was given up meanwhile stays so; for a person alone a listing is looked at once."""
    if not target.active or not follow.can_look(target.marketplace) or listing.status in OVER:
        return None
    if result.error == ListingGone.code and not _is_gone(target, result):
        return now + GONE_AGAIN
    if matched is None:
        return None
    planned = follow.plan(target, listing, matched=matched, now=now)
    if planned is None or not result.failed:
        return planned
    return now + max(after_failure(target.failures), asked_rest(result))
