"""All figures of an installation at one moment: what the page, ``status``, ``/metrics`` and ``doctor`` speak of.

They come from Redis and the database alone, so every process tells the same. Gathering takes a few calls, whatever the
size of the installation, and at most one a second in a process.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import redis
import structlog
from django.db import DatabaseError

from monitor_site.engine import machines, task_log
from monitor_site.engine.machines import LoadState
from monitor_site.engine.task_log import TaskState
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import planned
from monitor_site.watches.planned import Standing

from . import ahead, clockwork, lanes, stored, windows, work
from .clockwork import Market, Promoter
from .lanes import Lane
from .stored import Stored
from .windows import Window
from .work import Work

log = structlog.get_logger(__name__)

LATENESS_MINUTES = 5
KEPT_SECONDS = 1.0

_lock = threading.Lock()
_kept: list[tuple[float, "Figures"]] = []
_last: list["Running"] = []
_courses: dict[int, list[Window]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What Redis knows. ``window`` and ``work`` cover the last five minutes, ``totals`` and ``worked`` all since Redis

    began; ``firsts`` is what stands in the schedule for the next ten minutes, see :mod:`.ahead`.
    """

    round_trip_ms: float
    now_ms: int
    built: bool
    markets: Sequence[Market]
    promoters: Sequence[Promoter]
    lanes: Sequence[Lane]
    machines: Mapping[str, LoadState]
    window: Window
    totals: Window
    work: Work
    worked: Work
    tasks: Mapping[str, TaskState]
    plans: Mapping[str, Standing]
    firsts: Mapping[str, Sequence[int]]

    @property
    def overdue(self) -> int:
        """Searches that are late by more than a second, at marketplaces that are asked."""
        return sum(one.overdue for one in self.markets if one.breaker["state"] == "closed")

    @property
    def oldest_ms(self) -> int:
        """How late the latest of them is."""
        return max((one.oldest_ms for one in self.markets if one.breaker["state"] == "closed"), default=0)

    @property
    def promoters_alive(self) -> int:
        """Promoters that were heard of lately."""
        return sum(one.alive for one in self.promoters)

    @property
    def workers_alive(self) -> int:
        """Workers of all lanes that were heard of lately."""
        return sum(lane.alive for lane in self.lanes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """``running`` or ``stored`` is ``None`` when Redis or the database does not answer: unknown, never zero."""

    at: datetime
    running: Running | None
    stored: Stored | None


def gather(client: redis.Redis) -> Figures:
    """The figures of this moment."""
    now = datetime.now(UTC)
    return Figures(at=now, running=_running(client), stored=_stored(now))


def recent(client: redis.Redis) -> Figures:
    """The figures of this second: whoever asks again within it hears the same."""
    with _lock:
        if not _kept or time.monotonic() - _kept[0][0] >= KEPT_SECONDS:
            _kept[:] = [(time.monotonic(), gather(client))]
            if (told := _kept[0][1].running) is not None:
                _last[:] = [told]
        return _kept[0][1]


def last_running() -> Running | None:
    """What Redis said last to this process, however long ago: for pages that say how old it is."""
    return _last[0] if _last else None


def course(client: redis.Redis, *, now: float, minutes: int) -> list[Window]:
    """A stretch of time in its minutes or hours; as this process saw it last while Redis does not answer."""
    try:
        _courses[minutes] = windows.course(client, now=now, minutes=minutes)
    except redis.RedisError:
        return _courses.get(minutes, [])
    return _courses[minutes]


def forget() -> None:
    """Gather anew next time, and know nothing of before."""
    _kept.clear()
    _last.clear()
    _courses.clear()


def _running(client: redis.Redis) -> Running | None:
    try:
        return running(client)
    except redis.RedisError as error:
        log.warning("figures.redis_away", error=str(error))
        return None


def running(client: redis.Redis) -> Running:
    """What Redis knows. Raises ``RedisError``."""
    client.ping()  # a new connection is none of its round trip
    started = time.perf_counter()
    seconds, micros = client.time()
    took = (time.perf_counter() - started) * 1000
    now_ms = seconds * 1000 + micros // 1000
    now = datetime.fromtimestamp(now_ms / 1000, tz=UTC)
    return Running(
        round_trip_ms=took,
        now_ms=now_ms,
        built=clockwork.is_built(client),
        markets=clockwork.markets(client, now_ms=now_ms),
        promoters=clockwork.promoters(client, now_ms=now_ms),
        lanes=lanes.lanes(client, now=now),
        machines=machines.states(client),
        window=windows.recent(client, now=seconds, minutes=LATENESS_MINUTES),
        totals=windows.totals(client),
        work=work.recent(client, now=seconds, minutes=LATENESS_MINUTES),
        worked=work.totals(client),
        tasks=task_log.states(client),
        plans=planned.standings(client, list(catalog().plugins)),
        firsts=ahead.firsts(client, sorted(catalog().plugins), now_ms=now_ms),
    )


def moment(now: Running) -> datetime:
    """Redis' time when these figures were gathered."""
    return datetime.fromtimestamp(now.now_ms / 1000, tz=UTC)


def _stored(now: datetime) -> Stored | None:
    try:
        return stored.stored(now=now)
    except DatabaseError as error:
        log.warning("figures.database_away", error=str(error))
        return None
