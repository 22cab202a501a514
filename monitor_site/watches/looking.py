"""What follows from looks: what is gone is removed, and every listing is given its next time. In the recording
transaction, under the lock of the targets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from monitor_site.contract import ListingGone

from . import follow
from .doubts import close_gone
from .facts import OVER
from .looks import GONE_AGAIN, GONE_APART, GONE_TIMES, after_failure
from .models import Listing, Target
from .pages import currency_of
from .results import Result, asked_rest
from .sightings import Look, Seen, remove
from .wants import Wants, wants_of


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


def adopt(looks: Sequence[Result], targets: Mapping[int, Target], seen: Mapping[str, Mapping[str, Seen]]) -> None:
    """The first good answer about a number that nobody had seen makes its listing: the look is one at that from now."""
    for look in looks:
        target = targets[look.target_id]
        one = seen.get(look.trace, {}).get(target.criteria)
        if target.listing_id is None and one is not None:
            Target.objects.filter(pk=target.pk).update(listing=one.listing_id)
            target.listing_id = one.listing_id


def conclude(results: Sequence[Result], targets: Mapping[int, Target], *, now: datetime) -> set[int]:
    """Draw the conclusions of counted results; returns the listings that were removed."""
    looks = [targets[result.target_id] for result in results]
    wants, removed = wants_of(looks), set()
    close_gone({targets[r.target_id].listing_id for r in results if _is_gone(targets[r.target_id], r)}, now=now)
    for result in results:
        target = targets[result.target_id]
        want = wants[target.pk]
        gone = want.listing is not None and _is_gone(target, result)
        if gone and want.listing and remove(listing=want.listing, at=result.started_at, trace=result.trace):
            removed.add(want.listing.pk)
        due_at = _next(target, result, want, now)
        if due_at is None and _asks_again(target, result, want.doubted):
            due_at = now + after_failure(target.failures)
        follow.schedule(target, due_at=due_at, now=now)
    return removed


def _asks_again(target: Target, result: Result, doubted: bool) -> bool:
    """A look that failed leaves its doubts open."""
    return doubted and result.failed and not _is_gone(target, result) and follow.can_look(target.marketplace)


def _is_gone(target: Target, result: Result) -> bool:
    return result.error == ListingGone.code and target.empty_streak >= GONE_TIMES


def _next(target: Target, result: Result, want: Wants, now: datetime) -> datetime | None:
    """The next look. What was given up meanwhile stays so; for a person alone a listing is looked at once."""
    if not target.active or not follow.can_look(target.marketplace):
        return None
    if result.error == ListingGone.code and not _is_gone(target, result) and not _is_over(want.listing):
        return now + GONE_AGAIN
    times = [_followed(target, want, now), _watched(target, want, now)]
    planned = min((at for at in times if at is not None), default=None)
    if planned is None or not result.failed:
        return planned
    return max(
        planned if _is_gone(target, result) else now, now + max(after_failure(target.failures), asked_rest(result))
    )


def _is_over(listing: Listing | None) -> bool:
    return listing is not None and listing.status in OVER


def _followed(target: Target, want: Wants, now: datetime) -> datetime | None:
    if want.listing is None or want.matched is None or _is_over(want.listing):
        return None
    return follow.plan(target, want.listing, matched=want.matched, now=now)


def _watched(target: Target, want: Wants, now: datetime) -> datetime | None:
    """A look that failed leaves a watch waiting for its first one; it does not hurry for that."""
    waiting = [replace(one, waiting=False) for one in want.watching]
    return follow.watched_next(target, replace(want, watching=waiting), now=now, last=now)
