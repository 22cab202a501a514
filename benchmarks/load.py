"""Many watches in the practice market for some minutes: lateness, missed beats, and what losses cost.

    .venv/bin/python benchmarks/load.py [--watches 500] [--questions 200] [--interval 5] [--minutes 5] [--faults]
                                        [--json]

With ``--faults`` a checks worker and the promoter are killed and Redis is emptied while it runs, and the longest time
until every target was checked again after each is reported.
"""

import argparse
import json
import os
import signal
import sqlite3
import time
from datetime import UTC, datetime
from typing import Any

import psutil
import redis
from home import Home, fresh_home, wait_until

SHOWN = ("watches", "targets", "lateness_ms", "checks", "checks_failed", "missed_beats", "matches", "listings")


def query(home: Home, sql: str, *values: object) -> list[Any]:
    """Rows of the installation's database."""
    with sqlite3.connect(f"file:{home.folder / 'db.sqlite3'}?mode=ro", uri=True, timeout=30) as connection:
        return connection.execute(sql, values).fetchall()


def seconds_until_all_checked(home: Home) -> float:
    """How long until every active target has succeeded after now."""
    moment = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    late = "SELECT 1 FROM watches_target WHERE active AND (succeeded_at IS NULL OR succeeded_at <= ?) LIMIT 1"
    began = time.monotonic()
    wait_until(lambda: not query(home, late, moment), what="every target is checked again")
    return round(time.monotonic() - began, 1)


def kill(home: Home, *words: str) -> None:
    """SIGKILL the processes of this installation whose command line holds all words."""
    for child in psutil.Process(home.process.pid).children(recursive=True):
        if set(words) <= set(child.cmdline()):
            os.kill(child.pid, signal.SIGKILL)


def faults(home: Home) -> dict[str, float]:
    """Lose one thing after the other."""
    client = redis.Redis.from_url(json.loads((home.folder / "running.json").read_text())["redis_url"])
    losses = {
        "worker killed": lambda: kill(home, "rqworker", "checks"),
        "promoter killed": lambda: kill(home, "run_promoter"),
        "FLUSHALL": client.flushall,
    }
    return {f"all checked again after {name}, s": _after(home, lose) for name, lose in losses.items()}


def _after(home: Home, lose: Any) -> float:
    lose()
    return seconds_until_all_checked(home)


def doubles(home: Home) -> dict[str, int]:
    """Listings and matches that stand there twice; must be none."""
    twice = "SELECT COUNT(*) FROM (SELECT 1 FROM {} GROUP BY {} HAVING COUNT(*) > 1)"
    return {
        "listings_twice": query(home, twice.format("watches_listing", "marketplace, external_id"))[0][0],
        "matches_twice": query(home, twice.format("watches_match", "watch_id, listing_id"))[0][0],
    }


def cpu_seconds(home: Home) -> float:
    """CPU of all processes of the installation so far."""
    processes = [psutil.Process(home.process.pid), *psutil.Process(home.process.pid).children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Seed, settle, run, read."""
    with fresh_home() as home:
        seed = {"--watches": options.watches, "--questions": options.questions, "--interval": options.interval}
        home.manage("seed_watches", *(str(part) for pair in seed.items() for part in pair))
        seconds_until_all_checked(home)
        time.sleep(60)
        began, cpu = time.monotonic(), cpu_seconds(home)
        settled = home.status()
        time.sleep(options.minutes * 60)
        figures = {name: home.status()[name] for name in SHOWN}
        figures["cores"] = round((cpu_seconds(home) - cpu) / (time.monotonic() - began), 2)
        figures["missed_beats_at_start"] = settled["missed_beats"]
        if options.faults:
            figures |= faults(home)
        return figures | doubles(home)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watches", type=int, default=500)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--interval", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = run(options)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
