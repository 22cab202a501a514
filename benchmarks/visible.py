"""How long a new listing takes from the practice market's search to the page of the person who wants it.

    .venv/bin/python benchmarks/visible.py [--listings 50] [--interval 5] [--json]

A watch of ``--interval`` seconds waits for a word that only this run uses. Each listing becomes visible in search at a
known moment; the page's own stream says that something is new, and the page is asked until it shows the listing.
"""

import argparse
import json
import queue
import re
import threading
import time
from typing import Any

import httpx
from home import Home, fresh_home, quantile, wait_until

CURSOR = re.compile(r'/events/\?[^"]*after=([0-9-]+)')


def make_watch(browser: httpx.Client, word: str, interval: int) -> None:
    """Fill in the form as a person would."""
    page = browser.get("/watches/new/").text
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
    form = hidden | {
        "must": word, "any_of": "", "none_of": "", "name": word, "marketplaces": "mercari", "price_min": "",
        "price_max": "", "shipping": "any", "pace": "custom", "interval_seconds": str(interval),
    }  # fmt: skip
    answer = browser.post("/watches/new/", data=form)
    if "/new/" in str(answer.url):
        raise SystemExit(f"the form was refused: {re.findall(r'field__error[^>]*>([^<]+)', answer.text)}")


def listen(browser: httpx.Client, heard: "queue.Queue[float]") -> None:
    """Put the moment of every ``matches`` message of the page's stream into ``heard``."""
    page = browser.get("/matches/").text
    found = CURSOR.search(page)
    address = f"/events/?page=matches&after={found.group(1) if found else ''}"
    with browser.stream("GET", address, timeout=None) as stream:
        for line in stream.iter_lines():
            if line == "event: matches":
                heard.put(time.time())


def measure(home: Home, browser: httpx.Client, word: str, heard: "queue.Queue[float]", number: int) -> float:
    """Seconds from visible in search to shown on the page."""
    listed = home.practice("list", title=f"{word} 見本 {number}号", price=3_000 + number, visible_in=0)
    while True:
        heard.get(timeout=60)
        if f"{number}号" in browser.get("/matches/", params={"q": word}).text:
            return time.time() - float(listed["visible_at"])


def run(listings: int, interval: int) -> dict[str, Any]:
    """All listings, one after the other, at moments that have nothing to do with the schedule."""
    word = f"ヴィズ{int(time.time()) % 100_000}"
    with fresh_home() as home:
        browser = home.browser()
        make_watch(browser, word, interval)
        wait_until(lambda: word in browser.get("/watches/").text, what="the watch stands in the list")
        time.sleep(2 * interval)
        home.practice("pause")
        heard: queue.Queue[float] = queue.Queue()
        threading.Thread(target=listen, args=(browser, heard), daemon=True).start()
        time.sleep(1)
        seconds = []
        for number in range(listings):
            seconds.append(measure(home, browser, word, heard, number))
            # Spread over the interval: a listing that always came right after a check would always wait the longest.
            time.sleep((number * 0.618 * interval) % interval)
    return {
        "listings": listings,
        "interval_seconds": interval,
        "median_s": round(quantile(seconds, 0.5), 3),
        "p95_s": round(quantile(seconds, 0.95), 3),
        "max_s": round(max(seconds), 3),
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listings", type=int, default=50)
    parser.add_argument("--interval", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = run(options.listings, options.interval)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
