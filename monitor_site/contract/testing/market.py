"""A practice market on a real port, and its control end."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from .over_http import Got, fetch


@dataclass(slots=True)
class Market:
    """A running practice market: ``base`` is its address, ``truth_log`` the file it writes down what happened."""

    base: str
    truth_log: Path

    def ask(self, what: str, order: Any) -> Got:
        """Give an order to the control end; the answer may be a refusal."""
        return fetch("POST", f"{self.base}/_practice/{what}", json=order)

    def do(self, what: str, **order: Any) -> Any:
        """Give an order that must be taken; what it answers."""
        got = self.ask(what, order)
        if got.status_code != 200:
            raise ValueError(f"the practice market answers {got.status_code} to {what} {order}: {got.text[:300]}")
        return got.json()

    def look(self, what: str, **query: Any) -> Any:
        """What the control end tells."""
        return fetch("GET", f"{self.base}/_practice/{what}?{urlencode(query)}").json()

    def truth(self, event: str) -> list[dict[str, Any]]:
        """All lines of the truth log about one kind of event."""
        lines = self.truth_log.read_text(encoding="utf-8").splitlines()
        return [found for found in map(json.loads, lines) if found["event"] == event]


@contextmanager
def served(create: Callable[..., Any], log: Path, **server: Any) -> Iterator[Market]:
    """The practice market that ``create`` makes, on a port of its own until the block ends.

    ``server`` are further settings of uvicorn.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        config = uvicorn.Config(create(seed=7, truth_log=log), log_config=None, access_log=False, **server)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Market(f"http://127.0.0.1:{listener.getsockname()[1]}", log)
        finally:
            running.should_exit = True
            thread.join()


@contextmanager
def quiet(market: Market, **settings: Any) -> Iterator[Market]:
    """A practice market in which nothing happens by itself and nothing is broken; its clock stands still."""
    market.do("pause")
    market.do("faults/clear")
    market.do("settings", index_lag=1.0, per_second=2.0, **settings)
    market.do("clock", speed=0)
    yield market
    market.do("faults/clear")
