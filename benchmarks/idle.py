"""What an installation costs that has nothing to do, and what clockwork costs that asks nobody: processor and memory.

    .venv/bin/python benchmarks/idle.py [--watches 1000] [--interval 60] [--asked 0] [--questions 10] [--seconds 120]
                                        [--json]

``clockwork`` are a promoter and a checks worker with so many targets whose checks ask nobody, as in ``lateness.py``.
``installation`` is all that `make run` runs, without the demo's watches: every lane, the housekeeping and the practice
markets. With ``--asked 1000`` it has watches over so many ``--questions``, which it asks the practice market: then the
checks are most of it, and how many there were is said.

Both are shares of one core. The goal is for both together, although promoter and checks worker are counted twice then.
Web server, practice markets, Redis and the process above all stand beside it.
"""

import argparse
import json
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import lateness
import psutil
from bare import own_redis
from home import Home, command_of, fresh_home, wait_until
from load import query
from rig import rig

GOAL_PERCENT = 3.0
# Its own watches would be most of what is asked; they make room.
DEMO = "demo"
PATIENCE_SECONDS = 300
PARTS = {"run_promoter": "promoter", "run_web": "web", "run_practice": "practice markets", "home": "home"}
LANES = ("checks", "upkeep", "alerts")
ALL_PARTS = {*PARTS.values(), *(f"worker {lane}" for lane in LANES), "keeper of the workers", "redis"}
BESIDE = {"web", "practice markets", "home", "redis", "other"}
UNCHECKED = "SELECT 1 FROM watches_target WHERE active AND kind = 'search' AND checked_at IS NULL LIMIT 1"
CHECKS = "SELECT COALESCE(MAX(id), 0) FROM watches_check"
AS_LATENESS = {"marketplaces": 1, "workers": 1, "stragglers": 0}


def part(words: list[str]) -> str:
    """What a process is, by its command line."""
    if "rqworker" in words:
        lane = words[words.index("rqworker") + 1 :][:1]
        return f"worker {lane[0]}" if lane else "keeper of the workers"
    if any(name in word for word in words[:1] for name in ("redis-server", "valkey-server")):
        return "redis"
    return next((name for word, name in PARTS.items() if word in words), "other")


def spent(home: Home) -> tuple[Counter[str], int, float]:
    """Processor seconds so far by part, the last check, and when that was."""
    found: Counter[str] = Counter()
    for one in processes(home):
        with suppress(psutil.NoSuchProcess):
            found[part(one.cmdline())] += sum(one.cpu_times()[:2])
    return found, query(home, CHECKS)[0][0], time.monotonic()


def processes(home: Home) -> list[psutil.Process]:
    """All that runs for an installation."""
    main = psutil.Process(home.process.pid)
    return [main, *main.children(recursive=True)]


def parts(home: Home) -> set[str]:
    """What runs by now."""
    return {part(command_of(one)) for one in processes(home)}


def memory(home: Home) -> dict[str, float]:
    """Megabytes that are resident now, by part; what processes share counts for each."""
    held: Counter[str] = Counter()
    for one in processes(home):
        with suppress(psutil.NoSuchProcess):
            held[part(one.cmdline())] += one.memory_info().rss
    return {name: round(size / 1e6, 1) for name, size in sorted(held.items())} | {"all": round(held.total() / 1e6, 1)}


def installation(options: argparse.Namespace) -> dict[str, Any]:
    """Start one, let what is new there pass, count."""
    with fresh_home(LOAD_GUARD="1") as home:
        home.manage(
            "seed_watches", "--user", DEMO, "--clear", "--watches", str(options.asked),
            "--questions", str(options.questions), "--interval", str(options.interval),
        )  # fmt: skip
        wait_until(lambda: not query(home, UNCHECKED), what="every question was asked", seconds=PATIENCE_SECONDS)
        wait_until(lambda: parts(home) >= ALL_PARTS, what="every part runs")
        time.sleep(options.settles)
        before = spent(home)
        time.sleep(options.seconds)
        if options.asked:
            wait_until(lambda: query(home, CHECKS)[0][0] > before[1], what="a check was made")
        return figures(before, spent(home)) | {"memory_mb": memory(home)}


def figures(before: tuple[Counter[str], int, float], after: tuple[Counter[str], int, float]) -> dict[str, Any]:
    """Shares of one core, the engine's together and each part's."""
    took = after[2] - before[2]
    shares = {name: round(100 * (after[0][name] - before[0][name]) / took, 2) for name in sorted(after[0])}
    return {"checks": after[1] - before[1], "engine_percent": engine(shares), "percent_of_a_core": shares}


def engine(shares: dict[str, float]) -> float:
    """Promoter, workers, and the process that keeps them."""
    return round(sum(share for name, share in shares.items() if name not in BESIDE), 2)


def clockwork(options: argparse.Namespace) -> dict[str, Any]:
    """The same beats with checks that ask nobody and record nothing."""
    beats = argparse.Namespace(targets=options.watches, interval=options.interval, **AS_LATENESS)
    with own_redis(), rig("ours") as made:
        lateness.start(made, beats)
        lateness.plant(beats.targets, marketplaces=1, interval=beats.interval)
        time.sleep(options.settles)
        _, _, costs = lateness.watch(made, seconds=options.seconds)
    shares = {name: round(100 * used / options.seconds, 2) for name, used in costs["cpu_seconds"].items()}
    return {"engine_percent": engine(shares), "percent_of_a_core": shares, "memory_mb": costs["memory_mb"]}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """The installation first: the other one's Redis would be its own."""
    idle, beats = installation(options), clockwork(options)
    percent = round(idle["engine_percent"] + beats["engine_percent"], 2)
    return {"engine_percent": percent, "goal_kept": percent <= GOAL_PERCENT, "installation": idle, "clockwork": beats}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watches", type=int, default=1000, help="targets of the clockwork")
    parser.add_argument("--interval", type=int, default=60, help="seconds")
    parser.add_argument("--asked", type=int, default=0, help="watches of the installation")
    parser.add_argument("--questions", type=int, default=10, help="different ones among those")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--settles", type=float, default=30, help="seconds after the beginning that do not count")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
