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
from tests.plugins.mercari.buying import Buyer, connected
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
def alice_buys(market: Market, gateway: Gateway, alice, transactional_db) -> Buyer:
    """Alice, who has an account of the partner API."""
    market.do("orders", history_lag=0, rotates=False, tells_paid=True, fee_as_text=False)
    market.do("buyer", name="alice", banned=False, address=True, card=True, known=True, sign_out=True, reset=True)
    return Buyer(gateway, market, connected(alice))


@pytest.fixture
def bob_buys(alice_buys: Buyer, bob) -> Buyer:
    """Bob, who has another account and sends his token alone, without a number on the parcel."""
    return Buyer(alice_buys.gateway, alice_buys.market, connected(bob, "bob", label="no", authorization="bare"))


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
