"""Looks at listings of the practice market over real HTTP: everything that can happen to one, seen by the plugin."""

import json

import pytest

from monitor_site.contract import Condition, Kind, ListingGone, Money, Shipping, Sighting, Status
from plugins.mercari.ask import listing_address
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.marketplace import Mercari
from tests.plugins.mercari.asking import ask
from tests.plugins.standins import Market, PlainSession

SHOP = "kotorishopKotorishop22"
AGREED = ("external_id", "title", "url", "price", "kind", "status", "shipping", "condition", "created", "updated")


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


async def found_by_search(mercari: Mercari, keyword: str) -> dict[str, Sighting]:
    page = await mercari.search(MercariCriteria(keyword=keyword))
    return {found.external_id: found for found in page.sightings}


async def test_a_look_tells_what_a_search_does_not_and_agrees_with_it(market: Market, mercari: Mercari):
    made = market.do("list", title="覗く AT&amp;T 見本", price=4321, condition=4, payer=1, visible_in=0, brand=91001,
                     description="傷 & 汚れ\r\nあり")  # fmt: skip
    searched = (await found_by_search(mercari, "覗く 見本"))[made["id"]]

    looked = await mercari.look(made["id"])

    for name in AGREED:
        assert getattr(looked, name) == getattr(searched, name), name
    assert (looked.title, looked.description) == ("覗く AT&T 見本", "傷 & 汚れ\r\nあり")
    assert (looked.shipping, looked.condition) == (Shipping.BUYER_PAYS, Condition.FAIR)
    assert searched.seller is not None
    assert looked.seller is not None
    assert (looked.seller.id, searched.seller.name) == (searched.seller.id, None)
    assert all((looked.seller.name, looked.seller.rating, looked.seller.count))
    assert len(looked.extra["checksum"]) == 32


async def test_every_listing_of_every_kind_can_be_looked_at(mercari: Mercari):
    found = await found_by_search(mercari, "ルミナ") | await found_by_search(mercari, "もふもん")
    assert {sighting.kind for sighting in found.values()} == {Kind.FLEA, Kind.AUCTION, Kind.SHOP}
    for external_id, searched in found.items():
        looked = await mercari.look(external_id)
        assert (looked.price, looked.kind, looked.url) == (searched.price, searched.kind, searched.url)
        assert looked.seller is not None
        assert searched.seller is not None
        assert looked.seller.id == searched.seller.id


async def test_every_edit_makes_another_checksum_and_a_bump_none(market: Market, mercari: Mercari):
    made = market.do("list", title="編集", price=18000, visible_in=0)["id"]
    checksums = [(await mercari.look(made)).extra["checksum"]]
    for what, order in (("change", {"price": 14800}), ("edit", {"condition": 5}), ("sell", {}), ("restart", {})):
        market.do(what, id=made, **order)
        checksums.append((await mercari.look(made)).extra["checksum"])
    assert len(set(checksums)) == 5

    market.do("clock", advance=60)
    market.do("bump", id=made)
    bumped = await mercari.look(made)

    assert bumped.extra["checksum"] == checksums[-1]
    assert bumped.updated is not None
    assert bumped.created is not None
    assert (bumped.updated - bumped.created).total_seconds() >= 59
    assert (bumped.price, bumped.condition) == (yen(14800), Condition.WORN)


async def test_a_price_that_drops_rises_and_drops_shows_only_where_it_stands(market: Market, mercari: Mercari):
    made = market.do("list", title="上下", price=9000, visible_in=0)["id"]
    for price in (7000, 9500, 7000):
        market.do("change", id=made, price=price)
    assert (await mercari.look(made)).price == yen(7000)
    assert (await found_by_search(mercari, "上下"))[made].price == yen(7000)


async def test_a_bought_thing_is_reserved_then_sold_or_back_on_sale(market: Market, mercari: Mercari):
    kept, cancelled = (market.do("list", title="取引", price=100, visible_in=0)["id"] for _ in range(2))
    for made in (kept, cancelled):
        market.do("sell", id=made)
        assert (await mercari.look(made)).status == Status.RESERVED
    market.do("sell", id=kept, done=True)
    market.do("restart", id=cancelled)
    assert (await mercari.look(kept)).status == Status.SOLD
    assert (await mercari.look(cancelled)).status == Status.ON_SALE
    assert set(await found_by_search(mercari, "取引")) >= {cancelled}
    assert kept not in await found_by_search(mercari, "取引")


async def test_a_stopped_thing_comes_back_and_a_cancelled_one_is_removed(market: Market, mercari: Mercari):
    made = market.do("list", title="停止", price=100, visible_in=0)["id"]
    told = []
    for what, order in (("stop", {}), ("restart", {}), ("cancel", {}), ("cancel", {"admin": True})):
        market.do(what, id=made, **order)
        told.append((await mercari.look(made)).status)
    assert told == [Status.STOPPED, Status.ON_SALE, Status.REMOVED, Status.REMOVED]


@pytest.mark.parametrize(("what", "status"), [("remove", 403), ("forget", 404)])
async def test_one_gone_listing_is_gone_and_the_others_go_on(
    market: Market, mercari: Mercari, session: PlainSession, what: str, status: int
):
    gone, kept = (market.do("list", title="消える", price=100, visible_in=0)["id"] for _ in range(2))
    market.do(what, id=gone)

    with pytest.raises(ListingGone, match=str(status)):
        await mercari.look(gone)
    assert (await mercari.look(kept)).status == Status.ON_SALE
    found = await found_by_search(mercari, "消える")
    assert (gone in found, kept in found) == (False, True)
    assert len(session.asked) == 3


async def test_a_listing_that_never_was_is_gone_too(market: Market, mercari: Mercari):
    for never in ("m01", "neverSold0000000000000"):
        with pytest.raises(ListingGone):
            await mercari.look(never)


async def test_a_thing_offered_again_has_another_id_and_the_same_title_and_seller(market: Market, mercari: Mercari):
    old = market.do("list", title="再出品", price=5000, visible_in=0)["id"]
    market.do("clock", advance=100)
    new = market.do("relist", id=old, price=4500)["id"]
    market.do("clock", advance=2)

    before, after = await mercari.look(old), await mercari.look(new)

    assert old != new
    assert (before.status, after.status) == (Status.REMOVED, Status.ON_SALE)
    assert (before.title, before.seller) == (after.title, after.seller)
    assert (before.price, after.price) == (yen(5000), yen(4500))
    found = await found_by_search(mercari, "再出品")
    assert (old in found, new in found) == (False, True)


async def test_a_search_that_lags_shows_the_old_price_and_a_look_the_new_one(market: Market, mercari: Mercari):
    made = market.do("list", title="古い値段", price=8000, visible_in=0)["id"]
    await found_by_search(mercari, "古い値段")
    market.do("change", id=made, price=6000, search_after=60)

    assert (await found_by_search(mercari, "古い値段"))[made].price == yen(8000)
    assert (await mercari.look(made)).price == yen(6000)
    market.do("clock", advance=61)
    assert (await found_by_search(mercari, "古い値段"))[made].price == yen(6000)


async def test_an_auction_in_a_search_is_one_on_every_look_until_it_has_ended(market: Market, mercari: Mercari):
    made = market.do("list", title="競り", price=1000, visible_in=0, auction_seconds=600)["id"]
    searched, fresh = (await found_by_search(mercari, "競り"))[made], await mercari.look(made)
    assert (searched.kind, fresh.kind, fresh.bids) == (Kind.AUCTION, Kind.AUCTION, 0)
    assert searched.ends_at is not None
    assert fresh.ends_at == searched.ends_at.replace(microsecond=0)
    assert fresh.extra["auction_state"] == "STATE_NO_BID"

    for price in (1500, 2200):
        market.do("bid", id=made, price=price)
    running = await mercari.look(made)
    assert (running.status, running.bids, running.price) == (Status.ON_SALE, 2, yen(2200))
    assert (running.extra["auction_state"], running.extra["auction_start_price"]) == ("STATE_ONGOING", "1000")

    market.do("clock", advance=601)
    ended = await mercari.look(made)
    assert (ended.kind, ended.status, ended.price) == (Kind.AUCTION, Status.RESERVED, yen(2200))


async def test_without_the_flag_the_same_auction_looks_like_a_sale(market: Market, session: PlainSession):
    made = market.do("list", title="隠れた競り", price=1000, visible_in=0, auction_seconds=600)["id"]
    for written in ("True", "false", ""):
        url = listing_address(market.base, made).replace("include_auction=true", f"include_auction={written}")
        data = json.loads((await ask(session, url)).body)["data"]
        assert ("auction_info" in data, data["status"], data["price"]) == (False, "on_sale", 1000)


@pytest.mark.parametrize("seconds", [None, 600])
async def test_a_thing_without_a_price_has_none_on_a_look(market: Market, mercari: Mercari, seconds: int | None):
    made = market.do("list", title="値段なし", price=None, visible_in=0, auction_seconds=seconds)["id"]
    assert (await mercari.look(made)).price is None
    assert (await found_by_search(mercari, "値段なし"))[made].price is None


async def test_a_shops_product_tells_its_variants_its_stock_and_its_sale(market: Market, mercari: Mercari):
    sizes = [{"name": "赤 / S", "size": "S", "quantity": 0}, {"name": "赤 / M", "size": "M", "quantity": 1}]
    made = market.do("list", title="店の品", price=62700, visible_in=0, shop=SHOP, variants=sizes)["id"]
    market.do("time_sale", id=made, price=59565, seconds=3600)

    found = await mercari.look(made)

    assert (found.kind, found.status, found.shipping) == (Kind.SHOP, Status.ON_SALE, Shipping.INCLUDED)
    assert (found.price, found.extra["time_sale_price"]) == (yen(62700), "59565")
    variants = json.loads(found.extra["variants"])
    assert [(each["name"], each["quantity"]) for each in variants] == [("赤 / S", 0), ("赤 / M", 1)]

    sold = market.do("stock", id=made, variant=1, quantity=0)
    assert sold["variants"] == [each["id"] for each in variants]
    assert (await mercari.look(made)).status == Status.SOLD
    assert made not in await found_by_search(mercari, "店の品")
    market.do("stock", id=made, variant=0, quantity=2)
    market.do("time_sale", id=made)
    back = await mercari.look(made)
    assert (back.status, "time_sale_price" in back.extra) == (Status.ON_SALE, False)
    assert made in await found_by_search(mercari, "店の品")
