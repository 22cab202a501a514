"""Looking at one listing and at sold ones, over the gateway: only what was asked for, and only what can be done."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
import redis.asyncio

from monitor_site.contract import Capability, ListingGone, PluginFault, SearchPage, Session, Sighting, Unavailable
from monitor_site.marketplaces.breaker import read_all
from monitor_site.marketplaces.gateway import Found, Gateway

from .asking import CAMERA
from .loopback import plugin, shelf, sighting

pytestmark = pytest.mark.usefixtures("_practice")
Look = Callable[[str], Awaitable[Found]]


@dataclass
class Shop:
    """Answers every look with the test's own sighting or error."""

    session: Session
    answer: Any

    async def look(self, external_id: str) -> Sighting:
        if isinstance(self.answer, BaseException):
            raise self.answer
        found: Sighting = self.answer
        return found

    async def sold_prices(self, criteria: Any, *, page_token: str | None = None) -> SearchPage:
        return SearchPage(sightings=(self.answer,), next_token="2")


@pytest.fixture
async def gateway(aredis: redis.asyncio.Redis) -> AsyncIterator[Callable[[Any], Gateway]]:
    opened: list[Gateway] = []

    def make(answer: Any) -> Gateway:
        able = frozenset({Capability.LOOK, Capability.SOLD_PRICES})
        shop = plugin(connect=lambda session: Shop(session, answer), capabilities=able)
        opened.append(gateway := Gateway(redis=aredis, catalog=shelf(shop)))
        return gateway

    yield make
    for each in opened:
        await each.close()


async def test_a_look_brings_the_listing_asked_for(gateway: Any) -> None:
    found = await gateway(sighting("b7")).look(marketplace="bazaar", external_id="b7")
    assert [each.external_id for each in found.sightings] == ["b7"]


@pytest.mark.parametrize(
    "answer", [sighting("b8"), {"external_id": "b7"}, None, sighting("b7", url="https://else.example/")]
)
async def test_another_listing_or_none_is_the_plugins_fault(gateway: Any, answer: Any) -> None:
    with pytest.raises(PluginFault):
        await gateway(answer).look(marketplace="bazaar", external_id="b7")


async def test_a_listing_that_is_gone_says_nothing_against_its_marketplace(gateway: Any, redis: Any) -> None:
    shop = gateway(ListingGone("404"))
    for _ in range(20):
        with pytest.raises(ListingGone):
            await shop.look(marketplace="bazaar", external_id="b7")
    assert read_all(redis, ["bazaar"])["bazaar"]["state"] == "closed"


async def test_looks_that_get_no_answer_open_the_breaker(gateway: Any, redis: Any) -> None:
    shop = gateway(Unavailable("down"))
    for _ in range(10):
        with pytest.raises(Unavailable):
            await shop.look(marketplace="bazaar", external_id="b7")
    assert read_all(redis, ["bazaar"])["bazaar"]["state"] == "open"


async def test_what_a_plugin_cannot_do_is_never_asked_of_it(gateway: Any) -> None:
    with pytest.raises(PluginFault, match="no capability search"):
        await gateway(sighting()).search(marketplace="bazaar", criteria=CAMERA, history=None)


async def test_sold_prices_are_one_page_and_say_that_there_is_more(gateway: Any) -> None:
    found = await gateway(sighting()).sold_prices(marketplace="bazaar", criteria=CAMERA)
    assert (len(found.sightings), found.pages, found.gap) == (1, 1, True)
