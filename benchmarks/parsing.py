"""How fast the plugins read pages, beside what their libraries need for the same bytes alone.

    .venv/bin/python benchmarks/parsing.py [--rounds 40] [--json]

``pages_a_second`` are pages that the plugin never saw; ``again_pages_a_second`` the same bytes once more, as a question
to which nothing happened answers.

The pages come from the practice markets, asked in this process without a socket. Reading and the bare library take
turns, so that whatever slows the machine down slows both; processor seconds count, not time on the wall.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import orjson
from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from monitor_site.contract import Answer, ReadBefore

NOW = datetime.now(UTC)
WORDS = {"mercari": "カメラ", "yahoo_auctions": "カメラ"}


@dataclass
class Recorder:
    """The contract's session over a practice market in this process; ``answers`` keeps what came, with its reader."""

    base: str
    client: httpx.AsyncClient
    settings: None = None

    def __post_init__(self) -> None:
        self.web = self.base
        self.answers: list[tuple[Answer, Callable[[Answer], Any]]] = []

    async def get(self, url: str, *, headers: Any = None, weight: int = 1) -> Answer:  # noqa: ARG002
        """Fetch."""
        return _answer(await self.client.get(url, headers=headers))

    async def post(self, url: str, *, json: Any, headers: Any = None, weight: int = 1) -> Answer:  # noqa: ARG002
        """Post."""
        return _answer(await self.client.post(url, json=json, headers=headers))

    async def read(self, parse: Callable[[Answer], Any], answer: Answer) -> Any:
        """Parse, and keep both."""
        self.answers.append((answer, parse))
        return parse(answer)

    def now(self) -> datetime:
        """The current time."""
        return datetime.now(UTC)


def _answer(got: httpx.Response) -> Answer:
    return Answer(status=got.status_code, headers=dict(got.headers), body=got.content, url=str(got.url))


async def pages_of(name: str) -> dict[str, tuple[Answer, Callable[[Answer], Any], int]]:
    """A search page and the page of one listing of a marketplace, each with its reader and its rows."""
    plugin = import_module(f"plugins.{name}").plugin
    market = import_module(plugin.practice).create(seed=1, truth_log=None)
    transport = httpx.ASGITransport(app=market)
    async with httpx.AsyncClient(transport=transport, base_url="http://practice") as client:
        session = Recorder("http://practice", client)
        connected = plugin.connect(session)
        found = await connected.search(plugin.manifest.criteria(keyword=WORDS[name]))
        await connected.look(found.sightings[0].external_id)
    (search, look) = session.answers[0], session.answers[-1]
    return {f"{name} search": (*search, len(found.sightings)), f"{name} look": (*look, 1)}


def bare(answer: Answer) -> Callable[[], Any]:
    """What the library alone does with the bytes."""
    if answer.media_type == "text/html":
        return lambda: LexborHTMLParser(answer.body.decode())
    return lambda: orjson.loads(answer.body)


def anew(parse: Callable[[Answer], Any]) -> Callable[[Answer], Any]:
    """The reader without what it read before."""

    def read(answer: Answer) -> Any:
        with patch.object(ReadBefore, "of", lambda _self, _content, *_beside, read: read()):
            return parse(answer)

    return read


def seconds(work: Callable[[], Any], times: int) -> float:
    """Processor seconds for one call."""
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


def measure(answer: Answer, parse: Callable[[Answer], Any], *, rows: int, rounds: int) -> dict[str, Any]:
    """Both, in turns."""
    ways = (partial(anew(parse), answer), partial(parse, answer), bare(answer))
    times = max(1, int(0.02 / max(seconds(ways[0], 3), 1e-6)))
    turns = [[seconds(way, times) for way in ways] for _ in range(rounds)]
    ours, again, theirs = (statistics.median(each) for each in zip(*turns, strict=True))
    return {
        "bytes": len(answer.body),
        "rows": rows,
        "pages_a_second": round(1 / ours),
        "again_pages_a_second": round(1 / again),
        "bare_library_pages_a_second": round(1 / theirs),
        "times_the_bare_library": round(ours / theirs, 2),
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = {}
    for name in WORDS:
        for what, (answer, parse, rows) in asyncio.run(pages_of(name)).items():
            figures[what] = measure(answer, parse, rows=rows, rounds=options.rounds)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
