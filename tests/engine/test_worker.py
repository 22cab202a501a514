"""What a lane's worker runs, and what it refuses."""

from datetime import datetime
from typing import Any

import pytest
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from monitor_site.engine import worker
from monitor_site.outbox.models import OutboxRow
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db(transaction=True)


def enqueue(redis: Any, lane: str, path: str, *args: Any) -> Job:
    return Queue(lane, connection=redis, serializer=JSONSerializer).enqueue(path, *args)


def test_a_lane_runs_the_jobs_that_are_listed(alice: Any, now: datetime, redis: Any) -> None:
    watch_of(alice, now)
    worker.work(lane="express", seat="express-1", drain_seconds=60, burst=True)
    assert OutboxRow.objects.get(topic="target").done_at is not None


@pytest.mark.parametrize("path", ["os.getpid", "subprocess.check_output", "monitor_site.engine.jobs.register"])
def test_a_job_that_is_not_listed_is_never_called(redis: Any, path: str) -> None:
    job = enqueue(redis, "express", path)
    worker.work(lane="express", seat="express-1", drain_seconds=60, burst=True)
    assert job.get_status(refresh=True) == "failed"
    assert "ForbiddenJob" in (job.latest_result().exc_string or "")


def test_a_worker_comes_back_to_its_seat_though_redis_remembers_the_one_that_was_killed(redis: Any) -> None:
    worker.build(lane="express", name="express-1-killed").register_birth()
    for _ in range(2):
        worker.work(lane="express", seat="express-1", drain_seconds=60, burst=True)


def test_only_a_checks_worker_has_a_loop() -> None:
    with pytest.raises(RuntimeError):
        worker.current_loop()
