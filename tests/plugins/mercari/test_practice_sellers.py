"""A seller's items and what was sold, read by the plugin from the practice market over real HTTP."""

import json
import zlib

import pytest

from monitor_site.contract import Blocked, Kind, LayoutChanged, Money, Sighting, Status
from monitor_site.marketplaces.gateway import Gateway, History
from plugins.mercari.ask import api_headers
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.marketplace import Mercari
from plugins.mercari.meaning import seller_of
from plugins.mercari.proof import Prover
from tests.plugins.standins import Market, PlainSession

# Numbers the catalogue gives nobody: only what a test lists is theirs.
FIRST = 990_000_000
WORD = "該当なし"


@pytest.fixture
def seller(request: pytest.FixtureRequest) -> int:
    """A seller of the test's own."""
    return FIRST + zlib.crc32(request.node.name.encode()) % 9_000_000


def offered(market: Market, seller: int, title: str = "売り物", **order: object) -> str:
    return str(market.do("list", **{"title": title, "price": 1000, "visible_in": 0, "seller": seller, **order})["id"])


async def everything(mercari: Mercari, criteria: MercariCriteria) -> list[Sighting]:
    found: list[Sighting] = []
    token, first = None, True
    while first or token:
        page = await mercari.search(criteria, page_token=token)
        found += page.sightings
        token, first = page.next_token, False
    return found


async def test_a_sellers_items_come_latest_first_each_with_its_own_status(
    market: Market, mercari: Mercari, seller: int
):
    ids = [offered(market, seller, price=1000 + n) for n in range(4)]
    market.do("sell", id=ids[0])
    market.do("sell", id=ids[1], done=True)
    market.do("stop", id=ids[2])

    page = await mercari.search(MercariCriteria(seller=seller, keyword="not in any title"))

    told = [(found.external_id, found.status) for found in page.sightings]
    assert told == [(ids[3], Status.ON_SALE), (ids[1], Status.SOLD), (ids[0], Status.RESERVED)]
    assert page.sightings[0].price == Money(amount=1003, currency="JPY")
    assert page.sightings[0].seller is not None
    assert (page.sightings[0].seller.id, page.sightings[0].seller.name) == (str(seller), None)


async def test_a_long_list_is_read_page_by_page_each_thing_once(
    market: Market, mercari: Mercari, session: PlainSession, seller: int
):
    ids = [offered(market, seller) for _ in range(65)]
    found = await everything(mercari, MercariCriteria(seller=seller))
    assert [sighting.external_id for sighting in found] == ids[::-1]
    assert [asked["url"].count("max_pager_id") for asked in session.asked] == [0, 1, 1]


async def test_the_core_reads_a_sellers_items_as_a_search(market: Market, gateway: Gateway, seller: int):
    ids = [offered(market, seller) for _ in range(35)]
    history = History(known=frozenset({"long gone"}), usual=True, empty_streak=0)
    found = await gateway.search(marketplace="mercari", criteria=MercariCriteria(seller=seller), history=history)
    assert ([sighting.external_id for sighting in found.sightings], found.gap) == (ids[::-1], False)


async def test_a_seller_without_items_has_an_empty_page(mercari: Mercari, seller: int):
    page = await mercari.search(MercariCriteria(seller=seller))
    assert (page.sightings, page.next_token) == ((), None)


async def test_an_auction_of_a_seller_is_one_and_a_shops_things_are_nobodys(
    market: Market, mercari: Mercari, seller: int
):
    bid_for = offered(market, seller, auction_seconds=600)
    offered(market, seller, shop="kotorishopKotorishop22")
    found = await everything(mercari, MercariCriteria(seller=seller))
    assert [(each.external_id, each.kind) for each in found] == [(bid_for, Kind.AUCTION)]
    assert await everything(mercari, MercariCriteria(seller=seller, sold_as=(Kind.FLEA,))) == []


@pytest.mark.parametrize(
    ("kind", "error"), [("block403", Blocked), ("layout", LayoutChanged), ("truncate", LayoutChanged)]
)
async def test_what_goes_wrong_on_a_list_is_named(
    market: Market, mercari: Mercari, seller: int, kind: str, error: type
):
    market.do("faults", kind=kind, route="sellers", count=1)
    with pytest.raises(error):
        await mercari.search(MercariCriteria(seller=seller))


async def test_the_profile_of_a_seller_says_what_a_look_says(
    market: Market, mercari: Mercari, session: PlainSession, seller: int
):
    looked = await mercari.look(offered(market, seller))
    url = f"{market.base}/users/get_profile?user_id={seller}&_user_format=profile"
    proof = Prover().proof(method="GET", url=url, now=session.now())
    told = json.loads((await session.get(url, headers=api_headers(proof))).body)
    assert seller_of(told["data"]) == looked.seller
    assert told["data"]["introduction"]


@pytest.mark.parametrize("query", ["seller_id=abc", "seller_id=", "seller_id=0", "limit=3"])
async def test_a_seller_that_cannot_be_is_not_found(market: Market, session: PlainSession, query: str):
    url = f"{market.base}/items/get_items?{query}"
    proof = Prover().proof(method="GET", url=url, now=session.now())
    assert (await session.get(url, headers=api_headers(proof))).status == 404


async def test_only_what_is_sold_tells_a_price_and_what_may_come_back_does_not(
    market: Market, mercari: Mercari, session: PlainSession
):
    word = f"{WORD} 売れた"
    made = [market.do("list", title=word, price=1000 + n, visible_in=0, age=100 * n)["id"] for n in range(4)]
    unpriced = market.do("list", title=word, price=None, visible_in=0)["id"]
    for external_id in (made[0], made[2], unpriced):
        market.do("sell", id=external_id, done=True)
    market.do("sell", id=made[1])

    page = await mercari.sold_prices(MercariCriteria(keyword=word))

    assert [found.external_id for found in page.sightings] == [made[0], made[2]]
    assert [found.price.amount for found in page.sightings if found.price] == [1000, 1002]
    assert {found.status for found in page.sightings} == {Status.SOLD}
    assert session.asked[0]["json"]["searchCondition"]["status"] == ["STATUS_SOLD_OUT", "STATUS_TRADING"]


async def test_the_core_gets_sold_prices_of_a_question_and_of_a_seller(market: Market, gateway: Gateway, seller: int):
    sold = offered(market, seller, title=f"{WORD} 相場", price=4000)
    offered(market, seller, title=f"{WORD} 相場", price=9000)
    market.do("sell", id=sold, done=True)
    for criteria in (MercariCriteria(keyword=f"{WORD} 相場"), MercariCriteria(seller=seller)):
        found = await gateway.sold_prices(marketplace="mercari", criteria=criteria)
        assert [sighting.external_id for sighting in found.sightings] == [sold]


async def test_people_shops_and_auctions_are_told_apart_however_the_search_answers(market: Market, mercari: Mercari):
    word = f"{WORD} 種類"
    person = market.do("list", title=word, price=1, visible_in=0)["id"]
    shop = market.do("list", title=word, price=2, visible_in=0, shop="kotorishopKotorishop22")["id"]
    auction = market.do("list", title=word, price=3, visible_in=0, auction_seconds=600)["id"]
    for wanted, ids in (
        ((), {person, shop, auction}),
        ((Kind.FLEA,), {person}),
        ((Kind.SHOP,), {shop}),
        ((Kind.AUCTION,), {auction}),
        ((Kind.FLEA, Kind.SHOP), {person, shop}),
    ):
        page = await mercari.search(MercariCriteria(keyword=word, sold_as=wanted))
        assert {found.external_id for found in page.sightings} == ids


async def test_the_page_where_a_person_buys_is_there(market: Market, session: PlainSession):
    made = market.do("list", title="購入の頁", price=1, visible_in=0)["id"]
    assert (await session.get(f"{market.base}/purchase/{made}")).status == 200
    assert (await session.get(f"{market.base}/purchase/m0")).status == 404
