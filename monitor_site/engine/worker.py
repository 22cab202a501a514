"""The workers of the lanes: RQ's own SimpleWorker, long-lived, with an allow-list of jobs.

Anybody who can write to Redis could otherwise make a worker call any dotted path.
"""

import gc
import secrets
import sys
from collections.abc import Callable
from typing import Any

import redis
from django.conf import settings
from django.db import close_old_connections
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue, SimpleWorker
from rq.executions import Execution
from rq.job import Job
from rq.serializers import JSONSerializer

from monitor_site.tracing import traced

from . import outcomes, previews
from .clerk import Clerk
from .draining import draining
from .exact import Holder
from .loop import WorkerLoop
from .modesty import MODEST_LANES, step_back
from .postman import Postman
from .tallying import Tally
from .watchman import Watchman

JOBS_UNTIL_RECYCLED = 5000
# Idle workers are heard of twice in this time, in seconds.
WORKER_TTL = 30
# The loop gives the interpreter up at every read and write and waits this long for it while the database thread works:
# with the usual 5 ms a check of 20 ms took 150.
SWITCH_SECONDS = 0.0005
# A ticket is no work: a checks worker is recycled after about half a day.
TICKETS_UNTIL_RECYCLED = 50_000
# A page leaves no circles, but thousands of objects: with the usual 700 the collector comes many times a check.
GARBAGE_AT = (20_000, 20, 20)

_loops: list[WorkerLoop] = []
_postmen: list[Postman] = []
_holders: list[Holder] = []
_watchmen: list[Watchman] = []
_clerks: list[Clerk] = []


class ForbiddenJob(Exception):
    """A job that is not on the allow-list."""


class AllowedJob(Job):
    """A job that runs only what ``engine.jobs`` lists."""

    @property
    def func(self) -> Callable[..., Any] | None:
        """The function; raises :class:`ForbiddenJob`."""
        from .jobs import ALLOWED

        if self.func_name not in ALLOWED:
            raise ForbiddenJob(self.func_name)
        func: Callable[..., Any] | None = super().func
        return func


class LaneWorker(SimpleWorker):
    """A worker of one lane: one queue, no fork."""

    job_class = AllowedJob
    tally: Tally | None = None

    @property
    def was_asked_to_stop(self) -> bool:
        """A signal has come; otherwise it ends by itself."""
        return self._shutdown_requested_date is not None

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run a job with database connections that live, whatever happened since the last one."""
        close_old_connections()
        with traced():
            super().execute_job(job, queue)
        close_old_connections()

    def perform_job(self, job: Job, queue: Queue, execution: Execution) -> bool:
        """Run it between two strokes of the tally."""
        if self.tally is None:
            return bool(super().perform_job(job, queue, execution))
        name = (job.func_name or "").rpartition(".")[2]
        begun, well = self.tally.begin(name), False
        try:
            well = bool(super().perform_job(job, queue, execution))
        finally:
            self.tally.end(name, begun, well=well)
        return well


def current_loop() -> WorkerLoop:
    """The event loop of this checks worker."""
    if not _loops:
        raise RuntimeError("only a worker of the lane “checks” has an event loop")
    return _loops[0]


def current_postman() -> Postman:
    """Who sends in this alerts worker."""
    if not _postmen:
        raise RuntimeError("only a worker of the lane “alerts” has a postman")
    return _postmen[0]


def current_holder() -> Holder:
    """Who waits for exact instants in this timed worker."""
    if not _holders:
        raise RuntimeError("only a worker of the lane “timed” holds instants")
    return _holders[0]


def current_clerk() -> Clerk:
    """Who submits orders in this express worker."""
    if not _clerks:
        raise RuntimeError("only a worker of the lane “express” has a clerk")
    return _clerks[0]


def build(*, lane: str, name: str) -> LaneWorker:
    """A worker for a lane. Its connection never repeats a command; its blocking pop may last."""
    connection = redis.Redis.from_url(settings.REDIS_URL, retry=Retry(NoBackoff(), 0), socket_connect_timeout=5)
    queue = Queue(lane, connection=connection, serializer=JSONSerializer, job_class=AllowedJob)
    return LaneWorker(
        [queue],
        name=name,
        connection=connection,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        worker_ttl=WORKER_TTL,
    )


def work(*, lane: str, seat: str, drain_seconds: float, burst: bool = False) -> None:
    """Serve a lane until told to stop. RQ owns the signals; draining begins when ``work()`` returns.

    ``seat`` is the place in a pool. Each worker on it has a name of its own, since RQ remembers a killed one.
    """
    name = f"{seat}-{secrets.token_hex(3)}"
    worker = build(lane=lane, name=name)
    jobs = TICKETS_UNTIL_RECYCLED if lane == "checks" else JOBS_UNTIL_RECYCLED
    if lane in MODEST_LANES:
        step_back(settings.CLOCKWORK_NICE)
    _begin(lane, name, seat, brief=burst)
    worker.tally = Tally(worker=name, lane=lane)
    worker.tally.start()
    try:
        worker.work(burst=burst, logging_level="WARNING", max_jobs=jobs)
    finally:
        with draining(asked=worker.was_asked_to_stop):
            _end(drain_seconds)
        worker.tally.stop()


def settle_memory() -> None:
    """What was loaded until now stays: the collector never looks at it again, and comes less often.

    A process that is only a worker does it once: a full look stands still for a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_AT)


def _begin(lane: str, name: str, seat: str, *, brief: bool) -> None:
    """What some lanes keep for the life of their worker; a brief one makes ready only what it needs."""
    if lane == "express":
        _clerks.append(Clerk())
        if not brief:
            _clerks[0].start()
    if lane == "checks":
        sys.setswitchinterval(SWITCH_SECONDS)
        _loops.append(WorkerLoop(worker=name, seat=seat))
        _loops[0].start()
    if lane == "alerts":
        _postmen.append(Postman())
        _postmen[0].start()
        _watchmen.append(Watchman())
        _watchmen[0].start()
    if lane == "timed":
        _holders.append(Holder())
        _holders[0].start()


def _end(drain_seconds: float) -> None:
    previews.close(seconds=drain_seconds)
    while _clerks:
        _clerks.pop().close(seconds=drain_seconds)
    outcomes.close()
    while _watchmen:
        _watchmen.pop().stop()
    while _loops:
        _loops.pop().stop(seconds=drain_seconds)
    while _holders:
        _holders.pop().stop(seconds=drain_seconds)
    while _postmen:
        _postmen.pop().stop(seconds=drain_seconds)
