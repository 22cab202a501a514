"""What an installation costs that has little to do: a thousand watches, each asked once a minute, over few questions.

    .venv/bin/python benchmarks/idle.py [--watches 1000] [--questions 10] [--interval 60] [--seconds 120] [--json]

Counted are the processor seconds of the promoter, of the workers and of the process that keeps them, as a share of one
core; web server, practice markets and Redis stand beside them. Watches with the same question share a check, so with
the usual ten questions nearly all of it is what being there costs; with ``--questions 1000`` the checks are most of it.
How many checks there were is said.
"""

import argparse
import json
import time
from collections import Counter
from typing import Any

import psutil
from home import Home, fresh_home, wait_until
from load import query

GOAL_PERCENT = 3.0
# Its own watches would be most of what is asked; they make room.
DEMO = "demo"
PATIENCE_SECONDS = 300
PARTS = {"run_promoter": "promoter", "run_web": "web", "run_practice": "practice markets", "home": "home"}
BESIDE = {"web", "practice markets", "home", "redis", "other"}
UNCHECKED = "SELECT 1 FROM watches_target WHERE active AND kind = 'search' AND checked_at IS NULL LIMIT 1"
CHECKS = "SELECT COALESCE(MAX(id), 0) FROM watches_check"


def part(words: list[str]) -> str:
    """What a process is, by its command line."""
    if "rqworker" in words:
        lane = words[words.index("rqworker") + 1 :][:1]
        return f"worker {lane[0]}" if lane else "keeper of the workers"
    if any("redis-server" in word for word in words[:1]):
        return "redis"
    return next((name for word, name in PARTS.items() if word in words), "other")


def spent(home: Home) -> tuple[Counter[str], int, float]:
    """Processor seconds so far by part, the last check, and when that was."""
    found: Counter[str] = Counter()
    main = psutil.Process(home.process.pid)
    for one in (main, *main.children(recursive=True)):
        found[part(one.cmdline())] += sum(one.cpu_times()[:2])
    return found, query(home, CHECKS)[0][0], time.monotonic()


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Seed, let the first answers pass, count."""
    with fresh_home(LOAD_GUARD="1") as home:
        home.manage(
            "seed_watches", "--user", DEMO, "--clear", "--watches", str(options.watches),
            "--questions", str(options.questions), "--interval", str(options.interval),
        )  # fmt: skip
        wait_until(lambda: not query(home, UNCHECKED), what="every question was asked", seconds=PATIENCE_SECONDS)
        time.sleep(options.settles)
        before = spent(home)
        time.sleep(options.seconds)
        after = spent(home)
    return figures(before, after, options.watches)


def figures(
    before: tuple[Counter[str], int, float], after: tuple[Counter[str], int, float], watches: int
) -> dict[str, Any]:
    """Shares of one core, the engine's together and each part's."""
    took = after[2] - before[2]
    shares = {name: round(100 * (after[0][name] - before[0][name]) / took, 2) for name in sorted(after[0])}
    engine = round(sum(share for name, share in shares.items() if name not in BESIDE), 2)
    return {
        "watches": watches,
        "checks": after[1] - before[1],
        "engine_percent_of_a_core": engine,
        "goal_kept": engine <= GOAL_PERCENT,
        "percent_of_a_core": shares,
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watches", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=10)
    parser.add_argument("--interval", type=int, default=60, help="seconds")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--settles", type=float, default=30, help="seconds after the first answers that do not count")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
