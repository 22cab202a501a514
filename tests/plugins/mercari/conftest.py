"""The practice market on a real port, and the plugin asking it."""

from collections.abc import AsyncIterator, Iterator

import pytest
import redis as redis_library

from monitor_site.connections import async_redis_client
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.gateway import Gateway
from plugins.mercari import plugin
from plugins.mercari.marketplace import Mercari
from plugins.mercari.practice import create
from tests.plugins import standins
from tests.plugins.standins import Market, PlainSession


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with standins.served(create, tmp_path_factory.mktemp("practice") / "truth.jsonl") as market:
        yield market


@pytest.fixture
def market(served: Market) -> Iterator[Market]:
    with standins.quiet(served, page_size=None, short_pages=False, duplicates=False) as market:
        yield market


@pytest.fixture
def mercari(session: PlainSession) -> Mercari:
    return plugin.connect(session)


@pytest.fixture
async def gateway(market: Market, redis: redis_library.Redis, settings) -> AsyncIterator[Gateway]:
    settings.PRACTICE_MARKETS = {"mercari": market.base}
    client = async_redis_client()
    gateway = Gateway(redis=client, catalog=Catalog(plugins={"mercari": plugin}, broken={}))
    yield gateway
    await gateway.close()
    await client.aclose()
