"""The practice market over real HTTP, asked through the plugin."""

import io

import pytest
from PIL import Image

from monitor_site.contract import (
    Blocked,
    CanSearch,
    Condition,
    Kind,
    Money,
    SearchCriteria,
    SearchPage,
    Shipping,
    Sighting,
    Unavailable,
)
from plugins.yahoo_auctions.manifest import MANIFEST, Order, Selling, YahooCriteria
from tests.plugins.standins import Market, PlainSession


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


async def search(yahoo: CanSearch, keyword: str, **options: object) -> SearchPage:
    return await yahoo.search(YahooCriteria(keyword=keyword, **options))


async def ids(yahoo: CanSearch, keyword: str, **options: object) -> set[str]:
    return {found.external_id for found in (await search(yahoo, keyword, **options)).sightings}


async def one(yahoo: CanSearch, keyword: str, external_id: str) -> Sighting:
    page = await search(yahoo, keyword)
    return next(found for found in page.sightings if found.external_id == external_id)


async def test_a_listing_made_now_is_found_after_the_index_lag_and_not_before(market, yahoo):
    made = market.do("list", title="検査用 あかり", price=4321, unused=True, fee=230, seconds=7200)
    assert made["id"] not in await ids(yahoo, "検査用 あかり")
    market.do("clock", advance=1.1)
    found = await one(yahoo, "検査用 あかり", made["id"])
    assert (found.title, found.price, found.bids, found.kind) == ("検査用 あかり", yen(4321), 0, Kind.AUCTION)
    assert (found.shipping, found.shipping_fee, found.condition) == (Shipping.BUYER_PAYS, yen(230), Condition.NEW)
    assert (found.created.timestamp(), found.ends_at.timestamp()) == (int(made["created"]), int(made["ends"]))
    assert found.url == f"{market.base}/jp/auction/{made['id']}"


async def test_rivals_raise_the_price_and_the_log_knows_by_whom(market, yahoo):
    made = market.do("list", title="競りの見本", price=1000, visible_in=0)["id"]
    market.do("bid", id=made, bidder="a", amount=5000)
    market.do("bid", id=made, bidder="b", amount=3000)
    found = await one(yahoo, "競りの見本", made)
    assert (found.price, found.bids) == (yen(3100), 2)
    told = [(line["bidder"], line["outcome"], line["price"]) for line in market.truth("bid") if line["id"] == made]
    assert told == [("a", "leads", 1000), ("b", "outbid", 3100)]


async def test_a_rise_in_the_last_minutes_extends_and_then_the_end_comes(market, yahoo):
    made = market.do("list", title="延長の見本", price=1000, visible_in=0, seconds=240)
    market.do("bid", id=made["id"], bidder="a", amount=5000)
    market.do("bid", id=made["id"], bidder="b", amount=3000)
    found = await one(yahoo, "延長の見本", made["id"])
    assert found.ends_at.timestamp() == int(made["ends"] + 300)
    market.do("clock", advance=541)
    assert made["id"] not in await ids(yahoo, "延長の見本")
    assert [(e["status"], e["by"]) for e in market.truth("ended") if e["id"] == made["id"]] == [("sold", "time")]


async def test_early_ends_buy_now_and_cancelling_take_a_listing_away(market, yahoo):
    early, bought, taken = (
        market.do("list", title="早い終わり", price=900, buy_now=2000, visible_in=0)["id"] for _ in range(3)
    )
    assert market.ask("end", {"id": early}).status_code == 400
    market.do("bid", id=early, amount=1000)
    market.do("end", id=early)
    market.do("bid", id=bought, amount=2500)
    market.do("cancel", id=taken)
    assert not {early, bought, taken} & await ids(yahoo, "早い終わり")
    assert {(e["id"], e["by"]) for e in market.truth("ended")} >= {
        (early, "seller"),
        (bought, "buy-now"),
        (taken, "cancelled"),
    }


async def test_a_price_change_and_an_end_moved_by_hand_are_seen(market, yahoo):
    made = market.do("list", title="手で動かす", price=900, fixed=True, visible_in=0)
    market.do("change", id=made["id"], price=700)
    market.do("extend", id=made["id"], seconds=600)
    found = await one(yahoo, "手で動かす", made["id"])
    assert (found.price, found.buy_now, found.kind) == (yen(700), yen(700), Kind.FIXED)
    assert found.ends_at.timestamp() == int(made["ends"] + 600)


async def test_stores_flea_items_and_unsettled_shipping_come_as_they_do_there(market, yahoo):
    store = market.do("list", title="形の見本", price=2237, buy_now=17501, tax=10, visible_in=0)["id"]
    flea = market.do("list", title="形の見本", price=800, flea=True, fee=None, visible_in=0)["id"]
    found = {sighting.external_id: sighting for sighting in (await search(yahoo, "形の見本")).sightings}
    assert (found[store].price, found[store].buy_now, found[store].extra["store"]) == (yen(2460), yen(19251), "1")
    assert (found[flea].kind, found[flea].bids, found[flea].shipping) == (Kind.FLEA, None, Shipping.UNKNOWN)
    assert flea.startswith("z")


async def test_the_options_narrow_the_search(market, yahoo):
    cheap = market.do("list", title="絞り込み", price=500, visible_in=0, seconds=1800)["id"]
    dear = market.do("list", title="絞り込み 訳あり", price=9000, fixed=True, fee=500, visible_in=0)["id"]
    assert cheap in await ids(yahoo, "絞り込み", price_to=500, ending_soon=True, free_shipping=True)
    assert dear not in await ids(yahoo, "絞り込み", price_to=500)
    assert dear in await ids(yahoo, "絞り込み", selling=Selling.FIXED, buy_now_from=9000, price_from=9000)
    assert cheap not in await ids(yahoo, "絞り込み", selling=Selling.FIXED)
    assert dear not in await ids(yahoo, "絞り込み", without_words=("訳あり",))
    assert dear in await ids(yahoo, "絞り込み", any_words=("訳あり", "未使用"), sellers=(2,))


@pytest.mark.parametrize("order", list(Order))
async def test_every_order_is_answered_as_asked(yahoo, order: Order):
    assert (await search(yahoo, "ルミナ", order=order)).sightings


async def test_the_newest_come_first(yahoo):
    made = [found.created for found in (await search(yahoo, "ポケリア")).sightings]
    assert made == sorted(made, reverse=True)


@pytest.mark.parametrize(
    "keyword", ["ルミナ", "もふもん", "まったく 知られていない 言葉", "ＡＢＣ Widget 900", "écran", "ゲーム（初期）,箱"]
)
async def test_any_keyword_has_something_to_show(yahoo, keyword: str):
    page = await search(yahoo, keyword)
    assert len(page.sightings) >= 20
    assert page.bad_rows == ()
    assert all(found.images and found.price and found.ends_at for found in page.sightings)


async def test_promoted_copies_are_dropped(yahoo):
    assert (await search(yahoo, "クロノア")).padding == 3


async def test_the_control_question_always_has_answers(yahoo):
    assert (await yahoo.search(MANIFEST.control)).sightings


async def test_a_keyword_for_nothing_honestly_finds_nothing(yahoo):
    page = await search(yahoo, "該当なし 何か")
    assert (page.sightings, page.about) == ((), 0)


async def test_pages_follow_each_other_until_there_is_no_next(market, yahoo):
    for at in range(60):
        market.do("list", title=f"頁の見本 {at}", price=1000, visible_in=0)
    first = await yahoo.search(YahooCriteria(keyword="頁の見本"))
    second = await yahoo.search(YahooCriteria(keyword="頁の見本"), page_token=first.next_token)
    assert (first.next_token, second.next_token) == ("51", None)
    assert len({found.external_id for found in (*first.sightings, *second.sightings)}) == first.about


async def test_sales_are_told_page_by_page_latest_first_and_without_what_nobody_bought(market, yahoo):
    for at in range(53):
        made = market.do("list", title="売れた頁の見本", price=900 + at, visible_in=0, seconds=60 + at, bids=at % 53)[
            "id"
        ]
    market.do("clock", advance=200)
    first = await yahoo.sold_prices(YahooCriteria(keyword="売れた頁の見本"))
    second = await yahoo.sold_prices(YahooCriteria(keyword="売れた頁の見本"), page_token=first.next_token)
    sales = [*first.sightings, *second.sightings]
    assert (first.next_token, second.next_token, first.about) == ("51", None, 52)
    assert [found.price.amount for found in sales] == list(range(952, 900, -1))
    assert sales[0].external_id == made


async def test_plain_criteria_are_understood_too(yahoo):
    assert (await yahoo.search(SearchCriteria(keyword="ポケリア"))).sightings


async def test_while_somebody_asks_something_new_comes_rivals_bid_and_auctions_end(market, yahoo):
    market.do("resume")
    before = await ids(yahoo, "新着を待つ")
    for _ in range(12):
        market.do("clock", advance=10)
        before |= await ids(yahoo, "新着を待つ")
    assert len([e for e in market.truth("listed") if e["by"] == "stream"]) >= 5
    assert [e for e in market.truth("bid") if e["bidder"].startswith("rival_")]


async def test_a_picture_is_drawn_once_and_the_same_every_time(yahoo, session: PlainSession):
    (address,) = (await search(yahoo, "ルミナ")).sightings[0].images
    first, second = await session.get(address), await session.get(address)
    assert (first.media_type, first.body) == ("image/webp", second.body)
    with Image.open(io.BytesIO(first.body)) as picture:
        assert picture.size == (400, 400)


async def test_signs_in_the_keyword_break_the_market_and_the_plugin_leaves_them_out(market, session, yahoo):
    assert market.page("/search/search", p="カード（初期）", va="カード（初期）").status == 500
    assert (await search(yahoo, "カード（初期）")).sightings
    assert "%EF%BC%88" not in session.asked[-1]["url"]


def test_a_phone_gets_the_block_page(market: Market):
    got = market.client.get(f"{market.base}/search/search?p=x", headers={"user-agent": "Mozilla/5.0 (iPhone)"})
    assert (got.status_code, "ページが表示できません" in got.text) == (200, True)


def test_control_says_what_it_does_not_understand(market: Market):
    unknown = market.ask("nonsense", {})
    assert (unknown.status_code, "POST list" in unknown.json()["known"]) == (404, True)
    assert market.ask("bid", {"id": "m0"}).status_code == 404
    for what, order in (("list", {}), ("clock", {"advance": -5}), ("faults", {"kind": "storm"}), ("clock", [])):
        assert market.ask(what, order).status_code == 400


async def test_control_shows_the_state_and_what_was_asked(market, yahoo):
    await search(yahoo, "状態の見本")
    state = market.look("state")
    assert (state["speed"], state["stream"]["running"], state["faults"]) == (0, False, [])
    assert state["totals"]["search"] >= 1
    assert market.look("asked")["状態の見本"]["times"] == 1
    assert market.look("truth", tail=3)["events"]


async def test_a_fault_may_last_for_some_requests_only(market, yahoo):
    market.do("faults", kind="block200", count=1)
    with pytest.raises(Blocked):
        await search(yahoo, "ルミナ")
    assert (await search(yahoo, "ルミナ")).sightings
    market.do("faults", kind="maintenance", for_seconds=3600)
    with pytest.raises(Unavailable):
        await search(yahoo, "ルミナ")
