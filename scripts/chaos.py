"""Kill, stop and empty things in a practice installation for minutes, then ask whether all of it still holds.

    .venv/bin/python scripts/chaos.py [--minutes 3] [--seed 1]

Every second or two something goes wrong, by the seed: a worker or the promoter is killed, a worker is stopped for
longer than its leases last, Redis is emptied. At the end every active question must have been checked all the time
within its interval, a lease and a minute; nothing may stand there twice; and all that was recorded must be what the
practice markets did. Ends with 1 when something does not hold.
"""

import argparse
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import psutil
import redis

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

from home import Home, fresh_home, wait_until

LEASE_SECONDS, PATIENCE_SECONDS, STOPPED_SECONDS = 3, 60, 5
TWICE = {
    "watches_listing": "marketplace, external_id",
    "watches_match": "watch_id, listing_id",
    "watches_listingevent": "listing_id, kind, at",
    "watches_check": "target_id, started_at",
}
LATE = "SELECT 1 FROM watches_target WHERE kind = 'search' AND active AND (succeeded_at IS NULL OR succeeded_at <= ?)"
RUNS = (
    "SELECT t.id, t.interval_seconds, c.started_at FROM watches_target t"
    " LEFT JOIN watches_check c ON c.target_id = t.id WHERE t.kind = 'search' AND t.active ORDER BY t.id, c.started_at"
)


class Chaos:
    """What may go wrong, one thing at a time."""

    def __init__(self, home: Home, seed: int) -> None:
        self.home = home
        self.chance = random.Random(seed)
        running = json.loads((home.folder / "running.json").read_text(encoding="utf-8"))
        self.client = redis.Redis.from_url(running["redis_url"])
        self.acts: list[Callable[[], None]] = [self.kill_promoter, self.kill_worker, self.stop_worker, self.empty_redis]

    def rage(self, seconds: float) -> dict[str, int]:
        """How often each thing went wrong."""
        done: dict[str, int] = {}
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            act = self.chance.choice(self.acts)
            act()
            done[act.__name__] = done.get(act.__name__, 0) + 1
            time.sleep(self.chance.uniform(1, 3))
        return done

    def kill_promoter(self) -> None:
        """Its supervisor brings another."""
        self._signal(signal.SIGKILL, "run_promoter")

    def kill_worker(self) -> None:
        """In the middle of whatever it does."""
        self._signal(signal.SIGKILL, "rqworker", self.chance.choice(["checks", "express", "alerts", "upkeep"]))

    def stop_worker(self) -> None:
        """For longer than its leases last; then it goes on."""
        self._signal(signal.SIGSTOP, "rqworker", "checks")
        time.sleep(STOPPED_SECONDS)
        self._signal(signal.SIGCONT, "rqworker", "checks")

    def empty_redis(self) -> None:
        """All at once."""
        self.client.flushall()

    def _signal(self, number: signal.Signals, *words: str) -> None:
        for child in psutil.Process(self.home.process.pid).children(recursive=True):
            with suppress(psutil.Error, ProcessLookupError):
                if set(words) <= set(child.cmdline()):
                    os.kill(child.pid, number)


def query(home: Home, sql: str, *values: object) -> list[tuple]:
    """Rows of the installation's database."""
    with sqlite3.connect(f"file:{home.folder / 'db.sqlite3'}?mode=ro", uri=True, timeout=30) as connection:
        return connection.execute(sql, values).fetchall()


def all_checked(home: Home) -> None:
    """Return when every question was answered after now."""
    moment = stored(datetime.now(UTC))
    wait_until(lambda: not query(home, LATE, moment), what="every question is answered again")


def stored(moment: datetime) -> str:
    """As SQLite keeps it."""
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")


def waited(home: Home, since: datetime, until: datetime) -> list[str]:
    """Sentences about questions that waited for too long."""
    moments: dict[tuple[int, int], list[datetime]] = {}
    for target, interval, at in query(home, RUNS):
        began = datetime.fromisoformat(at).replace(tzinfo=UTC) if at else since
        moments.setdefault((target, interval), [since]).append(min(max(since, began), until))
    longest = {
        key: max((later - earlier).total_seconds() for earlier, later in pairwise([*sorted(found), until]))
        for key, found in moments.items()
    }
    return [
        f"question {target} waited for {seconds:.0f} s"
        for (target, interval), seconds in longest.items()
        if seconds > interval + LEASE_SECONDS + PATIENCE_SECONDS
    ]


def doubles(home: Home) -> list[str]:
    """Sentences about what stands there twice."""
    sql = "SELECT COUNT(*) FROM (SELECT 1 FROM {} GROUP BY {} HAVING COUNT(*) > 1)"
    counts = {table: query(home, sql.format(table, columns))[0][0] for table, columns in TWICE.items()}
    return [f"{count} rows of {table} stand there twice" for table, count in counts.items() if count]


def run(minutes: float, seed: int) -> list[str]:
    """What does not hold, in sentences."""
    with fresh_home(LEASE_SECONDS=str(LEASE_SECONDS)) as home:
        all_checked(home)
        since = datetime.now(UTC)
        done = Chaos(home, seed).rage(minutes * 60)
        all_checked(home)
        until = datetime.now(UTC)
        checks = query(home, "SELECT COUNT(*) FROM watches_check")[0][0]
        sys.stdout.write(f"seed {seed}: {done}; {checks} checks in {(until - since).total_seconds():.0f} s\n")
        return [*waited(home, since, until), *doubles(home), *json.loads(home.manage("check_truth", "--json"))["wrong"]]


def main() -> int:
    """Parse, rage, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong = run(options.minutes, options.seed)
    sys.stdout.write("\n".join([*wrong[:20], f"{len(wrong)} things do not hold"]) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
