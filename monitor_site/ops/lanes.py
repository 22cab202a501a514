"""Lanes and their workers, as RQ keeps them in Redis."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import redis
from django.conf import settings
from rq.utils import utcparse

from monitor_site.connections import key
from monitor_site.engine.tallying import BEAT_SECONDS, SILENT_BEATS, VITALS_SECONDS, vitals_key
from monitor_site.marketplaces.catalog import catalog

# A worker beats every five seconds. Of one that has never beaten RQ hears every quarter of a minute while it is idle.
SILENT_SECONDS = BEAT_SECONDS * SILENT_BEATS
HEARTBEAT_PATIENCE = timedelta(seconds=75)
MOST_WORKERS = 500
FIELDS = (
    "queues", "hostname", "pid", "state", "birth", "last_heartbeat", "current_job", "successful_job_count",
    "failed_job_count",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One worker that has not said good-bye. ``job`` is what it runs, for ``job_seconds`` at its last beat; ``alive``:

    it was heard of lately, or within three beats once it has beaten. ``held`` are questions that a silent one has
    leased, by marketplace. ``memory`` (bytes), ``a_minute`` (jobs) and ``version`` are unknown before its first beat.
    """

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
    version: str
    memory: int | None = None
    a_minute: int | None = None
    job_seconds: float | None = None
    held: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed_share(self) -> str:
        """Which share of its jobs failed since it began."""
        total = self.done + self.failed
        return f"{100 * self.failed / total:.1f} %" if total else "—"


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
            pipe.get(vitals_key(_plain(name)))
            pipe.pttl(vitals_key(_plain(name)))
        rows = pipe.execute()
    told = zip(names, rows[0::3], rows[1::3], rows[2::3], strict=True)
    found = [_beating(_worker(_plain(name), row, now), text, ttl) for name, row, text, ttl in told if row[0]]
    return found if all(worker.alive for worker in found) else _with_what_they_hold(client, found)


def _plain(name: bytes) -> str:
    return name.decode().removeprefix("rq:worker:")


def _beating(worker: Worker, text: bytes | None, ttl_ms: int) -> Worker:
    """With what it told at its last beat, if it ever beat."""
    try:
        told: dict[str, Any] = json.loads(text or b"{}")
    except ValueError:
        return worker
    if not told:
        return worker
    return replace(
        worker,
        alive=VITALS_SECONDS - ttl_ms / 1000 < SILENT_SECONDS,
        job=str(told.get("job") or ""),
        job_seconds=told.get("seconds"),
        memory=told.get("memory"),
        a_minute=told.get("a_minute"),
        version=str(told.get("version") or ""),
    )


def _with_what_they_hold(client: redis.Redis, found: Sequence[Worker]) -> list[Worker]:
    """Leases name their worker; they are read only while some worker is silent."""
    held: dict[str, Counter[str]] = {}
    for name in catalog().plugins:
        leases: Any = client.hvals(key("lease", name))
        for lease in leases:
            held.setdefault(lease.decode().split("|")[1], Counter())[name] += 1
    return [worker if worker.alive else replace(worker, held=dict(held.get(worker.name, {}))) for worker in found]


def _worker(name: str, row: Sequence[bytes | None], now: datetime) -> Worker:
    told = {field: (value or b"").decode() for field, value in zip(FIELDS, row, strict=True)}
    heard = _moment(told["last_heartbeat"])
    return Worker(
        name=name,
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
        version="",
    )


def _moment(text: bytes | str | None) -> datetime | None:
    if not text:
        return None
    try:
        return utcparse(text.decode() if isinstance(text, bytes) else text)
    except ValueError:
        return None
