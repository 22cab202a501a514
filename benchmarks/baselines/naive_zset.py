"""The loop that everybody writes first: eight threads look at the head of a ZSET, lock it, run it, put it back."""

import threading
import time

import ground
import mix
import redis

THREADS = 8
POLL_SECONDS = 0.1
LOCK_SECONDS = 30
DUE = "naive:due"


def serve() -> None:
    """Look, lock, run, put back. Whoever looked before the lock and locks after the unlock runs it again."""
    client = redis.Redis.from_url(ground.REDIS_URL)
    while True:
        head = client.zrange(DUE, 0, 0, withscores=True)
        if not head or head[0][1] > time.time() or not client.set(_lock(head[0][0]), 1, nx=True, ex=LOCK_SECONDS):
            time.sleep(POLL_SECONDS)
            continue
        name, due = head[0]
        run(client, name, due)
        client.delete(_lock(name))


def run(client: redis.Redis, name: bytes, due: float) -> None:
    """A beat comes back an interval later, a mixed task does not."""
    kind, _, number = name.decode().partition(":")
    if kind == "mix":
        client.zrem(DUE, name)
        ground.work(mix.task(int(number)), due)
        return
    ground.beat(int(number), due)
    client.zadd(DUE, {name: due + ground.INTERVAL * max(1, -((due - time.time()) // ground.INTERVAL))})


def _lock(name: bytes) -> str:
    return f"naive:lock:{name.decode()}"


def start(due: dict[str, float]) -> None:
    """Put these in, and serve."""
    ground.end_on_request()
    redis.Redis.from_url(ground.REDIS_URL).zadd(DUE, due)
    for _ in range(THREADS):
        threading.Thread(target=serve, daemon=True).start()
    ground.forever()


def beats() -> None:
    """A member for each watch."""
    begin = time.time() + 1
    start({f"beat:{task}": ground.first_due(task, begin) for task in range(ground.TASKS)})


def mixed() -> None:
    """A member for each of the mixed tasks."""
    start({f"mix:{task.number}": time.time() for task in mix.tasks()})


if __name__ == "__main__":
    ground.play(beats=beats, mixed=mixed)
