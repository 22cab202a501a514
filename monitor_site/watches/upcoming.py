"""When the questions of a watch are asked next, and how late they were: for its page about the schedule."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from django.db.models import Max, QuerySet

from .asked import has_a_time, next_of
from .follow import watched_next
from .models import Check, Target, Watch
from .wants import wants_of
from .wished_times import next_due

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """How late the checks of a day began, in ms: half of them at most ``median``, 95 in 100 at most ``p95``."""

    count: int
    median: int
    p95: int
    most: int


def upcoming(
    watch: Watch, targets: Iterable[Target], *, now: datetime, count: int, closed: Mapping[str, datetime]
) -> list[tuple[datetime, Target]]:
    """The next times of all questions of a watch as they stand now; one that backs off names none.

    ``closed`` are marketplaces that are not asked before a moment.
    """
    if watch.paused_at:
        return []
    asked = [target for target in targets if has_a_time(target)]
    begins = [max(now, closed.get(target.marketplace, now)) for target in asked]
    ways = [[(at, index) for at in islice(_times(asked[index], begin), count)] for index, begin in enumerate(begins)]
    return [(at, asked[index]) for at, index in islice(heapq.merge(*ways), count)]


def _times(target: Target, begin: datetime) -> Iterator[datetime]:
    after, at = _looks(target) if target.is_look else _beats(target), max(begin, next_of(target, begin))
    while True:
        yield at
        if (later := after(at)) is None:
            return
        at = later


def _looks(target: Target) -> Callable[[datetime], datetime | None]:
    """As its watches want it looked at, once the first look is over."""
    found = wants_of([target])[target.pk]
    wants = replace(found, watching=[replace(one, waiting=False) for one in found.watching])
    return lambda last: watched_next(target, wants, now=last, last=last)


def _beats(target: Target) -> Callable[[datetime], datetime | None]:
    if not target.times:
        return lambda last: last + timedelta(seconds=target.every_seconds)

    def after(last: datetime) -> datetime:
        ms = round(last.timestamp() * 1000)
        return next_due(target, after_ms=ms, served_ms=ms)

    return after


def lateness_of(watch: Watch, *, now: datetime) -> Lateness | None:
    """Of the last 24 hours, since the watch began; ``None`` when there was no check."""
    runs = _runs(watch, now)
    found = runs.aggregate(most=Max("lateness_ms"))
    if not (count := runs.count()):
        return None
    ordered = runs.order_by("lateness_ms").values_list("lateness_ms", flat=True)
    median, p95 = (max(0, ordered[min(count - 1, int(count * share))]) for share in (0.5, 0.95))
    return Lateness(count=count, median=median, p95=p95, most=max(0, found["most"]))


def _runs(watch: Watch, now: datetime) -> QuerySet[Check]:
    asked = watch.links.values_list("target_id", flat=True)
    return Check.objects.filter(target__in=list(asked), started_at__gte=max(watch.created_at, now - DAY))
