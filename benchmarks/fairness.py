"""How often each person's watches are asked where one has thousands and fifty have a few.

    .venv/bin/python benchmarks/fairness.py [--crowd 5000] [--people 50] [--few 5] [--pace 20] [--interval 60] [--json]

One person with a crowd of watches beside others with a few each, all of the same interval, at one marketplace. What is
planned is compared with first come, first served, where everybody waits for the crowd.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from monitor_site.watches.plan import Asked, capacity, plan


def questions(options: argparse.Namespace) -> list[Asked]:
    """Person 0 has the crowd."""
    owners = [0] * options.crowd + [1 + number // options.few for number in range(options.people * options.few)]
    return [Asked(id=pk, seconds=options.interval, users=(user,)) for pk, user in enumerate(owners)]


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """The intervals of each kind of person, in seconds."""
    asked, pace = questions(options), capacity(options.pace)
    begun = time.process_time()
    planned = plan(asked, {}, pace=pace)
    spent = time.process_time() - begun
    by_user: dict[int, list[int]] = {}
    for one in asked:
        by_user.setdefault(one.users[0], []).append(planned[one.id].seconds)  # type: ignore[index]
    few = [seconds for user, own in by_user.items() if user for seconds in own]
    return {
        "questions": len(asked),
        "wished requests a minute": round(60 * len(asked) / options.interval),
        "shared requests a minute": pace,
        "planned requests a minute": round(sum(60 / one.seconds for one in planned.values()), 2),
        "crowd: one watch is asked every, s": max(by_user[0]),
        "crowd: requests a minute of that person": round(sum(60 / seconds for seconds in by_user[0]), 3),
        "few: one watch is asked every, s (fastest, slowest)": [min(few), max(few)],
        "few: requests a minute of one of them": round(sum(60 / seconds for seconds in by_user[1]), 3),
        "first come, first served: every watch every, s": round(60 * len(asked) / pace),
        "milliseconds to plan": round(1000 * spent, 1),
    }


def main() -> None:
    """Plan, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("crowd", 5000), ("people", 50), ("few", 5), ("pace", 20), ("interval", 60)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
