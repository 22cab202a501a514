"""A thread for each watch that sleeps until its next due time: one process, nothing shared, nothing kept."""

import threading
import time

import ground
import mix


def watch(task: int, due: float) -> None:
    """Sleep, run, again; beats that have passed are skipped."""
    while True:
        time.sleep(max(0.0, due - time.time()))
        ground.beat(task, due)
        due += ground.INTERVAL * max(1, -((due - time.time()) // ground.INTERVAL))


def mixed() -> None:
    """A thread for each of the mixed tasks."""
    ground.end_on_request()
    for task in mix.tasks():
        threading.Thread(target=ground.work, args=(task, time.time()), daemon=True).start()
    ground.forever()


def beats() -> None:
    """A thread for each watch."""
    ground.end_on_request()
    threading.stack_size(256 * 1024)
    begin = time.time() + 1
    for task in range(ground.TASKS):
        threading.Thread(target=watch, args=(task, ground.first_due(task, begin)), daemon=True).start()
    ground.forever()


if __name__ == "__main__":
    ground.play(beats=beats, mixed=mixed)
