"""What all baselines stand on. They run in an environment of their own, so nothing of the product is used here."""

import os
import signal
import sys
import time
from pathlib import Path

from beats import Notes
from mix import Task

REDIS_URL = os.environ["REDIS_URL"]
TASKS = int(os.environ["BENCH_TASKS"])
INTERVAL = int(os.environ["BENCH_INTERVAL"])
# A task waits a millisecond, as our check does.
LASTS_SECONDS = 0.001
FOLDER = Path(os.environ["BENCH_NOTES"])
NOTES = Notes(FOLDER)


def first_due(task: int, begin: float) -> float:
    """The first due time of a task, spread evenly over the interval."""
    return begin + INTERVAL * task / TASKS


def beat(task: int, due: float) -> None:
    """The task of every baseline: note the start, wait."""
    NOTES.write(task, due, time.time())
    time.sleep(LASTS_SECONDS)


def work(task: Task, sent: float) -> None:
    """One of the mixed tasks."""
    started = time.time()
    time.sleep(task.seconds)
    NOTES.write(task.number, sent, started, time.time())


def end_on_request() -> None:
    """SIGTERM ends this process at once: what it noted is written already."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


def play(**roles: object) -> None:
    """Be the part of a baseline that the command line names."""
    roles[sys.argv[1]]()  # type: ignore[operator]


def forever() -> None:
    """Wait for the end."""
    while True:
        time.sleep(60)
