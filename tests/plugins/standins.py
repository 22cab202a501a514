"""The kit's practice market and session, with an HTTP client that can be made impatient and read piece by piece."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx

from monitor_site.contract import Answer
from monitor_site.contract import testing as kit
from monitor_site.contract.testing import Request, quiet
from tests.waiting import PATIENCE_SECONDS, until

__all__ = ["Market", "PlainSession", "impatient", "patient", "quiet", "served", "struck"]


def answer_of(got: httpx.Response) -> Answer:
    return Answer(status=got.status_code, headers=dict(got.headers), body=got.content, url=str(got.url))


class PlainSession(kit.PlainSession):
    """The kit's session over ``client``."""

    def __init__(self, base: str, client: httpx.AsyncClient) -> None:
        super().__init__(base)
        self.client = client
        self.asked: list[Any] = []

    async def _ask(self, request: Request) -> Answer:
        self.asked.append(asdict(request))
        return answer_of(
            await self.client.request(
                request.method, request.url, json=request.json, data=request.form, headers=dict(request.headers)
            )
        )


class Market(kit.Market):
    """The kit's practice market; ``client`` asks it anything."""

    def __init__(self, base: str, truth_log: Path, client: httpx.Client) -> None:
        super().__init__(base, truth_log)
        self.client = client

    def page(self, path: str, **query: str) -> Answer:
        headers = {"user-agent": "Mozilla/5.0 Firefox/140"}
        return answer_of(self.client.get(f"{self.base}{path}", params=query, headers=headers))


@contextmanager
def served(create: Callable[..., Any], log: Path, **server: Any) -> Iterator[Market]:
    """The practice market that ``create`` makes, on a port of its own until the block ends."""
    with kit.served(create, log, **server) as market, httpx.Client(verify=False, timeout=patient()) as client:
        yield Market(market.base, market.truth_log, client)


def patient() -> httpx.Timeout:
    """For answers that come, however slow the machine is."""
    return httpx.Timeout(PATIENCE_SECONDS)


def impatient(seconds: float) -> httpx.Timeout:
    """For answers that do not come; what is asked arrives all the same."""
    return httpx.Timeout(PATIENCE_SECONDS, read=seconds)


async def struck(market: Market) -> None:
    """Wait until no fault is left to strike: then the request that it was for has arrived."""
    await asyncio.to_thread(until, lambda: not market.look("faults")["faults"], what="the fault has struck")
