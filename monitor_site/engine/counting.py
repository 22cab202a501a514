"""What checks did, in numbers: counted in the worker, handed to Redis every three seconds, read by who shows figures.

Redis keeps three sorts of hashes with the same fields: since ever, by minute, by hour. A field is ``kind|...|``: see
:func:`count`. All of it may be lost; then counting begins anew.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

import redis.asyncio

from monitor_site.connections import key
from monitor_site.contract import ListingGone
from monitor_site.watches.models import Outcome, Target, TargetKind
from monitor_site.watches.results import Result

from .flight import Landed

# Upper bounds in milliseconds; the last bucket has none.
BOUNDS_MS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000)
MINUTES_KEPT, HOURS_KEPT = 90, 26
# Classes of searches by their interval in seconds.
FAST, NORMAL = 60, 600
# A listing that is no longer there is an answer like another: no failure of the marketplace.
GONE = "gone"


def totals_key() -> str:
    """Counts since Redis began."""
    return key("counts")


def minute_key(minute: int) -> str:
    """Counts of a minute since the epoch."""
    return key("counts", "m", minute)


def hour_key(hour: int) -> str:
    """Counts of an hour since the epoch."""
    return key("counts", "h", hour)


def class_of(interval_seconds: int) -> str:
    """How much a search hurries."""
    if interval_seconds < FAST:
        return "fast"
    return "normal" if interval_seconds <= NORMAL else "relaxed"


class Counts:
    """What one worker has counted and not handed in yet."""

    def __init__(self) -> None:
        self._pending: Counter[str] = Counter()

    def count(self, landed: Iterable[Landed]) -> None:
        """Count checks that are over."""
        for one in landed:
            if one.result is not None and one.target is not None:
                self._pending.update(fields_of(one.result, one.target))

    async def hand_in(self, client: redis.asyncio.Redis, *, now: float) -> None:
        """Add them to the hashes, at server time ``now``. What does not arrive is lost: these are figures, no facts."""
        pending, self._pending = self._pending, Counter()
        if pending:
            await _add(client, pending, now)


async def _add(client: redis.asyncio.Redis, pending: Counter[str], now: float) -> None:
    minute, hour = minute_key(int(now // 60)), hour_key(int(now // 3600))
    async with client.pipeline(transaction=True) as pipe:
        for name in (totals_key(), minute, hour):
            for field, count in pending.items():
                pipe.hincrby(name, field, count)
        pipe.expire(minute, MINUTES_KEPT * 60)
        pipe.expire(hour, HOURS_KEPT * 3600)
        await pipe.execute()


def fields_of(result: Result, target: Target) -> Counter[str]:
    """The fields that one check adds to.

    ``checks|marketplace|kind|outcome``; ``error|marketplace|code``; ``took|marketplace|bucket`` and ``took_ms``; of
    searches ``late|class|bucket`` and ``late_ms|class``.
    """
    took = max(0, int((result.finished_at - result.started_at).total_seconds() * 1000))
    fields = Counter({f"checks|{target.marketplace}|{target.kind}|{_outcome(result)}": 1})
    fields.update(_spread("took", target.marketplace, took))
    if result.failed and _outcome(result) != GONE:
        fields[f"error|{target.marketplace}|{result.error}"] += 1
    if target.kind == TargetKind.SEARCH:
        fields.update(_spread("late", class_of(target.interval_seconds), max(0, result.lateness_ms)))
    return fields


def _spread(kind: str, name: str, ms: int) -> dict[str, int]:
    return {f"{kind}|{name}|{bisect_left(BOUNDS_MS, ms)}": 1, f"{kind}_ms|{name}": ms}


def _outcome(result: Result) -> str:
    if result.error == ListingGone.code:
        return GONE
    if result.failed:
        return Outcome.FAILED.value
    return Outcome.OK.value if result.sightings else Outcome.EMPTY.value
