"""How exactly things happen that must happen at an instant.

    .venv/bin/python benchmarks/exact.py [--instants 100] [--gap-ms 50] [--busy] [--json]

Instants are noted, handed over five seconds early, and held by the threads that a worker of the lane has, in this
process. The error is the server's clock at the first line of the work, less the instant. With ``--busy`` both
processors are kept busy by others meanwhile.
"""

import argparse
import json
import multiprocessing
import statistics
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from bare import own_redis

GOAL_MS = 10.0


def burn() -> None:
    """Keep a processor busy."""
    while True:
        pass


def errors(count: int, gap_ms: int) -> list[float]:
    """Milliseconds off, of each instant."""
    from monitor_site.connections import key, lane_queue, redis_client
    from monitor_site.engine import exact as engine
    from monitor_site.outbox import exact

    client, off, done = redis_client(), [], threading.Event()
    holder = engine.Holder()

    def run(_number: int, instant: datetime) -> None:
        seconds, micros = client.time()
        off.append((seconds + micros / 1e6 - instant.timestamp()) * 1000)
        if len(off) == count:
            done.set()

    exact.register("bench", exact.ExactJob(run=run, pending=lambda _now: ()))
    start = datetime.now(UTC) + timedelta(seconds=6)
    for number in range(count):
        instant = start + timedelta(milliseconds=gap_ms * number)
        exact.at(client, topic="bench", object_id=number, instant=instant)
    holder.start()
    queue = lane_queue("timed", client)
    while not done.is_set():
        engine.hand_over(client, queue, now_ms=int(time.time() * 1000))
        while name := client.lpop(queue.key):
            holder.hold(queue.fetch_job(name.decode()).args[0])
        done.wait(0.5)
    holder.stop(seconds=10)
    assert not client.zcard(key(exact.KIND))
    return off


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Median, p99 and worst error."""
    others = [multiprocessing.Process(target=burn, daemon=True) for _ in range(2 if options.busy else 0)]
    for other in others:
        other.start()
    with own_redis():
        off = sorted(map(abs, errors(options.instants, options.gap_ms)))
    for other in others:
        other.kill()
    worst = off[int(len(off) * 0.99)]
    return {
        "instants": len(off),
        "error ms p50": round(statistics.median(off), 2),
        "error ms p99": round(worst, 2),
        "error ms max": round(off[-1], 2),
        "goal kept": worst <= GOAL_MS,
    }


def main() -> None:
    """Note, hold, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instants", type=int, default=100)
    parser.add_argument("--gap-ms", type=int, default=50)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
