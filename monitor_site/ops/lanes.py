"""Lanes and their workers, as RQ keeps them in Redis."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import redis
from django.conf import settings
from rq.utils import utcparse

# An idle worker is heard of every quarter of a minute; a busy one when its job is over.
HEARTBEAT_PATIENCE = timedelta(seconds=75)
MOST_WORKERS = 500
FIELDS = (
    "queues", "hostname", "pid", "state", "birth", "last_heartbeat", "current_job", "successful_job_count",
    "failed_job_count", "version",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One worker that has not said good-bye. ``job`` is what it runs; ``alive``: it was heard of lately."""

    name: str
    lane: str
    host: str
    pid: str
    state: str
    job: str
    born: datetime | None
    heard: datetime | None
    done: int
    failed: int
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """``waiting`` jobs, the oldest for so many seconds (``None``: nobody knows), ``running`` and ``failed`` ones."""

    name: str
    waiting: int
    oldest_seconds: float | None
    running: int
    failed: int
    workers: Sequence[Worker]

    @property
    def alive(self) -> int:
        """Workers that were heard of lately."""
        return sum(worker.alive for worker in self.workers)


def lanes(client: redis.Redis, *, now: datetime) -> list[Lane]:
    """Every lane with its workers."""
    names = list(settings.LANES)
    everybody = workers(client, now=now)
    with client.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.llen(f"rq:queue:{name}")
            pipe.lindex(f"rq:queue:{name}", 0)
            pipe.zcard(f"rq:wip:{name}")
            pipe.zcard(f"rq:failed:{name}")
        replies = pipe.execute()
    ages = _ages(client, replies[1::4], now)
    return [
        Lane(
            name=name,
            waiting=replies[4 * index],
            oldest_seconds=ages[index],
            running=replies[4 * index + 2],
            failed=replies[4 * index + 3],
            workers=[worker for worker in everybody if worker.lane == name],
        )
        for index, name in enumerate(names)
    ]


def _ages(client: redis.Redis, jobs: Sequence[bytes | None], now: datetime) -> list[float | None]:
    with client.pipeline(transaction=False) as pipe:
        for job in jobs:
            pipe.hget(f"rq:job:{(job or b'').decode()}", "enqueued_at")
        stamps = [_moment(text) for text in pipe.execute()]
    return [None if stamp is None else max(0.0, (now - stamp).total_seconds()) for stamp in stamps]


def workers(client: redis.Redis, *, now: datetime) -> list[Worker]:
    """RQ forgets a worker that said good-bye; one that was killed has an old heartbeat, until Redis forgets it too."""
    names: list[Any] = sorted(client.smembers("rq:workers"))[:MOST_WORKERS]
    with client.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.hmget(name, FIELDS)
        rows = pipe.execute()
    return [_worker(name.decode(), row, now) for name, row in zip(names, rows, strict=True) if row[0]]


def _worker(name: str, row: Sequence[bytes | None], now: datetime) -> Worker:
    told = {field: (value or b"").decode() for field, value in zip(FIELDS, row, strict=True)}
    heard = _moment(told["last_heartbeat"])
    return Worker(
        name=name.removeprefix("rq:worker:"),
        lane=told["queues"].partition(",")[0],
        host=told["hostname"],
        pid=told["pid"],
        state=told["state"] or "?",
        job=told["current_job"],
        born=_moment(told["birth"]),
        heard=heard,
        done=int(told["successful_job_count"] or 0),
        failed=int(told["failed_job_count"] or 0),
        alive=heard is not None and now - heard < HEARTBEAT_PATIENCE,
    )


def _moment(text: bytes | str | None) -> datetime | None:
    if not text:
        return None
    try:
        return utcparse(text.decode() if isinstance(text, bytes) else text)
    except ValueError:
        return None
