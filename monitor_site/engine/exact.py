"""Exact instants: handed to the lane ``timed`` five seconds early, held there, and run on the server's clock.

The instant stays in Redis until it has run, so that a worker that dies with it in its hands only makes it late.
"""

import heapq
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from typing import Any

import redis
import structlog
from django.db import close_old_connections
from rq import Queue
from rq.exceptions import DuplicateJobError

from monitor_site.connections import key, redis_client
from monitor_site.outbox import exact
from monitor_site.outbox.exact import EARLY_MS, KIND, read_name

from .clock import ServerClock

log = structlog.get_logger(__name__)

JOB = "monitor_site.engine.jobs.run_exact"
# A worker that has not run it so long after its instant has died.
AGAIN_MS = 2000
AT_ONCE = 100
THREADS = 8
READINGS = 5
# A long wait comes back late now and then; the last bit is waited for in naps, which a busy machine forgives.
AWAKE_SECONDS = 0.005
NAP_SECONDS = 0.0002
LATE_MS = 10


def plant(client: redis.Redis, *, now: datetime) -> None:
    """Note every instant that the database knows of; what stands there already stays as it is."""
    for topic, job in exact.jobs().items():
        for object_id, instant in job.pending(now):
            exact.at(client, topic=topic, object_id=object_id, instant=instant)


def hand_over(client: redis.Redis, queue: Queue, *, now_ms: int) -> int:
    """Give the lane what is due within five seconds; twice for the same turn is once. Returns how many."""
    due: Any = client.zrangebyscore(key(KIND), "-inf", now_ms, start=0, num=AT_ONCE, withscores=True)
    for name, turn in due:
        text = name.decode()
        instant_ms = int(text.rsplit(":", 1)[1])
        with suppress(DuplicateJobError):
            job_id = f"exact-{text.replace(':', '-')}-{int(turn)}"
            queue.enqueue(JOB, text, job_id=job_id, unique=True, result_ttl=0, failure_ttl=60)
        client.zadd(key(KIND), {text: max(instant_ms, now_ms) + AGAIN_MS}, xx=True)
    return len(due)


class Holder:
    """What a worker of the lane ``timed`` holds until its instant, in threads of its own."""

    def __init__(self, client: redis.Redis | None = None) -> None:
        self._redis = client or redis_client()
        self._clock = ServerClock()
        self._held: list[tuple[float, str]] = []
        self._names: set[str] = set()
        self._changed = threading.Condition()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="exact")
        self._stopping = False
        self._thread = threading.Thread(target=self._keep, name="exact-holder", daemon=True)

    def start(self) -> None:
        """Begin to hold."""
        self._thread.start()

    def hold(self, name: str) -> None:
        """Run this at its instant; what is held already is held once."""
        self._read_clock()
        with self._changed:
            if name not in self._names:
                self._names.add(name)
                heapq.heappush(self._held, (read_name(name)[2].timestamp(), name))
                self._changed.notify()

    def stop(self, *, seconds: float) -> None:
        """Run what is held, which lies a few seconds ahead at most, and end."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join(min(seconds, EARLY_MS / 1000 + 1))
        self._pool.shutdown(wait=True)

    def _read_clock(self) -> None:
        """The reading with the shortest way there and back errs least."""
        readings = []
        for _ in range(READINGS):
            sent = time.monotonic()
            seconds, micros = self._redis.time()
            readings.append((time.monotonic() - sent, sent, int(seconds) * 1_000_000 + int(micros)))
        way, sent, server_us = min(readings)
        self._clock.learn(server_us=server_us + round((time.monotonic() - sent - way / 2) * 1e6), sent=time.monotonic())

    def _keep(self) -> None:
        while name := self._next():
            self._pool.submit(self._run, name)

    def _next(self) -> str:
        """The next name whose instant has come; empty when all is done and nothing more will be held."""
        while True:
            with self._changed:
                if not self._held:
                    if self._stopping:
                        return ""
                    self._changed.wait()
                    continue
                left = self._held[0][0] - self._clock.server()
                if left > AWAKE_SECONDS:
                    self._changed.wait(left - AWAKE_SECONDS)
                    continue
                instant, name = heapq.heappop(self._held)
            while self._clock.server() < instant:
                time.sleep(NAP_SECONDS)
            return name

    def _run(self, name: str) -> None:
        topic, object_id, instant = read_name(name)
        off_ms = round((self._clock.server() - instant.timestamp()) * 1000, 1)
        if off_ms > LATE_MS:
            log.warning("exact.late", name=name, ms=off_ms)
        try:
            close_old_connections()
            exact.jobs()[topic].run(object_id, instant)
        except Exception:
            log.exception("exact.failed", name=name)
        finally:
            close_old_connections()
            with suppress(redis.RedisError):
                self._redis.zrem(key(KIND), name)
            with self._changed:
                self._names.discard(name)
