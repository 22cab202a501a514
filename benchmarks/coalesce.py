"""How often a marketplace is asked for many watches over few questions, counted at the practice market.

    .venv/bin/python benchmarks/coalesce.py [--watches 1000] [--questions 100] [--interval 10] [--seconds 30] [--json]

The watches of a question differ in their highest price and belong to several people. One request per watch is what the
same watches would ask without sharing: their number by their interval. Counted are searches with the words of these
watches, whatever they were for; the daily question for sold prices is among them.
"""

import argparse
import json
import re
import time
from typing import Any

from home import Home, fresh_home, wait_until
from load import query

WATCHES_A_PERSON = 2_500
PATIENCE_SECONDS = 300
UNCHECKED = "SELECT 1 FROM watches_target WHERE active AND kind = 'search' AND checked_at IS NULL LIMIT 1"
SEEDED = re.compile(r"[a-z]+\d+")


def seed(home: Home, options: argparse.Namespace) -> None:
    """The same questions for everybody."""
    for first in range(0, options.watches, WATCHES_A_PERSON):
        home.manage(
            "seed_watches", "--user", f"person-{first}", "--interval", str(options.interval),
            "--watches", str(min(WATCHES_A_PERSON, options.watches - first)), "--questions", str(options.questions),
        )  # fmt: skip


def asked(home: Home) -> tuple[float, int]:
    """How often the market was asked for the seeded words so far, and when it said so."""
    told = home.practice_state("asked")
    return time.monotonic(), sum(shelf["times"] for word, shelf in told.items() if SEEDED.fullmatch(word))


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Seed, settle, count."""
    with fresh_home() as home:
        seed(home, options)
        wait_until(lambda: not query(home, UNCHECKED), what="every question was asked", seconds=PATIENCE_SECONDS)
        # Once more: what was due at once when it was made is on its beat now.
        time.sleep(options.interval)
        began, before = asked(home)
        time.sleep(options.seconds)
        wait_until(lambda: asked(home)[1] > before, what="the market was asked again", seconds=PATIENCE_SECONDS)
        ended, after = asked(home)
    ours, alone = (after - before) / (ended - began), options.watches / options.interval
    return {
        "watches": options.watches,
        "questions": options.questions,
        "requests_a_second": round(ours, 2),
        "one_a_watch_a_second": round(alone, 2),
        "share_percent": round(100 * ours / alone, 1),
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watches", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--interval", type=int, default=10, help="seconds")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
