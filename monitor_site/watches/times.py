"""When a question is due that an interval alone does not tell: hours, weekdays, cron, a little irregularity. Pure.

Hours, weekdays and cron are all on one clock, that of the person. A day is the one on which its hours begin. Where a
clock is put forward, what was to be in the lost hour comes right after it; where it is put back, beats go on.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import croniter

from .beat import next_beat, phase_ms

JITTER = 0.1
NAMES = "mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
COLUMN = re.compile(rf"[0-9*/,-]+|(?:{NAMES})(?:[,-](?:{NAMES}))*")
COLUMN_COUNT = 5
GAPS_LOOKED_AT = 100
A_WEEK = 8
MOST_STEPS = 1000
FAR_MS = 366 * 24 * 3600 * 1000
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """When one watch asks: ``every`` so many seconds, or by ``cron``, of which ``every`` is the shortest gap.

    ``start`` and ``end`` are minutes of the day in ``zone``, ``days`` its weekdays from 0 for Monday, none means all.
    """

    every: int
    zone: str = "UTC"
    start: int | None = None
    end: int | None = None
    days: tuple[int, ...] = ()
    cron: str = ""
    jitter: bool = False

    @property
    def is_plain(self) -> bool:
        """The grid of its interval says it all."""
        return not (self.has_hours or self.cron or self.jitter)

    @property
    def has_hours(self) -> bool:
        """It does not ask at every time."""
        return self.start is not None or bool(self.days)

    def at_zone(self, zone: str) -> "Trigger":
        """The same on another clock."""
        return replace(self, zone=zone)

    def told(self) -> dict[str, Any]:
        """As plain JSON, without what is at its default."""
        plain = {spec.name: spec.default for spec in fields(self)}
        return {name: value for name, value in asdict(self).items() if value != plain[name]}


def trigger_of(told: Mapping[str, Any]) -> Trigger:
    """What :meth:`Trigger.told` wrote."""
    values: dict[str, Any] = dict(told)
    return Trigger(**values | {"days": tuple(told.get("days", ()))})


def is_open(trigger: Trigger, moment_ms: int) -> bool:
    """Whether its hours and days allow a moment."""
    if not trigger.has_hours:
        return True
    start, end = _hours_at(trigger, moment_ms)
    return start <= moment_ms < end


def worth_telling(triggers: Iterable[Trigger]) -> list[dict[str, Any]]:
    """The triggers of a question as plain JSON; none where the grid of the shortest interval serves all of them."""
    every = set(triggers)
    plain = min((one.every for one in every if one.is_plain), default=None)
    needed = [one for one in every if not one.is_plain and (plain is None or one.every < plain)]
    if plain is not None and needed:
        needed.append(Trigger(every=plain))
    return sorted((one.told() for one in needed), key=repr)


def next_time(
    times: Sequence[Mapping[str, Any]], *, key: str, after_ms: int, stretch: float = 1.0, served_ms: int | None = None
) -> int:
    """The first moment after ``after_ms`` at which one of these triggers is due, in epoch milliseconds.

    ``stretch`` is how much longer than wished the intervals are; cron leaves out what comes too soon after
    ``served_ms``.
    """
    return min(_next(trigger_of(told), key, after_ms, stretch, served_ms) for told in times)


def _next(trigger: Trigger, key: str, after_ms: int, stretch: float, served_ms: int | None) -> int:
    every = max(1, round(trigger.every * stretch))
    if not trigger.cron:
        return _within_hours(trigger, key, after_ms, lambda after: _beat(key, every, after, jitter=trigger.jitter))
    rest = 0 if served_ms is None else served_ms + max(0, every - trigger.every) * 1000
    return _within_hours(trigger, key, max(after_ms, rest), lambda after: _by_cron(trigger, after))


def _beat(key: str, every: int, after_ms: int, *, jitter: bool) -> int:
    """The next beat of the grid; with ``jitter`` each is moved by up to a tenth, the grid itself never."""
    phase, interval = phase_ms(key, every), every * 1000
    if not jitter:
        return next_beat(phase=phase, interval_seconds=every, after_ms=after_ms)
    number = (after_ms - phase) // interval - 1
    while (due := phase + number * interval + _shift(key, number, interval)) <= after_ms:
        number += 1
    return due


def _shift(key: str, number: int, interval: int) -> int:
    drawn = int(hashlib.sha256(f"{key}:{number}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    return round((2 * drawn - 1) * JITTER * interval)


def _by_cron(trigger: Trigger, after_ms: int) -> int:
    local = datetime.fromtimestamp(after_ms / 1000, tz=_clock(trigger.zone))
    return round(next(_times_of(trigger.cron, local)) * 1000)


def _times_of(cron: str, after: datetime) -> Iterator[float]:
    """The times of a cron expression on the clock of a moment, in epoch seconds."""
    found: Any = croniter(cron, after)
    while True:
        yield found.get_next(float)


def _within_hours(trigger: Trigger, key: str, after_ms: int, step: Callable[[int], int]) -> int:
    """The first of these steps that lies within the hours; of hours between two beats, a place of its own in them."""
    if not trigger.has_hours:
        return step(after_ms)
    after = after_ms
    for _ in range(MOST_STEPS):
        due = step(after)
        start, end = _hours_at(trigger, due if trigger.cron else after + 1)
        if start <= due < end:
            return due
        lone = start + int(key[:12], 16) % (end - start)
        if not trigger.cron and lone > after_ms and step(start - 1) >= end:
            return lone
        after = start - 1 if after < start - 1 else end - 1
    return after_ms + FAR_MS


def _hours_at(trigger: Trigger, moment_ms: int) -> tuple[int, int]:
    """From when to when the hours last that a moment lies in, or else the next ones after it."""
    zone = _clock(trigger.zone)
    today = datetime.fromtimestamp(moment_ms / 1000, tz=zone).date()
    days = (today + timedelta(days=count) for count in range(-1, A_WEEK + 1))
    hours = (_hours_of(trigger, day, zone) for day in days if not trigger.days or day.weekday() in trigger.days)
    return next((start, end) for start, end in hours if end > moment_ms)


def _hours_of(trigger: Trigger, day: date, zone: ZoneInfo) -> tuple[int, int]:
    start, end = trigger.start or 0, trigger.end or 0
    return _ms(day, start, zone), _ms(day + timedelta(days=end <= start), end, zone)


def _clock(name: str) -> ZoneInfo:
    """A time zone; UTC for a name that this machine does not know, so that a question is asked all the same."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def _ms(day: date, minute: int, zone: ZoneInfo) -> int:
    return round(datetime.combine(day, time(minute // 60, minute % 60), tzinfo=zone).timestamp() * 1000)


def is_cron(text: str) -> bool:
    """Whether these are five columns that mean some time to come."""
    columns = text.lower().split()
    if len(columns) != COLUMN_COUNT or not all(map(COLUMN.fullmatch, columns)):
        return False
    try:
        next(_times_of(text, SOME_DAY))
    except (ValueError, KeyError):
        return False
    return True


def shortest_gap(cron: str) -> int:
    """The seconds between the two nearest times of a cron expression."""
    times = islice(_times_of(cron, SOME_DAY), GAPS_LOOKED_AT)
    return round(min(later - sooner for sooner, later in pairwise(times)))
