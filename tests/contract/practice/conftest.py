"""The smallest market that can be made of the shared parts, asked without a server."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

from monitor_site.contract.practice import (
    Clock,
    Control,
    PracticeMarket,
    Reply,
    Request,
    Shelf,
    Truth,
    UnknownListing,
    fold,
    generic_kinds,
    html_reply,
    json_reply,
)

OPENED = 1_790_000_000.0


class Wall:
    """Real time that a test moves."""

    seconds = OPENED

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Thing:
    """A listing that is only a title."""

    title: str

    @property
    def folded(self) -> str:
        return fold(self.title)


@dataclass
class World:
    clock: Clock
    truth: Truth
    seed: int = 3
    index_lag: float = 1.0
    listings: dict[str, Thing] = field(default_factory=dict)
    shelves: dict[str, Shelf[Thing]] = field(default_factory=dict)


class Stream:
    running = True
    per_second = 2.0
    runs = 0

    def run(self) -> None:
        self.runs += 1


def get(market: "SmallMarket", order: dict[str, Any]) -> Any:
    if order["id"] not in market.world.listings:
        raise UnknownListing(order["id"])
    return {"title": market.world.listings[order["id"]].title}


class SmallMarket(PracticeMarket[World, Stream]):
    control = Control({("GET", "listing"): get})
    kinds = generic_kinds(
        error=json_reply({"error": "practice"}, 500),
        throttled=json_reply({"error": "slow down"}, 429),
        maintenance=html_reply("<p>closed</p>", 503),
    )
    routes = ("search", "photos")

    def route(self, path: str) -> str:
        return "photos" if path.startswith("/photos/") else "search"

    async def good(self, route: str, request: Request) -> Reply:
        return json_reply({"route": route, "asked": request.parameters})


@dataclass
class Got:
    """What an application sent; ``status`` is 0 when nothing came."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    ended: bool = False

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass
class Asker:
    """A client that hangs up after ``patience`` bytes."""

    market: SmallMarket
    wall: Wall
    log: Path

    async def __call__(
        self, path: str, *, order: Any = None, query: str = "", patience: int = 1 << 40, stays: bool = True
    ) -> Got:
        got, gone = Got(), asyncio.Event()
        if not stays:
            gone.set()
        messages = iter([{"type": "http.request", "body": b"" if order is None else orjson.dumps(order)}])

        async def receive() -> dict[str, Any]:
            if (message := next(messages, None)) is not None:
                return message
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                got.status = message["status"]
                got.headers = {name.decode(): value.decode() for name, value in message["headers"]}
                return
            got.body += message["body"]
            got.ended = not message.get("more_body")
            if len(got.body) >= patience:
                gone.set()

        method = "GET" if order is None else "POST"
        scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": []}
        await self.market(scope, receive, send)
        return got

    async def do(self, what: str, **order: Any) -> Any:
        got = await self(f"/_practice/{what}", order=order)
        assert got.status == 200, got.body
        return got.json

    async def look(self, what: str, query: str = "") -> Any:
        return (await self(f"/_practice/{what}", query=query)).json

    def lines(self, event: str) -> list[dict[str, Any]]:
        return [found for found in map(orjson.loads, self.log.read_bytes().splitlines()) if found["event"] == event]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asker]:
    wall, log = Wall(), tmp_path / "deep" / "truth.jsonl"
    clock = Clock(wall)
    market = SmallMarket(World(clock=clock, truth=Truth(clock, log)), Stream())
    yield Asker(market, wall, log)
    market.world.truth.close()
