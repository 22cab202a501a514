"""The practice market over real HTTP, asked through the plugin."""

import io

import pytest
from PIL import Image

from monitor_site.contract import CanSearch, Kind, Money, SearchCriteria, SearchPage, Shipping, SignInNeeded
from plugins.mercari.ask import SEARCH_PATH, api_headers, search_body
from plugins.mercari.manifest import MANIFEST, MercariCriteria
from plugins.mercari.proof import Prover
from tests.plugins.standins import Market, PlainSession


async def search(mercari: CanSearch, keyword: str, **options: tuple[int, ...]) -> SearchPage:
    return await mercari.search(MercariCriteria(keyword=keyword, **options))


async def ids(mercari: CanSearch, keyword: str) -> set[str]:
    return {found.external_id for found in (await search(mercari, keyword)).sightings}


async def test_a_listing_made_now_is_found_after_the_index_lag_and_not_before(market, mercari):
    made = market.do("list", title="検査用 限定 あかり", price=4321, condition=2)
    assert made["id"] not in await ids(mercari, "検査用 あかり")
    market.do("clock", advance=1.1)
    found = (await search(mercari, "検査用 あかり")).sightings
    sighting = next(sighting for sighting in found if sighting.external_id == made["id"])
    assert (sighting.title, sighting.price) == ("検査用 限定 あかり", Money(amount=4321, currency="JPY"))
    assert sighting.created is not None
    assert sighting.created.timestamp() == int(made["created"])


async def test_the_lag_can_be_as_long_as_the_real_one(market, mercari):
    market.do("settings", index_lag=55)
    made = market.do("list", title="遅い索引", price=1000)
    market.do("clock", advance=54)
    assert made["id"] not in await ids(mercari, "遅い索引")
    market.do("clock", advance=2)
    assert made["id"] in await ids(mercari, "遅い索引")


async def test_price_moves_sales_stops_and_bumps_are_seen(market, mercari):
    made = [market.do("list", title="動く見本", price=9000, visible_in=0)["id"] for _ in range(4)]
    market.do("change", id=made[0], price=7000)
    market.do("sell", id=made[1])
    market.do("stop", id=made[2])
    market.do("clock", advance=100)
    bumped = market.do("bump", id=made[3])
    found = {sighting.external_id: sighting for sighting in (await search(mercari, "動く見本")).sightings}
    assert found[made[0]].price == Money(amount=7000, currency="JPY")
    assert made[1] not in found
    assert made[2] not in found
    assert found[made[3]].updated > found[made[3]].created
    assert bumped["id"] == made[3]


async def test_a_stopped_listing_comes_back(market, mercari):
    made = market.do("list", title="戻る見本", price=500, visible_in=0)["id"]
    market.do("stop", id=made)
    market.do("restart", id=made)
    assert made in await ids(mercari, "戻る見本")


async def test_bids_raise_the_price_of_an_auction_and_its_end_takes_it_away(market, mercari):
    made = market.do("list", title="競りの見本", price=1000, visible_in=0, auction_seconds=60)["id"]
    market.do("bid", id=made, price=1500)
    found = next(s for s in (await search(mercari, "競りの見本")).sightings if s.external_id == made)
    assert (found.kind, found.bids, found.price) == (Kind.AUCTION, 1, Money(amount=1500, currency="JPY"))
    market.do("clock", advance=61)
    assert made not in await ids(mercari, "競りの見本")


async def test_rows_without_price_shops_and_buyer_pays_come_as_they_do_there(market, mercari):
    market.do("list", title="形の見本 非売品", price=None, visible_in=0)
    market.do("list", title="形の見本 店", price=800, visible_in=0, shop="kotorishopKotorishop22")
    market.do("list", title="形の見本 着払い", price=900, visible_in=0, payer=1)
    found = {sighting.title: sighting for sighting in (await search(mercari, "形の見本")).sightings}
    assert found["形の見本 非売品"].price is None
    assert found["形の見本 店"].kind == Kind.SHOP
    assert found["形の見本 着払い"].shipping == Shipping.BUYER_PAYS


@pytest.mark.parametrize(
    "keyword", ["ルミナ", "もふもん", "まったく 知られていない 言葉", "ＡＢＣ Widget 900", "écran"]
)
async def test_any_keyword_has_something_to_show(mercari, keyword: str):
    page = await search(mercari, keyword)
    assert len(page.sightings) >= 10
    assert page.bad_rows == ()
    assert all(sighting.images for sighting in page.sightings)


async def test_the_control_question_always_has_answers(mercari):
    assert (await mercari.search(MANIFEST.control)).sightings


async def test_the_same_keyword_shows_the_same_listings_again(mercari):
    assert await ids(mercari, "同じ言葉") == await ids(mercari, "  同じ言葉  ")


async def test_a_keyword_for_nothing_honestly_finds_nothing(mercari):
    page = await search(mercari, "該当なし 何か")
    assert (page.sightings, page.about) == ((), 0)


async def test_a_whole_category_may_be_asked_and_its_padding_is_dropped(mercari):
    page = await search(mercari, "", category_ids=(846,))
    assert page.sightings
    assert page.padding == 3
    assert {sighting.extra["category"] for sighting in page.sightings} == {"846"}


async def test_pages_follow_each_other_until_the_token_is_empty(mercari):
    found: list[str] = []
    token, pages = None, 0
    while pages == 0 or token:
        page = await mercari.search(MercariCriteria(), page_token=token)
        found += [sighting.external_id for sighting in page.sightings]
        token, pages = page.next_token, pages + 1
    assert pages >= 3
    assert len(found) == len(set(found)) > 240


async def test_plain_criteria_are_understood_too(mercari):
    assert (await mercari.search(SearchCriteria(keyword="ポケリア"))).sightings


async def test_while_somebody_asks_something_new_comes_every_few_seconds(market, mercari):
    market.do("resume")
    before = await ids(mercari, "新着を待つ")
    arrived = []
    for _ in range(12):
        market.do("clock", advance=5)
        now = await ids(mercari, "新着を待つ")
        arrived.append(len(now - before))
        before |= now
    assert sum(arrived[:4]) >= 1
    assert 3 <= sum(arrived) <= 12


async def test_a_question_asked_again_after_an_hour_finds_what_came_in_between(market, mercari):
    before = await ids(mercari, "一時間ぶり")
    market.do("resume")
    market.do("clock", advance=3600)
    assert len(await ids(mercari, "一時間ぶり") - before) >= 1


async def test_the_truth_log_tells_what_was_made_and_asked(market, mercari):
    made = market.do("list", title="記録の見本", price=100, visible_in=0)
    market.do("change", id=made["id"], price=90)
    await search(mercari, "記録の見本")
    listed = next(line for line in market.truth("listed") if line["id"] == made["id"])
    assert (listed["created"], listed["visible_at"], listed["by"]) == (made["created"], made["visible_at"], "control")
    assert [(e["before"], e["price"]) for e in market.truth("price") if e["id"] == made["id"]] == [(100, 90)]
    assert market.look("asked")["記録の見本"]["times"] == 1
    stocked = [line for line in market.look("truth", tail=50)["events"] if line["event"] == "stocked"]
    assert stocked[-1]["keyword"] == "記録の見本"


async def test_a_picture_is_drawn_once_and_the_same_every_time(market, session: PlainSession, mercari):
    (address,) = (await search(mercari, "ルミナ")).sightings[0].images
    first, second = await session.get(address), await session.get(address)
    assert first.media_type == "image/webp"
    assert first.body == second.body
    with Image.open(io.BytesIO(first.body)) as picture:
        assert picture.size == (480, 480)


async def test_a_proof_for_another_address_is_refused_and_the_log_says_why(market: Market, session: PlainSession):
    proof = Prover().proof(method="POST", url="https://api.mercari.jp/other", now=session.now())
    got = await session.post(market.base + SEARCH_PATH, json={}, headers=api_headers(proof))
    assert got.status == 401
    assert market.truth("refused")[-1]["reason"] == "htu https://api.mercari.jp/other"


@pytest.mark.parametrize("missing", ["DPoP", "X-Platform"])
async def test_a_request_without_a_needed_header_is_refused(market: Market, session: PlainSession, missing: str):
    headers = good_headers(market, session)
    del headers[missing]
    assert (await session.post(market.base + SEARCH_PATH, json=question(), headers=headers)).status == 401


async def test_an_agent_that_is_no_browser_gets_an_empty_page(market: Market, session: PlainSession):
    headers = good_headers(market, session) | {"User-Agent": "python-requests/2"}
    got = await session.post(market.base + SEARCH_PATH, json=question(), headers=headers)
    assert (got.status, b'"items":[]' in got.body) == (200, True)


@pytest.mark.parametrize("body", [{}, [], {"searchCondition": 1}, {"searchCondition": {}, "pageToken": "x"}])
async def test_a_body_that_is_no_question_is_refused(market: Market, session: PlainSession, body: object):
    got = await session.post(market.base + SEARCH_PATH, json=body, headers=good_headers(market, session))
    assert got.status == 400


async def test_a_refused_proof_is_tried_once_more_with_a_new_key(market: Market, session: PlainSession, mercari):
    market.do("faults", kind="expired", count=1)
    assert (await search(mercari, "ルミナ")).sightings
    first, second = (asked["headers"]["DPoP"].split(".")[0] for asked in session.asked)
    assert first != second


async def test_a_proof_refused_twice_needs_signing_in(market: Market, session: PlainSession, mercari):
    market.do("faults", kind="expired")
    with pytest.raises(SignInNeeded):
        await search(mercari, "ルミナ")
    assert len(session.asked) == 2


def test_control_says_what_it_does_not_understand(market: Market):
    unknown = market.ask("nonsense", {})
    assert (unknown.status_code, "POST list" in unknown.json()["known"]) == (404, True)
    assert market.ask("sell", {"id": "m0"}).status_code == 404
    for what, order in (("list", {}), ("clock", {"advance": -5}), ("faults", {"kind": "storm"}), ("clock", [])):
        assert market.ask(what, order).status_code == 400


def question() -> dict[str, object]:
    return search_body(MercariCriteria(keyword="ルミナ"), page_token=None, session="a", device="b")


def good_headers(market: Market, session: PlainSession) -> dict[str, str]:
    proof = Prover().proof(method="POST", url=market.base + SEARCH_PATH, now=session.now())
    return dict(api_headers(proof))
