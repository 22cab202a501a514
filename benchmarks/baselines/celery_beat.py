"""Celery beat with Redis between it and one worker of two processes."""

import time
from typing import Any

import ground
import mix
from celery import Celery, Task
from celery.signals import before_task_publish

QUEUES = "critical,default"

app = Celery("baseline", broker=ground.REDIS_URL)
app.conf.update(
    task_ignore_result=True,
    task_default_queue="default",
    worker_hijack_root_logger=False,
    beat_schedule={
        f"task-{task}": {"task": "beat", "schedule": float(ground.INTERVAL), "args": (task,)}
        for task in range(ground.TASKS)
    },
)


@before_task_publish.connect
def stamp(headers: dict[str, Any], **_: Any) -> None:
    """A message carries when it was sent."""
    headers["sent_at"] = time.time()


@app.task(name="beat", bind=True)
def beat(self: Task, task: int) -> None:
    """A beat; nobody knows when it was due."""
    ground.beat(task, self.request.get("sent_at"))


@app.task(name="work")
def work(number: int, sent: float) -> None:
    """A mixed task."""
    ground.work(mix.task(number), sent)


def beats() -> None:
    """The beat process; it gives its entries no phase."""
    app.Beat(loglevel="ERROR", schedule=str(ground.FOLDER / "beat"), quiet=True).run()


def mixed() -> None:
    """A message for each of the mixed tasks."""
    ground.end_on_request()
    for task in mix.tasks():
        work.apply_async((task.number, time.time()), queue="critical" if task.critical else "default")
    ground.forever()


def worker() -> None:
    """One worker; it takes a message at a time, so that a long task keeps none waiting behind it."""
    app.worker_main(["worker", "-c", "2", "-l", "ERROR", "-Q", QUEUES, "--prefetch-multiplier", "1"])


if __name__ == "__main__":
    ground.play(beats=beats, mixed=mixed, worker=worker)
