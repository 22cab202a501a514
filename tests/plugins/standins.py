"""A practice market on a real port, and a session that reaches it: what the tests of every plugin need."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
import uvicorn

from monitor_site.contract import AccountSettings, Answer

T = TypeVar("T")


def answer_of(got: httpx.Response) -> Answer:
    return Answer(status=got.status_code, headers=dict(got.headers), body=got.content, url=str(got.url))


@dataclass
class PlainSession:
    """The session of these tests: no pace, no caps, only real HTTP; ``asked`` holds every request."""

    base: str
    client: httpx.AsyncClient
    settings: AccountSettings | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)

    @property
    def web(self) -> str:
        return self.base

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None, weight: int = 1) -> Answer:
        self.asked.append({"url": url, "headers": dict(headers or {}), "weight": weight})
        return answer_of(await self.client.get(url, headers=headers))

    async def post(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None, weight: int = 1) -> Answer:
        self.asked.append({"url": url, "headers": dict(headers or {}), "json": json, "weight": weight})
        return answer_of(await self.client.post(url, json=json, headers=headers))

    async def read(self, parse: Callable[[Answer], T], answer: Answer) -> T:
        return parse(answer)

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass
class Market:
    """A running practice market and its control end."""

    base: str
    truth_log: Path
    client: httpx.Client

    def ask(self, what: str, order: Any) -> httpx.Response:
        return self.client.post(f"{self.base}/_practice/{what}", json=order)

    def do(self, what: str, **order: Any) -> Any:
        got = self.ask(what, order)
        assert got.status_code == 200, got.text
        return got.json()

    def look(self, what: str, **query: Any) -> Any:
        return self.client.get(f"{self.base}/_practice/{what}", params=query).raise_for_status().json()

    def truth(self, event: str) -> list[dict[str, Any]]:
        lines = self.truth_log.read_text(encoding="utf-8").splitlines()
        return [found for found in map(json.loads, lines) if found["event"] == event]

    def page(self, path: str, **query: str) -> Answer:
        headers = {"user-agent": "Mozilla/5.0 Firefox/140"}
        return answer_of(self.client.get(f"{self.base}{path}", params=query, headers=headers))


@contextmanager
def served(create: Callable[..., Any], log: Path, **server: Any) -> Iterator[Market]:
    """The practice market that ``create`` makes, on a port of its own until the block ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        config = uvicorn.Config(create(seed=7, truth_log=log), log_config=None, access_log=False, **server)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with httpx.Client(verify=False) as client:
                yield Market(f"http://127.0.0.1:{listener.getsockname()[1]}", log, client)
        finally:
            running.should_exit = True
            thread.join()


@contextmanager
def quiet(market: Market, **settings: Any) -> Iterator[Market]:
    """A practice market in which nothing happens by itself and nothing is broken."""
    market.do("pause")
    market.do("faults/clear")
    market.do("settings", index_lag=1.0, per_second=2.0, **settings)
    market.do("clock", speed=0)
    yield market
    market.do("faults/clear")
