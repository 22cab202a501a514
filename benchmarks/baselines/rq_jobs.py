"""What both RQ baselines share: the jobs, and stock SimpleWorkers that look into the critical queue first."""

from datetime import UTC

import ground
import mix
import redis
from rq import Queue, SimpleWorker, get_current_job

QUEUES = ("critical", "default")


def connection() -> redis.Redis:
    """A connection to this run's Redis."""
    return redis.Redis.from_url(ground.REDIS_URL)


def sent() -> float:
    """When the job that runs was enqueued."""
    job = get_current_job()
    assert job is not None
    assert job.enqueued_at is not None
    moment = job.enqueued_at
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def beat(task: int) -> None:
    """A beat; nobody knows when it was due."""
    ground.beat(task, sent())


def work(number: int, moment: float) -> None:
    """A mixed task."""
    ground.work(mix.task(number), moment)


def serve() -> None:
    """One worker."""
    client = connection()
    SimpleWorker([Queue(name, connection=client) for name in QUEUES], connection=client).work(logging_level="ERROR")
