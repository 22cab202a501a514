"""How late checks begin, through the real schedule, promoter, tickets, leases, feeds and workers; they ask nobody.

    .venv/bin/python benchmarks/lateness.py [--targets 10000] [--interval 5] [--marketplaces 1] [--workers 2]
                                            [--seconds 30] [--stragglers 0] [--json]

A check notes its start, waits a millisecond and finds nothing. Neither marketplace nor database is asked, so this is
the schedule alone. Late is the start, by the machine's clock, less the due time in the schedule. With
``--stragglers 1`` one check in a hundred takes three seconds; the figures are then those of the others.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import beats
import noop
from bare import own_redis
from rig import HERE, Rig, rig, spent, wait_for

Counts = Callable[[beats.Run], bool]

WARM_UP_SECONDS = 3
LAST_STARTS_SECONDS = 0.5
PATIENCE_SECONDS = 120
MOST_NOTED_TOGETHER = 500


def start(made: Rig, options: argparse.Namespace, *more: object) -> None:
    """A promoter and workers of the lane, waited for; the schedule is complete, and empty."""
    from monitor_site.connections import key, redis_client
    from monitor_site.engine.schedule import Schedule

    Schedule(redis_client()).mark_built()
    together = max(1, min(MOST_NOTED_TOGETHER, options.targets // 20))
    setting = ("--marketplaces", options.marketplaces, "--interval", options.interval, "--noted-together", together)
    made.start("promoter", HERE / "noop.py", "promoter", "promoter", *setting, *more)
    seats = [f"worker-{number}" for number in range(options.workers)]
    for seat in seats:
        made.start(seat, HERE / "noop.py", "checks", seat, *setting, *more)
    wait_for(lambda: all(redis_client().exists(key("alive", seat)) for seat in seats), made)


def plant(targets: int, *, marketplaces: int, interval: int) -> None:
    """Put every target on its beat, spread over the interval as the product spreads them."""
    from monitor_site.connections import redis_client
    from monitor_site.engine.schedule import Schedule
    from monitor_site.watches.beat import next_beat, phase_ms

    schedule, names = Schedule(redis_client()), noop.marketplaces(marketplaces)
    after_ms = schedule.now_ms() + 1000
    for index, name in enumerate(names):
        phases = {n: phase_ms(noop.key_of(n), interval) for n in range(1, targets + 1) if n % len(names) == index}
        moves = [
            (str(n), "at", next_beat(phase=phase, interval_seconds=interval, after_ms=after_ms))
            for n, phase in phases.items()
        ]
        schedule.put(marketplace=name, moves=moves)


def watch(made: Rig, *, seconds: float, counts: Counts | None = None) -> tuple[float, float, dict[str, Any]]:
    """Let it run, until there was a run that counts: begin and end of the time that counts, and what it cost."""
    before, begin = made.costs(), time.time()
    time.sleep(seconds)
    if counts is not None:
        wait_for(lambda: any(_after(begin, counts, made)), made, seconds=PATIENCE_SECONDS)
    end, used = time.time(), spent(before, made.costs())
    costs = {"cores": round(sum(used.values()) / (end - begin), 2), "cpu_seconds": used, "memory_mb": made.memory()}
    made.demand_alive()
    time.sleep(LAST_STARTS_SECONDS)
    return begin, end, costs


def _after(begin: float, counts: Counts, made: Rig) -> Iterator[bool]:
    return (one.due >= begin and counts(one) for one in beats.read(made.folder))


def expected(options: argparse.Namespace, *, begin: float, end: float) -> int:
    """How many beats lie between two moments; of stragglers none."""
    step, count = options.interval * 1000, 0
    for number in range(1, options.targets + 1):
        phase = int(noop.key_of(number)[:12], 16) % step
        first = math.ceil((begin * 1000 - phase) / step)
        dues = range(phase + first * step, math.ceil(end * 1000), step)
        count += (
            sum(not noop.straggles(number, due, options.stragglers) for due in dues)
            if options.stragglers
            else len(dues)
        )
    return count


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Start, settle, count."""
    with rig("ours") as made:
        start(made, options, "--stragglers", options.stragglers)
        plant(options.targets, marketplaces=options.marketplaces, interval=options.interval)
        time.sleep(options.interval + WARM_UP_SECONDS)
        begin, end, costs = watch(
            made, seconds=options.seconds, counts=lambda one: not _straggled(one, options.stragglers)
        )
        made.stop()
        runs = [one for one in beats.read(made.folder) if not _straggled(one, options.stragglers)]
    found = beats.figures(runs, begin=begin, end=end, expected=expected(options, begin=begin, end=end))
    return found | costs


def _straggled(one: beats.Run, percent: float) -> bool:
    return bool(percent) and noop.straggles(one.task, round(one.due * 1000), percent)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The size of the load."""
    parser.add_argument("--targets", type=int, default=10_000)
    parser.add_argument("--interval", type=int, default=5, help="seconds")
    parser.add_argument("--marketplaces", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--stragglers", type=float, default=0, help="percent of the checks that take three seconds")


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    arguments(parser)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with own_redis():
        found = run(options)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
