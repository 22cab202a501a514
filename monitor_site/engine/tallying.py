"""What a worker's jobs did and how the worker is: told to Redis by a thread of its own, never by the job.

Statistics by lane and kind of job (count, failed, milliseconds) go to hashes as those of checks do, every hundred jobs
or with the next beat. A beat says that the process lives; one that is stopped, or holds the interpreter, does not beat.
"""

import json
import os
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from typing import Any

import psutil
import redis
import structlog
from django.conf import settings

from monitor_site import __version__
from monitor_site.connections import key, redis_client

from .counting import HOURS_KEPT, MINUTES_KEPT

log = structlog.get_logger(__name__)

BEAT_SECONDS = 5.0
SILENT_BEATS = 3
JOBS_A_STATISTIC = 100
VITALS_SECONDS = 3600
MINUTE = 60.0
MOST_REMEMBERED = 20_000


def jobs_key() -> str:
    """Since Redis began: ``ok|lane|job``, ``failed|lane|job``, ``ms|lane|job``."""
    return key("jobs")


def jobs_minute_key(minute: int) -> str:
    """The same of a minute since the epoch; also ``depth|lane``, how many jobs waited when it began."""
    return key("jobs", "m", minute)


def jobs_hour_key(hour: int) -> str:
    """The same of an hour since the epoch."""
    return key("jobs", "h", hour)


def vitals_key(worker: str) -> str:
    """How a worker is, as JSON. It expires ``VITALS_SECONDS`` after the last beat, which tells that beat's age."""
    return key("vitals", worker)


class Tally:
    """Of one worker. ``begin`` and ``end`` are called around each job; they only count."""

    def __init__(self, *, worker: str, lane: str) -> None:
        self._worker, self._lane = worker, lane
        self._pending: Counter[str] = Counter()
        self._ended: deque[float] = deque(maxlen=MOST_REMEMBERED)
        self._running: tuple[str, float] | None = None
        self._due, self._stopping = threading.Event(), False
        self._lock = threading.Lock()
        self._process = psutil.Process()
        self._thread = threading.Thread(target=self._keep, name="tally", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Hand in what is left and say good-bye."""
        self._stopping = True
        self._due.set()
        self._thread.join(timeout=BEAT_SECONDS)
        with suppress(redis.RedisError):
            redis_client().delete(vitals_key(self._worker))

    def begin(self, job: str) -> float:
        """A job begins; what to give to ``end``."""
        begun = time.monotonic()
        self._running = (job, begun)
        return begun

    def end(self, job: str, begun: float, *, well: bool) -> None:
        """It is over."""
        now = time.monotonic()
        with self._lock:
            self._pending[f"{'ok' if well else 'failed'}|{self._lane}|{job}"] += 1
            self._pending[f"ms|{self._lane}|{job}"] += round((now - begun) * 1000)
            self._ended.append(now)
            self._running = None
            full = sum(n for name, n in self._pending.items() if not name.startswith("ms|")) >= JOBS_A_STATISTIC
        if full:
            self._due.set()

    def _keep(self) -> None:
        while not self._stopping:
            with suppress(redis.RedisError, OSError):
                self.tell(redis_client())
            self._due.wait(BEAT_SECONDS)
            self._due.clear()
        with suppress(redis.RedisError, OSError):
            self.tell(redis_client())

    def tell(self, client: redis.Redis) -> None:
        """Hand the statistics in and beat. What does not arrive is lost: these are figures, no facts."""
        with self._lock:
            pending, self._pending = self._pending, Counter()
        seconds, _ = client.time()
        minute, hour = jobs_minute_key(int(seconds // 60)), jobs_hour_key(int(seconds // 3600))
        with client.pipeline(transaction=False) as pipe:
            for name in (jobs_key(), minute, hour):
                for field, count in pending.items():
                    pipe.hincrby(name, field, count)
            if pending:
                pipe.expire(minute, MINUTES_KEPT * 60)
                pipe.expire(hour, HOURS_KEPT * 3600)
            pipe.set(vitals_key(self._worker), json.dumps(self._vitals()), ex=VITALS_SECONDS)
            pipe.execute()

    def _vitals(self) -> dict[str, Any]:
        now, running = time.monotonic(), self._running
        with self._lock:
            while self._ended and self._ended[0] < now - MINUTE:
                self._ended.popleft()
            a_minute = len(self._ended)
        return {
            "pid": os.getpid(),
            "version": __version__,
            "memory": self._process.memory_info().rss,
            "a_minute": a_minute,
            "job": running[0] if running else "",
            "seconds": round(now - running[1], 1) if running else 0,
        }


def sample_depths(client: redis.Redis) -> None:
    """Note how many jobs wait on each lane; the first of a minute counts."""
    seconds, _ = client.time()
    minute = jobs_minute_key(int(seconds // 60))
    with client.pipeline(transaction=False) as pipe:
        for lane in settings.LANES:
            pipe.llen(f"rq:queue:{lane}")
        depths = pipe.execute()
        for lane, depth in zip(settings.LANES, depths, strict=True):
            pipe.hsetnx(minute, f"depth|{lane}", depth)
        pipe.expire(minute, MINUTES_KEPT * 60)
        pipe.execute()
