"""What RQ does with jobs, workers and their deaths."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from rq import Queue, Retry, SimpleWorker, Worker
from rq.exceptions import DuplicateJobError
from rq.intermediate_queue import IntermediateQueue
from rq.job import Job, JobStatus
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException

from monitor_site.engine import worker as ours
from tests.house import source
from tests.servers import tied
from tests.waiting import until

JOBS = "tests.conformance.jobs"
SERVE = (
    "import sys, redis, rq\n"
    "client = redis.Redis.from_url(sys.argv[2])\n"
    "queue = rq.Queue('one', connection=client, serializer='json')\n"
    "kind = getattr(rq, sys.argv[1])\n"
    "worker = kind([queue], connection=client, serializer='json', worker_ttl=int(sys.argv[3]))\n"
    "worker.work(logging_level='CRITICAL')\n"
)


def queue(redis: Any, name: str = "one") -> Queue:
    return Queue(name, connection=redis, serializer=JSONSerializer)


def run_all(redis: Any, kind: Any = SimpleWorker) -> None:
    kind([queue(redis)], connection=redis, serializer=JSONSerializer).work(burst=True, logging_level="CRITICAL")


def served(url: str, kind: str = "SimpleWorker", *, ttl: int = 420) -> subprocess.Popen[bytes]:
    """A worker of its own process; it ends with this one."""
    return subprocess.Popen(tied(sys.executable, "-c", SERVE, kind, url, ttl), cwd=Path(__file__).parents[2])


@pytest.fixture
def worker(redis: Any, redis_server: str) -> Iterator[subprocess.Popen[bytes]]:
    process = served(redis_server)
    until(lambda: redis.smembers("rq:workers"), what="the worker is there")
    yield process
    process.kill()
    process.wait()


def test_a_pop_from_two_queues_leaves_the_job_in_no_list_and_one_from_one_queue_in_an_intermediate_one(
    redis: Any,
) -> None:
    """What stands in Redis after the pop is what a worker killed there leaves.

    So each of our workers serves one queue, and what must run is in a row or the schedule, never only in a queue.
    """
    one, two = queue(redis, "one"), queue(redis, "two")
    lost, kept = one.enqueue(f"{JOBS}.swallow"), two.enqueue(f"{JOBS}.swallow")
    Queue.dequeue_any([one, two], None, connection=redis, serializer=JSONSerializer)
    Queue.dequeue_any([two], None, connection=redis, serializer=JSONSerializer)
    lists = {name for name in redis.keys("rq:*") if redis.type(name) == b"list"}
    assert lists == {IntermediateQueue.get_intermediate_queue_key(two.key).encode()}
    assert lost.get_status(refresh=True) == JobStatus.QUEUED
    assert kept.id in IntermediateQueue(two.key, connection=redis).get_job_ids()
    assert all(len(ours.build(lane=lane, name=f"w-{lane}").queues) == 1 for lane in ("checks", "express"))


def test_a_killed_worker_leaves_its_work_horse_running(redis: Any, redis_server: str, tmp_path: Path) -> None:
    """So a job may run twice at once, and our workers run jobs in their own process, where a kill ends both."""
    process = served(redis_server, "Worker")
    queue(redis).enqueue(f"{JOBS}.tell_and_wait", str(tmp_path / "job"))
    until((tmp_path / "job.began").exists, what="the job begins")
    (worker_key,) = redis.smembers("rq:workers")
    os.kill(int(redis.hget(worker_key, "pid")), signal.SIGKILL)
    process.wait()
    (tmp_path / "job.may_end").touch()
    until((tmp_path / "job.ended").exists, what="the horse works to the end without its worker")
    assert issubclass(ours.LaneWorker, SimpleWorker)


@pytest.mark.parametrize(("tries", "status"), [(0, JobStatus.FAILED), (1, JobStatus.QUEUED)])
def test_a_clock_ten_minutes_ahead_declares_a_running_job_abandoned_and_retry_has_it_run_a_second_time(
    redis: Any, tries: int, status: JobStatus
) -> None:
    """Without ``Retry`` it is failed, with it, it is run again beside the first.

    So nothing of ours uses ``Retry``, fences and conditional updates decide which of two results counts, and Redis'
    clock, not the worker's, decides about leases.
    """
    job = queue(redis).enqueue(f"{JOBS}.swallow", retry=Retry(max=1) if tries else None)
    worker = SimpleWorker([queue(redis)], connection=redis, serializer=JSONSerializer)
    found, _ = worker.dequeue_job_and_maintain_ttl(None)
    worker.prepare_execution(found)
    worker.prepare_job_execution(found)
    registry = StartedJobRegistry(queue=queue(redis))
    registry.cleanup(timestamp=time.time())
    assert job.get_status(refresh=True) == JobStatus.STARTED
    registry.cleanup(timestamp=time.time() + timedelta(minutes=10).total_seconds())
    assert job.get_status(refresh=True) == status


def test_a_job_timeout_is_an_ordinary_exception_and_a_broad_except_swallows_it(redis: Any) -> None:
    """So no promise of ours hangs on it: ``asyncio.timeout`` cuts a check, a loop that is stuck ends its process."""
    job = queue(redis).enqueue(f"{JOBS}.swallow")
    run_all(redis)
    assert issubclass(JobTimeoutException, Exception)
    assert job.return_value(refresh=True) == "swallowed JobTimeoutException"


def test_a_job_timeout_reaches_the_main_thread_only(redis: Any) -> None:
    """So it never ends what runs in our event loop, which has a thread of its own; leases and cuts do."""
    job = queue(redis).enqueue(f"{JOBS}.where_the_alarm_goes")
    run_all(redis)
    assert job.return_value(refresh=True) == "JobTimeoutException cut the main thread, the thread worked to its end"


def test_a_job_timeout_inside_a_kept_loop_leaves_a_task_that_ends_in_the_next_job(redis: Any, tmp_path: Path) -> None:
    """So the loop of a checks worker runs in its own thread, and no job waits inside it for longer than a lease."""
    left = queue(redis).enqueue(f"{JOBS}.leave_a_task", str(tmp_path / "left"))
    after = queue(redis).enqueue(f"{JOBS}.go_on", str(tmp_path / "left"))
    run_all(redis)
    assert left.get_status(refresh=True) == JobStatus.FAILED
    assert after.return_value(refresh=True) is True


def test_the_json_serializer_still_runs_any_dotted_path(redis: Any) -> None:
    """So our workers have an allow-list, and Redis has a password."""
    job = queue(redis).enqueue("os.path.basename", "/etc/hosts")
    run_all(redis)
    assert job.return_value(refresh=True) == "hosts"
    refused = queue(redis, "express").enqueue("os.path.basename", "/etc/hosts")

    def is_taken() -> bool:
        ours.build(lane="express", name="w").work(burst=True, logging_level="INFO")
        return refused.get_status(refresh=True) != JobStatus.QUEUED

    until(is_taken, what="a worker of ours takes it")
    assert refused.get_status(refresh=True) == JobStatus.FAILED


def test_a_job_that_failed_keeps_its_id_and_no_second_one_is_taken_under_it(redis: Any) -> None:
    """So an id of ours holds the epoch of its row, which is raised whenever the row is handed out again.

    Without ``unique`` it is taken all the same, whatever became of the first: an id alone guards nothing.
    """
    first = queue(redis).enqueue("no.such.path", job_id="kind-1-1")
    run_all(redis)
    assert first.get_status(refresh=True) == JobStatus.FAILED
    with pytest.raises(DuplicateJobError):
        queue(redis).enqueue(f"{JOBS}.go_on", "/", job_id="kind-1-1", unique=True)
    assert queue(redis).enqueue(f"{JOBS}.go_on", "/", job_id="kind-1-2", unique=True)
    queue(redis).enqueue(f"{JOBS}.go_on", "/", job_id="kind-1-1")
    assert Job.fetch("kind-1-1", connection=redis, serializer=JSONSerializer).get_status() == JobStatus.QUEUED


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # RQ forks beside whatever threads there are
@pytest.mark.parametrize(("kind", "least", "most"), [(SimpleWorker, 40, 80), (Worker, 40, 80)])
def test_a_job_costs_dozens_of_commands(redis: Any, kind: Any, least: int, most: int) -> None:
    """So work travels in slices: a ticket names a marketplace, and its feed runs many checks."""

    def commands(jobs: int) -> int:
        for _ in range(jobs):
            queue(redis).enqueue("os.path.basename", "/")
        before = redis.info("stats")["total_commands_processed"]
        run_all(redis, kind)
        return redis.info("stats")["total_commands_processed"] - before

    assert least <= (commands(6) - commands(1)) / 5 <= most


def test_a_second_signal_within_a_second_is_ignored_and_a_later_one_cuts(
    redis: Any, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """So a supervisor sends one SIGTERM; ours hears two within a second as one, too."""
    queue(redis).enqueue(f"{JOBS}.tell_and_wait", str(tmp_path / "job"))
    until((tmp_path / "job.began").exists, what="the job begins")
    for _ in range(2):
        worker.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(1.2)

    def asked_again() -> bool:
        """A worker that got little time has heard the first ones just now."""
        worker.send_signal(signal.SIGTERM)
        return worker.poll() is not None

    until(asked_again, what="a later signal cuts")
    assert not (tmp_path / "job.ended").exists()


def test_what_rq_says_of_a_job_is_no_truth(redis: Any, worker: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """A job whose worker was killed is "started" for as long as nobody cleans up, and one that ran while all was lost

    never was. So nothing of ours reads a status or a registry to know what happened.
    """
    killed = queue(redis).enqueue(f"{JOBS}.tell_and_wait", str(tmp_path / "killed"))
    until((tmp_path / "killed.began").exists, what="the job begins")
    with suppress(psutil.Error):
        psutil.Process(worker.pid).kill()
    worker.wait()
    assert killed.get_status(refresh=True) == JobStatus.STARTED


def test_nothing_of_ours_uses_what_rq_offers_beyond_a_queue() -> None:
    """No scheduler, repeat, retry, dependency, callback or webhook: their state is lost with Redis, ours is not.

    One reader takes failed jobs as a hint, and counts them against rows that know by themselves what is left to do.
    """
    words = [
        *("Retry(max", "Repeat(", "depends_on=", "enqueue_in(", "enqueue_at(", "with_scheduler", "on_success="),
        *(
            "on_failure=",
            "rq.webhook",
            "import rq.cron",
            "from rq.scheduler",
            "StartedJobRegistry",
            "FailedJobRegistry",
        ),
    ]
    found = [(module.name, word) for module in source.product() for word in words if word in module.text]
    assert found == [("monitor_site/engine/replaying.py", "FailedJobRegistry")]
