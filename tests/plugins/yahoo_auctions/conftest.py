"""A practice market on a real port, and a session that reaches it."""

import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
import uvicorn

from monitor_site.contract import Answer, Marketplace
from plugins.yahoo_auctions import plugin
from plugins.yahoo_auctions.practice import create

T = TypeVar("T")


@dataclass
class PlainSession:
    """The session of these tests: no pace, no caps, only real HTTP."""

    base: str
    client: httpx.AsyncClient
    asked: list[str] = field(default_factory=list)

    @property
    def web(self) -> str:
        return self.base

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        self.asked.append(url)
        got = await self.client.get(url, headers=headers)
        return Answer(status=got.status_code, headers=dict(got.headers), body=got.content, url=str(got.url))

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
        got = self.client.get(f"{self.base}{path}", params=query, headers={"user-agent": "Mozilla/5.0 Firefox/140"})
        return Answer(status=got.status_code, headers=dict(got.headers), body=got.content, url=str(got.url))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    log = tmp_path_factory.mktemp("practice") / "truth.jsonl"
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        config = uvicorn.Config(create(seed=7, truth_log=log), log_config=None, access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        with httpx.Client(verify=False) as client:
            yield Market(f"http://127.0.0.1:{listener.getsockname()[1]}", log, client)
        server.should_exit = True
        thread.join()


@pytest.fixture
def market(served: Market) -> Iterator[Market]:
    """A practice market in which nothing happens by itself and nothing is broken."""
    served.do("pause")
    served.do("faults/clear")
    served.do("settings", index_lag=1.0, per_second=2.0)
    served.do("clock", speed=0)
    yield served
    served.do("faults/clear")


@pytest.fixture
async def session(market: Market) -> AsyncIterator[PlainSession]:
    async with httpx.AsyncClient(timeout=10, verify=False) as client:
        yield PlainSession(market.base, client)


@pytest.fixture
def yahoo(session: PlainSession) -> Marketplace:
    return plugin.connect(session)
