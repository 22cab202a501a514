"""The story of one listing or one question, played by the practice market and followed by the plugin.

:data:`STORIES` at the end says which story is which number of the list that they were taken from.
"""

from itertools import pairwise

import pytest

from monitor_site.contract import Blocked, Kind, ListingGone, Money, SearchPage, Sighting, Status
from plugins.yahoo_auctions.manifest import YahooCriteria
from tests.plugins.standins import Market, PlainSession


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


async def found(yahoo, keyword: str, **options: object) -> dict[str, Sighting]:
    page: SearchPage = await yahoo.search(YahooCriteria(keyword=keyword, **options))
    return {sighting.external_id: sighting for sighting in page.sightings}


async def sold(yahoo, keyword: str) -> dict[str, Sighting]:
    page: SearchPage = await yahoo.sold_prices(YahooCriteria(keyword=keyword))
    return {sighting.external_id: sighting for sighting in page.sightings}


def offer(market: Market, title: str, **order: object) -> dict[str, object]:
    made: dict[str, object] = market.do("list", title=title, **{"price": 1000, "visible_in": 0, **order})
    return made


async def test_a_new_auction_appears_once_on_all_pages(market, yahoo):
    for at in range(55):
        offer(market, f"新着の見本 {at}")
    before = await found(yahoo, "新着の見本")
    made = offer(market, "新着の見本 最後")["id"]
    first = await yahoo.search(YahooCriteria(keyword="新着の見本"))
    second = await yahoo.search(YahooCriteria(keyword="新着の見本"), page_token=first.next_token)
    ids = [each.external_id for each in (*first.sightings, *second.sightings)]
    assert made not in before
    assert ids.count(made) == 1


async def test_rival_bids_raise_price_and_count_on_both_pages(market, yahoo):
    made = offer(market, "競り上がりの見本")["id"]
    before = await yahoo.look(made)
    market.do("bid", id=made, bidder="a", amount=5000)
    market.do("bid", id=made, bidder="b", amount=3000)
    after = await yahoo.look(made)
    assert (before.price, before.bids, after.price, after.bids) == (yen(1000), 0, yen(3100), 2)
    listed = (await found(yahoo, "競り上がりの見本"))[made]
    assert (listed.price, listed.bids, listed.ends_at) == (after.price, after.bids, after.ends_at)


@pytest.mark.parametrize("minutes", [10, 5, 1])
async def test_the_end_is_told_to_the_second_however_near(market, yahoo, minutes: int):
    made = offer(market, "間もなく終了の見本", seconds=minutes * 60)
    look, listed = await yahoo.look(made["id"]), (await found(yahoo, "間もなく終了の見本"))[made["id"]]
    assert look.ends_at == listed.ends_at
    assert look.ends_at.timestamp() == int(made["ends"])
    assert made["id"] in await found(yahoo, "間もなく終了の見本", ending_soon=True)


async def test_each_extension_moves_the_end_by_five_minutes_and_no_flag_tells(market, yahoo, session: PlainSession):
    made = offer(market, "延長を追う見本", seconds=240)["id"]
    market.do("bid", id=made, bidder="a", amount=9000)
    ends = [(await yahoo.look(made)).ends_at]
    for amount in (3000, 4000):
        market.do("bid", id=made, bidder="b", amount=amount)
        ends.append((await yahoo.look(made)).ends_at)
        market.do("clock", advance=300)
    assert [(later - earlier).total_seconds() for earlier, later in pairwise(ends)] == [300, 300]
    assert b'"isExtendedAuction":true' not in (await session.get(session.asked[-1]["url"])).body


async def test_a_first_bid_and_an_own_raise_extend_nothing(market, yahoo):
    made = offer(market, "延びない見本", seconds=240)["id"]
    before = await yahoo.look(made)
    market.do("bid", id=made, bidder="a", amount=5000)
    market.do("bid", id=made, bidder="a", amount=9000)
    after = await yahoo.look(made)
    assert (after.ends_at, after.price, after.bids) == (before.ends_at, yen(1000), 2)


async def test_a_buy_now_by_somebody_else_ends_it_sold_at_that_price(market, yahoo):
    made = offer(market, "即決された見本", price=900, buy_now=2000)["id"]
    market.do("bid", id=made, bidder="a", amount=1000)
    market.do("buy", id=made)
    after = await yahoo.look(made)
    assert (after.status, after.price, after.buy_now) == (Status.SOLD, yen(2000), yen(2000))
    assert made not in await found(yahoo, "即決された見本")
    assert (await sold(yahoo, "即決された見本"))[made].price == yen(2000)


@pytest.mark.parametrize("order", [{}, {"buy_now": 2000}, {"fixed": True}, {"bids": 3}])
async def test_what_the_market_is_told_to_sell_is_sold_however_it_is_offered(market, yahoo, order: dict[str, object]):
    made = offer(market, "売れる見本", **order)["id"]
    market.do("sell", id=made)
    after = await yahoo.look(made)
    assert after.status == Status.SOLD
    assert (await sold(yahoo, "売れる見本"))[made].price == after.price


async def test_a_seller_who_closes_early_sells_before_the_planned_end(market, yahoo):
    made = offer(market, "早期終了の見本", seconds=7200)
    market.do("bid", id=made["id"], bidder="a", amount=1000)
    market.do("end", id=made["id"])
    after = await yahoo.look(made["id"])
    assert (after.status, after.price) == (Status.SOLD, yen(1000))
    assert after.ends_at.timestamp() < made["ends"]


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize("gone", ["404", "redirect", "page"])
async def test_a_listing_that_was_taken_away_is_gone_in_every_form(market, yahoo, session, gone: str, follows: bool):
    made = offer(market, "取り消された見本")["id"]
    market.do("bid", id=made, bidder="a", amount=1000)
    market.do("cancel", id=made, gone=gone)
    session.client.follow_redirects = follows
    for _ in range(2):
        with pytest.raises(ListingGone):
            await yahoo.look(made)
    assert made not in await sold(yahoo, "取り消された見本")


async def test_closed_without_bids_and_listed_again_are_two_listings(market, yahoo):
    made = offer(market, "再出品の見本", seconds=60)["id"]
    market.do("clock", advance=61)
    again = market.do("relist", id=made)["id"]
    old, new = await yahoo.look(made), await yahoo.look(again)
    assert (old.status, old.price, old.bids) == (Status.ENDED, yen(1000), 0)
    assert (new.status, new.title, new.bids) == (Status.ON_SALE, old.title, 0)
    assert made != again
    assert made not in await sold(yahoo, "再出品の見本")
    assert set(await found(yahoo, "再出品の見本")) >= {again}


async def test_promoted_copies_and_overlap_between_pages_bring_no_id_twice_or_not_at_all(market, yahoo):
    made = {offer(market, f"重なりの見本 {at}")["id"] for at in range(60)}
    first = await yahoo.search(YahooCriteria(keyword="重なりの見本"))
    market.do("clock", advance=1)
    offer(market, "重なりの見本 割り込み")
    second = await yahoo.search(YahooCriteria(keyword="重なりの見本"), page_token=first.next_token)
    shared = {each.external_id for each in first.sightings} & {each.external_id for each in second.sightings}
    assert first.padding == 3
    assert first.sightings[-1].external_id in shared
    assert {each.external_id for each in (*first.sightings, *second.sightings)} >= made


async def test_counts_that_differ_and_a_widened_question_change_the_count_and_lose_nothing(market, yahoo):
    made = offer(market, "件数の見本 ただ一つ")["id"]
    usual = await yahoo.search(YahooCriteria(keyword="件数の見本"))
    market.do("faults", kind="totals", by=2, count=1)
    assert (await yahoo.search(YahooCriteria(keyword="件数の見本"))).about == usual.about + 2
    market.do("settings", fuzzy=40_000)
    widened = await yahoo.search(YahooCriteria(keyword="件数の見本"))
    assert widened.about > 40_000
    assert made in {each.external_id for each in widened.sightings}
    assert any("件数の見本" not in each.title for each in widened.sightings)


async def test_a_stale_page_tells_the_older_state_and_a_new_look_the_newer(market, yahoo):
    made = offer(market, "古い頁の見本", seconds=240)["id"]
    market.do("bid", id=made, bidder="a", amount=5000)
    market.do("stale", id=made)
    market.do("bid", id=made, bidder="b", amount=3000)
    stale = await yahoo.look(made)
    listed = (await found(yahoo, "古い頁の見本"))[made]
    market.do("stale", id=made, on=False)
    fresh = await yahoo.look(made)
    assert (stale.price, stale.bids) == (yen(1000), 1)
    assert (fresh.price, fresh.bids, fresh.ends_at) == (listed.price, listed.bids, listed.ends_at) != (
        stale.price, stale.bids, stale.ends_at,
    )  # fmt: skip


async def test_flea_items_and_ids_without_a_letter_are_what_they_are(market, yahoo):
    flea = offer(market, "種別の見本", flea=True)["id"]
    bare = offer(market, "種別の見本", id="0900000077")["id"]
    listed = await found(yahoo, "種別の見本")
    for external_id, kind, bids in ((flea, Kind.FLEA, None), (bare, Kind.AUCTION, 0)):
        look = await yahoo.look(external_id)
        assert (look.kind, look.bids, listed[external_id].kind, listed[external_id].bids) == (kind, bids, kind, bids)
    market.do("buy", id=flea)
    assert ((await yahoo.look(flea)).status, (await sold(yahoo, "種別の見本"))[flea].bids) == (Status.ENDED, None)


TITLE = "型番F26171 \"夜\" ＡＢ１２ <b>見本の題</b> ￥9,800 & 'x' </script>"


@pytest.mark.parametrize("silent", [False, True])
async def test_another_charset_full_width_digits_and_odd_titles_come_through(market, yahoo, silent: bool):
    made = offer(market, TITLE, price=23_100)["id"]
    market.do("faults", kind="charset", route="*", silent=silent)
    listed, look = (await found(yahoo, "見本の題"))[made], await yahoo.look(made)
    assert (listed.title, listed.price) == (look.title, look.price) == (TITLE, yen(23_100))
    market.do("bid", id=made, amount=23_100)
    market.do("end", id=made)
    assert (await sold(yahoo, "見本の題"))[made].price == yen(23_100)


async def test_a_seller_s_page_gives_what_that_seller_offers(market, yahoo, session: PlainSession):
    mine = offer(market, "出品者の見本", seller="PracticeSellerNine", seconds=7200, fee=0)["id"]
    offer(market, "出品者の見本", seller="PracticeSellerTen")
    page = await yahoo.search(YahooCriteria(seller="PracticeSellerNine"))
    assert [(each.external_id, each.seller.id, each.status) for each in page.sightings] == [
        (mine, "PracticeSellerNine", Status.ON_SALE)
    ]
    assert session.asked[-1]["url"] == f"{market.base}/seller/PracticeSellerNine?b=1&n=100"
    assert (await yahoo.search(YahooCriteria(seller="PracticeSellerNine", category=1))).padding == 1
    market.do("cancel", id=mine)
    assert (await yahoo.search(YahooCriteria(seller="PracticeSellerNine"))).sightings == ()


async def test_a_seller_with_much_to_offer_is_read_page_by_page(market, yahoo):
    made = {offer(market, f"多い {at}", seller="PracticeSellerMany")["id"] for at in range(101)}
    first = await yahoo.search(YahooCriteria(seller="PracticeSellerMany"))
    second = await yahoo.search(YahooCriteria(seller="PracticeSellerMany"), page_token=first.next_token)
    assert (first.next_token, second.next_token) == ("101", None)
    assert {each.external_id for each in (*first.sightings, *second.sightings)} == made


async def test_a_category_alone_is_answered(market, yahoo):
    made = offer(market, "分類だけの見本", category=4242)["id"]
    assert set(await found(yahoo, "", category=4242)) == {made}


async def test_a_block_stops_a_look_and_the_listing_stays(market, yahoo):
    made = offer(market, "残る見本")["id"]
    market.do("faults", kind="block200", route="item", count=1)
    with pytest.raises(Blocked):
        await yahoo.look(made)
    assert (await yahoo.look(made)).status == Status.ON_SALE


STORIES = {
    1: test_a_new_auction_appears_once_on_all_pages,
    2: test_rival_bids_raise_price_and_count_on_both_pages,
    3: test_the_end_is_told_to_the_second_however_near,
    4: test_each_extension_moves_the_end_by_five_minutes_and_no_flag_tells,
    5: test_a_first_bid_and_an_own_raise_extend_nothing,
    12: test_a_buy_now_by_somebody_else_ends_it_sold_at_that_price,
    14: test_a_seller_who_closes_early_sells_before_the_planned_end,
    15: test_a_listing_that_was_taken_away_is_gone_in_every_form,
    16: test_closed_without_bids_and_listed_again_are_two_listings,
    22: test_promoted_copies_and_overlap_between_pages_bring_no_id_twice_or_not_at_all,
    23: test_counts_that_differ_and_a_widened_question_change_the_count_and_lose_nothing,
    27: test_a_stale_page_tells_the_older_state_and_a_new_look_the_newer,
    29: test_flea_items_and_ids_without_a_letter_are_what_they_are,
    30: test_another_charset_full_width_digits_and_odd_titles_come_through,
}
"""Stories of listings by their numbers; those of a site in trouble stand in ``test_practice_faults``."""
