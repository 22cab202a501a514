"""One watch over both practice markets while something else goes wrong every half minute: what the person is told.

    .venv/bin/python benchmarks/trouble.py [--minutes 10] [--json]

Every thirty seconds a fault strikes one marketplace for a while. Towards its end the list of watches is read as its
person reads it. At the end everything recorded is compared with the truth logs, and lateness is read.
"""

import argparse
import json
import sqlite3
import time
from dataclasses import dataclass, field
from typing import Any

import httpx
from home import Home, fresh_home, quantile, wait_until
from selectolax.lexbor import LexborHTMLParser

EVERY_SECONDS = 30
STRIKES_SECONDS = 18
READS_AFTER_SECONDS = 16
WORD = "ルミナ"
NAME = "Trouble"


@dataclass(frozen=True)
class Fault:
    """A fault of a marketplace; ``resets``: it would outlast its slot, so the operator closes the breaker after it."""

    marketplace: str
    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    resets: bool = False


SCRIPT = (
    Fault("mercari", "status", {"status": 500}),
    Fault("yahoo_auctions", "maintenance"),
    Fault("mercari", "throttle", {"retry_after": 7}),
    Fault("yahoo_auctions", "layout", {"part": "list"}),
    Fault("mercari", "truncate"),
    Fault("yahoo_auctions", "busy"),
    Fault("mercari", "block200", resets=True),
    Fault("yahoo_auctions", "captcha", resets=True),
    Fault("mercari", "layout", {"part": "rows"}),
    Fault("yahoo_auctions", "drip", {"seconds": 2}),
    Fault("mercari", "hang"),
    Fault("yahoo_auctions", "empty"),
    Fault("mercari", "expired", resets=True),
    Fault("yahoo_auctions", "throttle", {"retry_after": 7}),
    Fault("mercari", "gzip_bomb"),
    Fault("yahoo_auctions", "block403", resets=True),
    Fault("mercari", "cut"),
    Fault("yahoo_auctions", "geo", resets=True),
    Fault("mercari", "charset"),
    Fault("yahoo_auctions", "charset"),
)


def make_watch(browser: httpx.Client) -> None:
    """Fill in the form as a person would."""
    form = {
        "must": WORD, "any_of": "", "none_of": "", "name": NAME, "marketplaces": ["mercari", "yahoo_auctions"],
        "price_min": "", "price_max": "", "shipping": "any", "pace": "custom", "interval_seconds": "5",
    }  # fmt: skip
    page = browser.get("/watches/new/").text
    hidden = {
        node.attributes["name"]: node.attributes.get("value") or ""
        for node in LexborHTMLParser(page).css('main input[type="hidden"]')
    }
    answer = browser.post("/watches/new/", data=hidden | form)
    if "/new/" in str(answer.url):
        raise SystemExit(f"the form was refused: {told(answer.text, '.field__error')}")


def told(page: str, selector: str) -> list[str]:
    """The texts under a selector, spaces squeezed."""
    return [" ".join(node.text(separator=" ").split()) for node in LexborHTMLParser(page).css(selector)]


def strike(home: Home, fault: Fault) -> None:
    """Let a fault strike for a while."""
    order = {"kind": fault.kind, "for_seconds": STRIKES_SECONDS, "route": "*", **fault.options}
    address = f"{home.markets[fault.marketplace]}/_practice/faults"
    httpx.post(address, json=order, trust_env=False, timeout=30).raise_for_status()


def what_is_shown(browser: httpx.Client) -> dict[str, Any]:
    """What the list of watches says at the top and in the row of the watch."""
    page = browser.get("/watches/").text
    row = [line for line in told(page, "table.wl tbody tr") if NAME in line]
    return {"notes": told(page, ".attention .note"), "row": row[0] if row else ""}


def play(home: Home, browser: httpx.Client, faults: tuple[Fault, ...]) -> list[dict[str, Any]]:
    """Strike with one fault after the other; what was shown and recorded at each."""
    played = []
    for fault in faults:
        began = time.monotonic()
        last = last_check(home)
        strike(home, fault)
        time.sleep(READS_AFTER_SECONDS)
        shown = what_is_shown(browser)
        played.append({"fault": f"{fault.marketplace} {fault.kind}", **shown, "checks": outcomes(home, last)})
        time.sleep(max(0.0, STRIKES_SECONDS - (time.monotonic() - began)))
        if fault.resets:
            home.manage("reset_breaker", fault.marketplace)
        time.sleep(max(0.0, EVERY_SECONDS - (time.monotonic() - began)))
    return played


def query(home: Home, sql: str, *values: object) -> list[Any]:
    """Rows of the installation's database."""
    with sqlite3.connect(f"file:{home.folder / 'db.sqlite3'}?mode=ro", uri=True, timeout=30) as connection:
        return connection.execute(sql, values).fetchall()


def last_check(home: Home) -> int:
    """The id of the newest check."""
    return int(query(home, "SELECT COALESCE(MAX(id), 0) FROM watches_check")[0][0])


def outcomes(home: Home, after: int) -> dict[str, int]:
    """How the checks after an id ended, by marketplace."""
    found = query(
        home,
        "SELECT t.marketplace || ' ' || CASE WHEN c.error = '' THEN c.outcome ELSE c.error END, COUNT(*)"
        " FROM watches_check c JOIN watches_target t ON t.id = c.target_id WHERE c.id > ? GROUP BY 1",
        after,
    )
    return dict(found)


def lateness(home: Home) -> dict[str, float]:
    """Milliseconds from due to start, over all checks."""
    late = [row[0] for row in query(home, "SELECT lateness_ms FROM watches_check")]
    return {name: quantile(late, share) for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))}


def run(minutes: float) -> dict[str, Any]:
    """All of it."""
    with fresh_home() as home:
        browser = home.browser()
        browser.cookies.set("django_language", "en")
        make_watch(browser)
        wait_until(lambda: told(browser.get("/matches/").text, ".match"), what="the first match")
        played = play(home, browser, SCRIPT[: int(minutes * 60 / EVERY_SECONDS)])
        time.sleep(EVERY_SECONDS)
        truth = json.loads(home.manage("check_truth", "--json"))
        return {"played": played, "lateness_ms": lateness(home), "truth": truth, "in_the_end": what_is_shown(browser)}


def in_words(figures: dict[str, Any]) -> str:
    """For a person."""
    lines = [f"{each['fault']}: {each['checks']}\n    {each['notes']}\n    {each['row']}" for each in figures["played"]]
    end = {name: figures[name] for name in ("lateness_ms", "truth", "in_the_end")}
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in end.items())])


def main() -> None:
    """Parse, play, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = run(options.minutes)
    print(json.dumps(figures, ensure_ascii=False) if options.json else in_words(figures))


if __name__ == "__main__":
    main()
