"""When and how often the questions of a watch are asked, as pages tell it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from .beat import next_beat, phase_ms
from .models import Target, Watch
from .plan import Because, Planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """When a watch was checked last, when it is next, and how long that wait is in all, in seconds."""

    checked_at: datetime | None
    next_at: datetime | None
    every: int


def beat_of(watch: Watch, targets: Iterable[Target], *, now: datetime) -> Beat:
    """The latest check and the next one over all questions of a watch; one that backs off names no time."""
    asked = list(targets)
    checked = max((target.checked_at for target in asked if target.checked_at), default=None)
    planned = [(next_of(target, now), target) for target in asked if has_a_time(target)]
    if watch.paused_at or not planned:
        return Beat(checked_at=checked, next_at=None, every=watch.interval_seconds)
    next_at, target = min(planned, key=lambda pair: pair[0])
    return Beat(checked_at=checked, next_at=next_at, every=target.every_seconds)


def has_a_time(target: Target) -> bool:
    """One that fails again and again backs off, by how much only the schedule knows."""
    return target.active and target.quarantined_at is None and target.failures < 2


def next_of(target: Target, now: datetime) -> datetime:
    """When a target that has a time is asked next."""
    if target.due_at is not None:
        return target.due_at
    phase = phase_ms(target.key, target.every_seconds)
    after = int(now.timestamp() * 1000)
    due = next_beat(phase=phase, interval_seconds=target.every_seconds, after_ms=after)
    return datetime.fromtimestamp(due / 1000, tz=UTC)


def intervals(targets: Iterable[Target]) -> dict[str, int]:
    """The shortest interval at each marketplace, in seconds."""
    slowest_first = sorted(targets, key=lambda target: (target.marketplace, -target.every_seconds))
    return {target.marketplace: target.every_seconds for target in slowest_first}


def planned_otherwise(targets: Iterable[Target]) -> dict[str, Planned]:
    """The slowest at each marketplace of those whose plan differs from their wish."""
    fastest_first = sorted(targets, key=lambda target: (target.marketplace, target.every_seconds))
    return {
        target.marketplace: Planned(seconds=target.every_seconds, because=Because(target.planned_because))
        for target in fastest_first
        if target.active and target.planned_because
    }
