"""What practice markets bring by themselves is never doubted, fast or slow, whatever happens in their worlds."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import redis as redis_library

from monitor_site.connections import async_redis_client
from monitor_site.contract import Plugin, SearchCriteria
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.gateway import Gateway, History
from plugins import mercari, yahoo_auctions
from plugins.mercari import practice as mercari_practice
from plugins.yahoo_auctions import practice as yahoo_practice
from tests.plugins import standins
from tests.plugins.standins import Market

WORLDS: dict[str, tuple[Plugin, Any]] = {
    "mercari": (mercari.plugin, mercari_practice.create),
    "yahoo_auctions": (yahoo_auctions.plugin, yahoo_practice.create),
}
CHECKS = 60


@pytest.fixture(scope="module")
def markets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Market]]:
    """Both, with worlds that live and clocks that only the test moves."""
    with ExitStack() as stack:
        opened = {}
        for name, (_, create) in WORLDS.items():
            log = tmp_path_factory.mktemp(name) / "truth.jsonl"
            opened[name] = stack.enter_context(standins.served(create, log))
            opened[name].do("faults/clear")
            opened[name].do("clock", speed=0)
        yield opened


@pytest.fixture
async def gateway(markets: dict[str, Market], redis: redis_library.Redis, settings: Any) -> AsyncIterator[Gateway]:
    settings.PRACTICE_MARKETS = {name: market.base for name, market in markets.items()}
    client = async_redis_client()
    plugins = {name: plugin for name, (plugin, _) in WORLDS.items()}
    opened = Gateway(redis=client, catalog=Catalog(plugins=plugins, broken={}))
    yield opened
    await opened.close()
    await client.aclose()


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("step", [5.0, 600.0])
async def test_no_check_of_a_living_world_is_doubted(
    gateway: Gateway, markets: dict[str, Market], name: str, step: float
) -> None:
    criteria: SearchCriteria = WORLDS[name][0].manifest.control
    history, tops = History(known=frozenset(), usual=False, empty_streak=0), set()

    for _ in range(CHECKS):
        markets[name].do("clock", advance=step)
        found = await gateway.search(marketplace=name, criteria=criteria, history=history)
        known = frozenset(row.external_id for row in found.sightings)
        history = History(known=known, usual=bool(known), empty_streak=0, before=found.usual)
        tops.add(found.usual["top"])

    assert len(found.usual["changes"]) == 32
    assert len(tops) > 1, "the world lives"
