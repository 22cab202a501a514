"""rq-scheduler, polling every 0.2 s, before two SimpleWorkers."""

import logging
import time
from datetime import UTC, datetime

import ground
import mix
import rq_jobs
from rq_scheduler import Scheduler

POLL_SECONDS = 0.2


def scheduler() -> Scheduler:
    """As it comes, only that it looks more often."""
    logging.getLogger("rq_scheduler").setLevel(logging.ERROR)
    return Scheduler(queue_name="default", connection=rq_jobs.connection(), interval=POLL_SECONDS)


def beats() -> None:
    """A repeated job for each watch."""
    made, begin = scheduler(), time.time() + 5
    for task in range(ground.TASKS):
        first = datetime.fromtimestamp(ground.first_due(task, begin), tz=UTC).replace(tzinfo=None)
        made.schedule(scheduled_time=first, func=rq_jobs.beat, args=[task], interval=ground.INTERVAL)
    made.run()


def mixed() -> None:
    """A job to be run now for each of the mixed tasks."""
    made = scheduler()
    for task in mix.tasks():
        queue = "critical" if task.critical else "default"
        now = datetime.now(UTC).replace(tzinfo=None)
        made.enqueue_at(now, rq_jobs.work, task.number, time.time(), queue_name=queue)
    made.run()


if __name__ == "__main__":
    ground.play(beats=beats, mixed=mixed, worker=rq_jobs.serve)
