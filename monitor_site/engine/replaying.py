"""Jobs that failed: whose rows they were, and that they count against them. What failed of others ends by itself."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import redis
from django.conf import settings
from rq.job import Job
from rq.registry import FailedJobRegistry

from monitor_site.connections import lane_queue
from monitor_site.outbox import replay
from monitor_site.outbox.services import routes

MOST_AT_ONCE = 100


def note_failures(client: redis.Redis, *, now: datetime) -> int:
    """Count failed jobs of facts against their rows, which the sweep hands out again; returns how many jobs.

    A worker that was killed leaves its job among the failed ones too. A job is forgotten once it is counted; one that
    is counted twice in a race costs its rows a try.
    """
    topics = {route.job: topic for topic, route in routes().items()}
    return sum(_of_lane(client, lane, topics, now) for lane in settings.LANES)


def _of_lane(client: redis.Redis, lane: str, topics: Mapping[str, str], now: datetime) -> int:
    queue, counted = lane_queue(lane, client), 0
    ids: list[str] = FailedJobRegistry(queue=queue).get_job_ids(0, MOST_AT_ONCE - 1)
    for job in Job.fetch_many(ids, connection=client, serializer=queue.serializer) if ids else []:
        if job is not None and (topic := topics.get(job.func_name or "")):
            _count(job, topic, now)
            counted += 1
    return counted


def _count(job: Job, topic: str, now: datetime) -> None:
    object_ids: Any = job.args[0]
    replay.note_failure(topic=topic, object_ids=object_ids, error=error_of(job), now=now)
    job.delete()


def error_of(job: Job) -> str:
    """The class of the exception, never its words: they may hold anything."""
    result = job.latest_result()
    lines = (result.exc_string or "").strip().splitlines() if result else []
    name = lines[-1].partition(":")[0].rpartition(".")[2].strip() if lines else ""
    return name if name.isidentifier() else "killed"
