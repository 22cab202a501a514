"""Practice markets, and a worker's checker that asks them."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from redis import Redis

from monitor_site.connections import async_redis_client
from monitor_site.engine.checking import Checker
from monitor_site.marketplaces.gateway import Gateway
from tests import practice
from tests.plugins.standins import Market


@pytest.fixture(scope="module")
def markets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Market]]:
    """Both, with nothing in them that no test has put there."""
    with practice.both(tmp_path_factory.mktemp("practice")) as found:
        yield found


@pytest.fixture
async def checker(markets: dict[str, Market], redis: Redis, settings: Any) -> AsyncIterator[Checker]:
    """It asks them through a gateway of its own."""
    settings.PRACTICE_MARKETS = {name: market.base for name, market in markets.items()}
    client = async_redis_client()
    gateway = Gateway(redis=client)
    yield Checker(gateway=gateway, worker="w1", server_now=lambda: datetime.now(UTC).timestamp())
    await gateway.close()
    await client.aclose()


@pytest.fixture
def market(markets: dict[str, Market]) -> Market:
    """Mercari's."""
    return markets["mercari"]
