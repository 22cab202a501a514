"""RQ's own cron scheduler before two SimpleWorkers; the mixed tasks go straight into its queues."""

import time

import ground
import mix
import rq_jobs
from rq import Queue
from rq.cron import CronScheduler


def beats() -> None:
    """A repeated job for each watch; its scheduler gives them no phase."""
    made = CronScheduler(connection=rq_jobs.connection(), logging_level="ERROR")
    for task in range(ground.TASKS):
        made.register(rq_jobs.beat, "default", args=(task,), interval=ground.INTERVAL, result_ttl=0)
    made.start()


def mixed() -> None:
    """A job for each of the mixed tasks."""
    ground.end_on_request()
    client = rq_jobs.connection()
    for task in mix.tasks():
        queue = Queue("critical" if task.critical else "default", connection=client)
        queue.enqueue(rq_jobs.work, task.number, time.time(), result_ttl=0)
    ground.forever()


if __name__ == "__main__":
    ground.play(beats=beats, mixed=mixed, worker=rq_jobs.serve)
