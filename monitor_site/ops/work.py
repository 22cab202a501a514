"""What jobs did in the last minutes, by lane and kind, and how fast the lanes move."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import redis

from monitor_site.engine.tallying import jobs_key, jobs_minute_key


@dataclass(slots=True)
class Work:
    """``jobs`` by (lane, job, ``ok`` or ``failed``), ``ms`` by (lane, job), ``depths`` how long each lane was first.

    ``seconds`` is how long all that took.
    """

    seconds: float = 0.0
    jobs: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    ms: Counter[tuple[str, str]] = field(default_factory=Counter)
    depths: dict[str, int] = field(default_factory=dict)

    def out_of(self, lane: str) -> int:
        """Jobs of a lane that ended, well or not."""
        return sum(count for (name, _job, _how), count in self.jobs.items() if name == lane)

    def kinds(self) -> list[tuple[str, str, int, int, float]]:
        """Lane, job, how many ended, how many of them failed, mean milliseconds; the most frequent first."""
        return [
            (lane, job, total, self.jobs[lane, job, "failed"], self.ms[lane, job] / total)
            for (lane, job), total in self._totals().most_common()
        ]

    def _totals(self) -> Counter[tuple[str, str]]:
        totals: Counter[tuple[str, str]] = Counter()
        for (lane, job, _how), count in self.jobs.items():
            totals[lane, job] += count
        return totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Jobs a minute that came and went; ``drain_seconds`` until nothing waits, ``None`` while that is not in sight."""

    came: float
    went: float
    drain_seconds: float | None


def recent(client: redis.Redis, *, now: float, minutes: int) -> Work:
    """The last minutes, up to server time ``now``."""
    last = int(now // 60)
    names = [jobs_minute_key(last - back) for back in range(minutes)]
    with client.pipeline(transaction=False) as pipe:
        for name in reversed(names):
            pipe.hgetall(name)
        work = _work(pipe.execute())
    work.seconds = (minutes - 1) * 60 + now % 60
    return work


def totals(client: redis.Redis) -> Work:
    """Since Redis began."""
    told: Any = client.hgetall(jobs_key())
    return _work([told])


def _work(hashes: Iterable[Mapping[Any, Any]]) -> Work:
    """What another release counted otherwise is left out."""
    work = Work()
    for fields in hashes:
        for name, count in fields.items():
            match name.decode().split("|"):
                case ["ok" | "failed" as how, lane, job]:
                    work.jobs[lane, job, how] += int(count)
                case ["ms", lane, job]:
                    work.ms[lane, job] += int(count)
                case ["depth", lane]:
                    work.depths.setdefault(lane, int(count))
    return work


def flow(work: Work, lane: str, *, waiting: int) -> Flow | None:
    """How a lane moves; ``None`` when nobody has measured it."""
    if lane not in work.depths or work.seconds <= 0:
        return None
    minutes = work.seconds / 60
    went = work.out_of(lane) / minutes
    shrunk = (work.depths[lane] - waiting) / minutes
    drains = waiting * 60 / shrunk if waiting and shrunk > 0 else None
    return Flow(came=max(0.0, went - shrunk), went=went, drain_seconds=drains if waiting else 0.0)
