"""How many real checks a second a core does over HTTP, beside the client and the libraries alone for the same pages.

    .venv/bin/python benchmarks/checks.py [--questions 60] [--interval 1] [--seconds 30] [--json]

An installation with both practice markets, all in processes of their own, has more due than it can do. Counted are
the processor seconds of the workers that check: asking, reading, matching, recording and all. Beside them stands the
bare loop: the requests of the same questions, sent again by the HTTP library's own client, in one process without
pace, schedule or database, and the same bytes given to the JSON reader or the HTML parser alone, which read no field
of them. The share compares processor seconds with processor seconds: what the pages of all counted checks would have
cost the bare loop, by what the workers took for them. Time on the wall plays no part.

``share_of_the_limit_percent`` takes the bare loop as it runs before anything is due, on a machine that rests;
``share_under_the_same_load_percent`` as it runs right after the count, while the workers go on: processors that share
their caches and threads do less in a second, and that is no doing of the product.
``share_of_the_limit_over_our_pool_percent`` is under that load, and the client of the bare loop uses the pool that the
product has made leaner for itself: stricter, since what the product gained there counts for the limit, too.
``share_of_client_and_reading_percent`` is under that load too, with the plugin's own reading of the same bytes in place
of the bare library. Both loops read every page; the product does not read again what is byte for byte as before.
Memory is that of the same workers. Pages are as large as the practice markets make them; the figures say how large.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from statistics import mean
from typing import Any

import httpx
import psutil
from home import ROOT, Home, command_of, fresh_home, wait_until
from load import query
from parsing import Recorder, _answer, anew, bare, seconds

AT_ONCE = 32
ROUNDS = 3
WARM_UP_SECONDS = 10
COUNTED = """
    SELECT t.marketplace, COUNT(*), COALESCE(SUM(c.pages), 0), COALESCE(SUM(c.bytes), 0), SUM(c.outcome = 'failed')
    FROM watches_check c JOIN watches_target t ON t.id = c.target_id WHERE c.id > ? AND c.id <= ? GROUP BY 1
"""
Limits = dict[str, dict[str, float]]
Send = Callable[[], Awaitable[httpx.Response]]


class Repeater(Recorder):
    """Keeps how to send each request once more."""

    def __post_init__(self) -> None:
        """Nothing was sent."""
        super().__post_init__()
        self.sent: list[Send] = []

    async def get(self, url: str, *, headers: Any = None, weight: int = 1) -> Any:
        """Fetch."""
        self.sent.append(lambda: self.client.get(url, headers=headers))
        return await super().get(url, headers=headers, weight=weight)

    async def post(self, url: str, *, json: Any, headers: Any = None, weight: int = 1) -> Any:
        """Post."""
        self.sent.append(lambda: self.client.post(url, json=json, headers=headers))
        return await super().post(url, json=json, headers=headers, weight=weight)


def word(number: int) -> str:
    """What the question of that number asks for."""
    return f"カメラ{number}"


def bare_client() -> httpx.AsyncClient:
    """The library's own client, with as many connections as the product keeps."""
    pool = httpx.Limits(max_connections=500, max_keepalive_connections=100, keepalive_expiry=30)
    return httpx.AsyncClient(limits=pool, trust_env=False, timeout=None, headers={"accept-encoding": "gzip"})


def own_client() -> httpx.AsyncClient:
    """The same client over the connections of the product."""
    from monitor_site.marketplaces.transport import open_client

    return open_client(guarded=False)


async def limit(name: str, address: str, questions: int, opened: Callable[[], httpx.AsyncClient]) -> dict[str, float]:
    """Processor seconds of one page by client and library alone, and by the plugin's own reading; its bytes."""
    plugin = import_module(f"plugins.{name}").plugin
    async with opened() as client:
        session = Repeater(address, client)
        market = plugin.connect(session)
        for number in range(questions):
            await market.search(plugin.manifest.criteria(keyword=word(number)))
        free, began, sizes = asyncio.Semaphore(AT_ONCE), time.process_time(), []

        async def once(send: Send) -> None:
            async with free:
                answer = _answer((await send()).raise_for_status())
            bare(answer)()
            sizes.append(len(answer.body))

        for _ in range(ROUNDS):
            await asyncio.gather(*map(once, session.sent))
        alone = (time.process_time() - began) / len(sizes)
        reading = mean(seconds(partial(anew(parse), answer), ROUNDS) for answer, parse in session.answers)
        library = mean(seconds(bare(answer), ROUNDS) for answer, _parse in session.answers)
    return {"seconds": alone, "read": alone - library + reading, "bytes": mean(sizes)}


def seed(home: Home, options: argparse.Namespace) -> None:
    """A watch for each question, at both markets."""
    os.environ |= {"DATA_DIR": str(home.folder), "DJANGO_SETTINGS_MODULE": "monitor_site.settings"}
    import django

    django.setup()
    from django.utils import timezone

    from monitor_site.accounts.models import User
    from monitor_site.watches.services import Wish, create_watch

    user = User.objects.create(username="bench")
    for number in range(options.questions):
        wish = Wish(
            name=f"Bench {number}", marketplaces=sorted(home.markets), must=[word(number)],
            interval_seconds=options.interval,
        )  # fmt: skip
        create_watch(user=user, wish=wish, now=timezone.now())


def workers(home: Home) -> list[psutil.Process]:
    """The processes that check."""
    running = psutil.Process(home.process.pid).children(recursive=True)
    return [one for one in running if {"rqworker", "checks"} <= set(command_of(one))]


def spent(home: Home) -> tuple[int, float, float]:
    """The last check so far, processor seconds and megabytes of the workers."""
    mine = workers(home)
    cpu = sum(sum(one.cpu_times()[:2]) for one in mine)
    last = query(home, "SELECT COALESCE(MAX(id), 0) FROM watches_check")[0][0]
    return last, cpu, sum(one.memory_info().rss for one in mine) / 1e6


def pages_since(home: Home, last: int) -> int:
    """How many pages the checks after that one have brought so far."""
    return sum(row[2] for row in query(home, COUNTED, last, sys.maxsize))


def limits(home: Home, options: argparse.Namespace, opened: Callable[[], httpx.AsyncClient] = bare_client) -> Limits:
    """The limit at each market."""
    return {name: asyncio.run(limit(name, at, options.questions, opened)) for name, at in home.markets.items()}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """The limit, then the real thing."""
    sys.path.insert(0, str(ROOT))
    with fresh_home() as home:
        calm = limits(home, options)
        seed(home, options)
        time.sleep(WARM_UP_SECONDS)
        before = spent(home)
        time.sleep(options.seconds)
        wait_until(lambda: pages_since(home, before[0]), what="a check brought a page")
        after = spent(home)
        busy, own = limits(home, options), limits(home, options, own_client)
        rows = query(home, COUNTED, before[0], after[0])
    return figures(rows, (calm, busy, own), before, after)


def figures(
    rows: list[Any],
    bare_loops: tuple[Limits, Limits, Limits],
    before: tuple[int, float, float],
    after: tuple[int, float, float],
) -> dict[str, Any]:
    """What it comes to; without a check there is nothing to tell."""
    checks, pages, failed = (sum(row[place] for row in rows) for place in (1, 2, 4))
    cpu, grown = after[1] - before[1], after[2] - before[2]
    if not checks or cpu <= 0:
        raise SystemExit("no check was counted")
    calm, busy, own = bare_loops
    alone = sum(row[2] * calm[row[0]]["seconds"] for row in rows)
    loaded, read = (sum(row[2] * busy[row[0]][which] for row in rows) for which in ("seconds", "read"))
    ours = sum(row[2] * own[row[0]]["seconds"] for row in rows)
    return {
        "checks": checks,
        "failed": failed,
        "checks_a_second_and_core": round(checks / cpu, 1),
        "pages_a_second_and_core": round(pages / cpu, 1),
        "limit_pages_a_second_and_core": round(pages / alone, 1) if alone else None,
        "share_of_the_limit_percent": round(100 * alone / cpu, 1),
        "share_under_the_same_load_percent": round(100 * loaded / cpu, 1),
        "share_of_the_limit_over_our_pool_percent": round(100 * ours / cpu, 1),
        "share_of_client_and_reading_percent": round(100 * read / cpu, 1),
        "processor_ms_a_check": round(1000 * cpu / checks, 2),
        "bytes_a_page": {name: round(each["bytes"]) for name, each in calm.items()},
        "memory_mb": round(after[2], 1),
        "memory_grown_mb_a_thousand_checks": round(1000 * grown / checks, 2),
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--interval", type=int, default=1, help="seconds")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = run(options)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
