"""How long a fresh installation takes from its start to the first match on the page; installing packages not counted.

.venv/bin/python benchmarks/first_match.py [--json]
"""

import argparse
import json
import time
from typing import Any

from home import fresh_home, wait_until


def run() -> dict[str, Any]:
    """Start, sign in, look at the feed until a card stands there."""
    began = time.monotonic()
    with fresh_home() as home:
        serving = time.monotonic()
        browser = home.browser()
        wait_until(lambda: '<article class="card match' in browser.get("/matches/").text, what="a match")
        shown = time.monotonic()
    return {"start_to_address_s": round(serving - began, 1), "start_to_first_match_s": round(shown - began, 1)}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = run()
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
