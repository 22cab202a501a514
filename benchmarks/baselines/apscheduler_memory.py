"""APScheduler in one process: store in memory, twenty threads. No second process, no memory beyond it."""

import math
import time
from datetime import UTC, datetime

import ground
import mix
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

THREADS = 20
FORGIVEN_SECONDS = 60


def run(task: int, first: float) -> None:
    """It does not tell a job when it was due: the last point of its grid, as it never comes early."""
    passed = math.floor((time.time() - first) / ground.INTERVAL + 1e-4)
    ground.beat(task, first + passed * ground.INTERVAL)


def scheduler() -> BackgroundScheduler:
    """Beats that have passed are run once, not in a burst."""
    return BackgroundScheduler(
        executors={"default": ThreadPoolExecutor(THREADS)},
        job_defaults={"coalesce": True, "misfire_grace_time": FORGIVEN_SECONDS},
        timezone=UTC,
    )


def beats() -> None:
    """An interval job for each watch."""
    ground.end_on_request()
    made, begin = scheduler(), time.time() + 3
    for task in range(ground.TASKS):
        first = ground.first_due(task, begin)
        start = datetime.fromtimestamp(first, tz=UTC)
        made.add_job(run, "interval", seconds=ground.INTERVAL, start_date=start, args=(task, first))
    made.start()
    ground.forever()


def mixed() -> None:
    """A job to be run now for each of the mixed tasks."""
    ground.end_on_request()
    made = scheduler()
    made.start()
    for task in mix.tasks():
        made.add_job(ground.work, args=(task, time.time()))
    ground.forever()


if __name__ == "__main__":
    ground.play(beats=beats, mixed=mixed)
