"""The plugin as the core runs it: its own session, which follows redirects at home, and its promises kept."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from monitor_site.connections import async_redis_client
from monitor_site.contract import ListingGone, SignInNeeded, Status
from monitor_site.contract.rules import examine
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.gateway import Gateway, History
from plugins.yahoo_auctions import plugin
from plugins.yahoo_auctions.manifest import YahooCriteria
from tests.plugins.standins import Market

NAME = "yahoo_auctions"
NEW = History(known=frozenset(), usual=False, empty_streak=0)


@pytest.fixture
async def gateway(market: Market, redis: Any, settings: Any) -> AsyncIterator[Gateway]:
    settings.PRACTICE_MARKETS = {NAME: market.base}
    client = async_redis_client()
    opened = Gateway(redis=client, catalog=Catalog(plugins={NAME: examine(plugin, name=NAME)}, broken={}))
    yield opened
    await opened.close()
    await client.aclose()


async def test_searches_looks_and_sales_pass_as_promised(market, gateway):
    made = market.do("list", title="門の見本", price=900, seller="PracticeSellerGate", visible_in=0)["id"]
    found = await gateway.search(marketplace=NAME, criteria=YahooCriteria(seller="PracticeSellerGate"), history=NEW)
    look = await gateway.look(marketplace=NAME, external_id=made)
    assert [each.external_id for each in (*found.sightings, *look.sightings)] == [made, made]
    assert (found.bad_rows, look.sightings[0].status) == (0, Status.ON_SALE)
    market.do("bid", id=made, amount=900)
    market.do("end", id=made)
    sales = await gateway.sold_prices(marketplace=NAME, criteria=YahooCriteria(keyword="門の見本"))
    assert [(each.external_id, each.price.amount, each.status) for each in sales.sightings] == [
        (made, 900, Status.SOLD)
    ]


@pytest.mark.parametrize("gone", ["404", "redirect", "page"])
async def test_a_listing_that_was_taken_away_is_gone(market, gateway, gone: str):
    made = market.do("list", title="消える見本", visible_in=0)["id"]
    market.do("cancel", id=made, gone=gone)
    with pytest.raises(ListingGone):
        await gateway.look(marketplace=NAME, external_id=made)


async def test_sent_to_the_login_nobody_goes_there_and_the_listing_is_not_gone(market, gateway):
    made = market.do("list", title="残る見本", visible_in=0)["id"]
    market.do("faults", kind="to_login", route="item")
    with pytest.raises(SignInNeeded):
        await gateway.look(marketplace=NAME, external_id=made)
