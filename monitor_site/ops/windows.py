"""What checks did in a stretch of time, as the workers counted it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import redis

from monitor_site.engine.counting import BOUNDS_MS, HOURS_KEPT, hour_key, minute_key, totals_key

MINUTES, HOURS = 60, 3600
# What a person may choose, in minutes.
WINDOWS = (15, 60, 24 * 60)


@dataclass(slots=True)
class Spread:
    """How often something took how long: counts by bucket of ``BOUNDS_MS``, and the sum of it all."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_MS) + 1))
    sum_ms: int = 0

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(self.counts)

    def quantile(self, share: float) -> float | None:
        """The value below which that share lies, in milliseconds, straight within a bucket; ``None`` of nothing.

        What lies beyond the last bound is told as that bound: nobody knows how far it goes.
        """
        rank, below = share * self.total, 0
        for index, count in enumerate(self.counts):
            if count and below + count >= rank:
                return self._within(index, (rank - below) / count)
            below += count
        return None

    def _within(self, index: int, share: float) -> float:
        low = BOUNDS_MS[index - 1] if index else 0
        high = BOUNDS_MS[index] if index < len(BOUNDS_MS) else low
        return low + share * (high - low)

    def at_most(self, ms: int) -> int:
        """How many took no longer than one of the bounds."""
        return sum(self.counts[: BOUNDS_MS.index(ms) + 1])


def together(spreads: Iterable[Spread]) -> Spread:
    """Several spreads as one."""
    known = list(spreads)
    counts = [sum(column) for column in zip(Spread().counts, *(one.counts for one in known), strict=True)]
    return Spread(counts=counts, sum_ms=sum(one.sum_ms for one in known))


@dataclass(slots=True)
class Window:
    """``checks`` by (marketplace, kind, outcome), ``errors`` by (marketplace, code), ``took`` by marketplace, ``late``

    by class of searches.
    """

    checks: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    took: dict[str, Spread] = field(default_factory=dict)
    late: dict[str, Spread] = field(default_factory=dict)

    def lateness(self) -> Spread:
        """Of all searches."""
        return together(self.late.values())

    def ended(self, marketplace: str, *outcomes: str) -> int:
        """How many checks of a marketplace ended so; without outcomes all."""
        return sum(
            count
            for (name, _kind, outcome), count in self.checks.items()
            if name == marketplace and (not outcomes or outcome in outcomes)
        )


def totals(client: redis.Redis) -> Window:
    """Since Redis began."""
    return _window([client.hgetall(totals_key())])


def recent(client: redis.Redis, *, now: float, minutes: int) -> Window:
    """The last minutes, up to server time ``now``; more than ninety are told by the hour."""
    with client.pipeline(transaction=False) as pipe:
        for name in _keys(now, minutes):
            pipe.hgetall(name)
        return _window(pipe.execute())


def _keys(now: float, minutes: int) -> list[str]:
    if minutes <= MINUTES:
        last = int(now // MINUTES)
        return [minute_key(last - back) for back in range(minutes)]
    last = int(now // HOURS)
    return [hour_key(last - back) for back in range(min(HOURS_KEPT, minutes // MINUTES))]


def _window(hashes: Iterable[Mapping[Any, Any]]) -> Window:
    window = Window()
    for fields in hashes:
        for name, count in fields.items():
            _add(window, name.decode().split("|"), int(count))
    return window


def _add(window: Window, parts: list[str], count: int) -> None:
    """What another release counted otherwise is left out."""
    match parts:
        case ["checks", marketplace, kind, outcome]:
            window.checks[marketplace, kind, outcome] += count
        case ["error", marketplace, code]:
            window.errors[marketplace, code] += count
        case ["took" | "late" as what, name, bucket] if bucket.isdigit() and int(bucket) <= len(BOUNDS_MS):
            _spread(window, what, name).counts[int(bucket)] += count
        case ["took_ms" | "late_ms" as what, name]:
            _spread(window, what.removesuffix("_ms"), name).sum_ms += count


def _spread(window: Window, what: str, name: str) -> Spread:
    spreads = window.took if what == "took" else window.late
    return spreads.setdefault(name, Spread())


def course(client: redis.Redis, *, now: float, minutes: int) -> list[Window]:
    """The same stretch in its minutes or hours, oldest first."""
    with client.pipeline(transaction=False) as pipe:
        for name in reversed(_keys(now, minutes)):
            pipe.hgetall(name)
        return [_window([fields]) for fields in pipe.execute()]


def joined(windows: Iterable[Window]) -> Window:
    """Several windows as one."""
    whole = Window()
    for window in windows:
        whole.checks.update(window.checks)
        whole.errors.update(window.errors)
        for name, spread in window.took.items():
            whole.took[name] = together([whole.took.get(name, Spread()), spread])
        for name, spread in window.late.items():
            whole.late[name] = together([whole.late.get(name, Spread()), spread])
    return whole
