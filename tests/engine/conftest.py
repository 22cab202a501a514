"""Practice markets, and a worker's checker that asks them."""

import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from redis import Redis

from monitor_site.connections import async_redis_client
from monitor_site.engine.checking import Checker
from monitor_site.marketplaces.gateway import Gateway
from tests import practice
from tests.engine.clockwork import stop_the_clock
from tests.plugins.standins import Market
from tests.waiting import never_stuck


@pytest.fixture(scope="module")
def markets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Market]]:
    """Both, with nothing in them that no test has put there."""
    with practice.both(tmp_path_factory.mktemp("practice")) as found:
        yield found


def catch_up(market: Market) -> None:
    """It is no later at the marketplace than here, where its clock has stood still since the first test of the file."""
    behind = time.time() - market.do("clock")["now"]
    market.do("clock", advance=max(0.0, behind))


@pytest.fixture
async def checker(markets: dict[str, Market], redis: Redis, settings: Any) -> AsyncIterator[Checker]:
    """It asks them through a gateway of its own."""
    settings.PRACTICE_MARKETS = {name: market.base for name, market in markets.items()}
    for each in markets.values():
        catch_up(each)
    client = async_redis_client()
    gateway = Gateway(redis=client)
    yield Checker(gateway=gateway, worker="w1", server_now=lambda: datetime.now(UTC).timestamp())
    await gateway.close()
    await client.aclose()


@pytest.fixture
def stopped_clock(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """No time passes between two calls of the scripts, however long a busy machine takes for them."""
    seconds, micros = redis.time()
    stop_the_clock(monkeypatch, seconds=seconds, micros=micros)


@pytest.fixture
def patient_serving(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little time a worker's loop gets."""
    never_stuck(monkeypatch)


@pytest.fixture
def market(markets: dict[str, Market]) -> Market:
    """Mercari's."""
    return markets["mercari"]
