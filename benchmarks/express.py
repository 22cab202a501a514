"""How long a job of the lane for what cannot wait is on its way, while checks saturate all processors.

    .venv/bin/python benchmarks/express.py [--jobs 300] [--gap-ms 50] [--workers 2] [--burn-ms 10] [--json]

The checks are the engine's, only that each burns the processor instead of asking somebody; more are due than can be
done. From before a job is enqueued to its first line. The first fifth of the jobs warms up and does not count.
"""

import argparse
import json
import random
import time
from typing import Any

import beats
import lateness
from bare import own_redis
from rig import HERE, Rig, rig, wait_for

WARM_UP_SECONDS = 5
DEMAND = 3.0
GOAL_MS = 50.0


def load(options: argparse.Namespace) -> argparse.Namespace:
    """So many checks a second that the workers cannot keep up."""
    targets = max(1, round(DEMAND * options.workers * 1000 / options.burn_ms))
    return argparse.Namespace(targets=targets, interval=1, marketplaces=1, workers=options.workers, stragglers=0)


def send(options: argparse.Namespace) -> None:
    """Enqueue one job after the other, at uneven distances."""
    from monitor_site.connections import lane_queue, redis_client

    queue, chance = lane_queue("express", redis_client()), random.Random(1)
    for number in range(options.jobs):
        queue.enqueue("arrival.note", number, time.time(), result_ttl=0)
        time.sleep(options.gap_ms / 1000 * chance.uniform(0.5, 1.5))


def noted(made: Rig, options: argparse.Namespace) -> list[beats.Run]:
    """The notes of the lane's worker, once it has run everything."""
    folder = made.folder / "express"
    wait_for(lambda: len(beats.read(folder)) >= options.jobs, made)
    return beats.read(folder)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Saturate, send, read."""
    with rig("express") as made:
        (made.folder / "express").mkdir()
        made.start("express", HERE / "noop.py", "express", "express", BENCH_NOTES=str(made.folder / "express"))
        checks = load(options)
        lateness.start(made, checks, "--burn-ms", options.burn_ms)
        lateness.plant(checks.targets, marketplaces=1, interval=checks.interval)
        time.sleep(WARM_UP_SECONDS)
        begin, before = time.monotonic(), made.costs()
        send(options)
        took, after = time.monotonic() - begin, made.costs()
        runs = sorted(noted(made, options), key=lambda one: one.task)[options.jobs // 5 :]
    checked = sum(after[name] - before[name] for name in after if name.startswith("worker"))
    found = beats.lateness([one.started - one.due for one in runs])
    p99 = found["p99"]
    kept = p99 is not None and p99 <= GOAL_MS
    return {"jobs": len(runs), "delay_ms": found, "cores_of_checks": round(checked / took, 2), "goal_kept": kept}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--gap-ms", type=float, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--burn-ms", type=float, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with own_redis():
        found = run(options)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
