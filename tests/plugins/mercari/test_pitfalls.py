"""What others ran into when they read Mercari, each as a test of the right behaviour.

The number in a test's name is that of the table in the plugin's README. That about bidding has no test here.
"""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import plugins.mercari
from monitor_site.contract import (
    Blocked,
    Condition,
    Kind,
    LayoutChanged,
    ListingGone,
    ListingUrl,
    Money,
    RefusalKind,
    Refused,
    Shipping,
    Sighting,
    SignInNeeded,
    Status,
)
from monitor_site.marketplaces.gateway import Gateway, History
from plugins.mercari.after_buying import read_purchase
from plugins.mercari.ask import SOLD, listing_address, search_body, seller_items_address
from plugins.mercari.manifest import MANIFEST, MercariCriteria
from plugins.mercari.marketplace import Mercari
from plugins.mercari.parse import read_search
from plugins.mercari.parse_item import read_item
from plugins.mercari.parse_partner import read_partner_item
from plugins.mercari.pasted import parse_url
from plugins.mercari.proof import Prover
from tests.plugins.mercari.buying import ITEM, told
from tests.plugins.mercari.samples import NOW, only, page_of, row
from tests.plugins.mercari.things import (
    GONE,
    ITEM_ID,
    PRODUCT_ID,
    answer,
    auction,
    envelope,
    item,
    listed,
    look,
    look_at_shop,
    seller_page,
)
from tests.plugins.standins import Market, PlainSession

ALL, BIDDING = set(range(1, 29)), {26}
WORD = "該当なし"


def asked(criteria: MercariCriteria, **more: tuple[str, ...]) -> dict[str, object]:
    found = search_body(criteria, page_token=None, session="a", device="b", **more)["searchCondition"]
    assert isinstance(found, dict)
    return found


def numbers_here() -> set[int]:
    return {int(found[1]) for name in globals() if (found := re.match(r"test_pitfall_(\d\d)_", name))}


def test_every_pitfall_of_reading_has_its_test_and_its_line_in_the_readme():
    readme = (Path(str(plugins.mercari.__file__)).parent / "README.md").read_text("utf-8")
    assert numbers_here() == ALL - BIDDING
    assert {int(number) for number in re.findall(r"^\| (\d{1,2}) \|", readme, re.MULTILINE)} == ALL


async def test_pitfall_01_a_shops_id_from_a_search_goes_to_the_call_for_products(market: Market, mercari: Mercari):
    market.do("list", title=f"{WORD} 店", price=1, visible_in=0, shop="kotorishopKotorishop22")
    (found,) = (await mercari.search(MercariCriteria(keyword=f"{WORD} 店"))).sightings
    assert (await mercari.look(found.external_id)).kind == Kind.SHOP


def test_pitfall_02_a_row_with_part_of_a_category_is_kept():
    page = seller_page(listed(1, item_category={"id": 846}), listed(2, item_category={}), listed(3, seller=None))
    assert (len(page.sightings), page.bad_rows) == (3, ())


def test_pitfall_03_auctions_are_always_asked_for():
    look_at = parse_qs(urlsplit(listing_address("", ITEM_ID)).query)
    of_seller = parse_qs(urlsplit(seller_items_address("", 5, page_token=None)).query)
    body = search_body(MercariCriteria(), page_token=None, session="a", device="b")
    assert (look_at["include_auction"], of_seller["with_auction"], body["withAuction"]) == (["true"], ["true"], True)


def test_pitfall_04_auctions_are_told_apart_by_row_and_no_attribute_is_sent():
    wanted = MercariCriteria(keyword="x", sold_as=(Kind.FLEA,))
    sold = {"bidDeadline": "2026-09-23T12:30:00Z", "totalBid": "1", "highestBid": "5"}
    page = read_search(page_of(row(), row(id="m2", auction=sold), row(id=PRODUCT_ID)), wanted, now=NOW)
    assert [found.external_id for found in page.sightings] == ["m07799000001"]
    assert (asked(wanted)["attributes"], page.padding) == ([], 2)


def test_pitfall_05_the_delay_of_the_search_is_said_and_a_row_tells_when_it_was_made():
    assert MANIFEST.index_lag >= 50
    assert only(page_of(row(created="1790000001"))).created is not None


def test_pitfall_06_the_pace_stays_under_what_others_were_refused_for():
    assert MANIFEST.pace.per_minute <= 20
    assert MANIFEST.pace.ceiling_per_minute <= 45


@pytest.mark.parametrize("brand", [None, {}, [], {"id": "1", "name": "", "subName": ""}])
def test_pitfall_07_brands_and_promotions_may_be_empty(brand: object):
    found = only(page_of(row(itemBrand=brand, itemPromotions=brand)))
    assert "brand" not in found.extra


def test_pitfall_08_the_status_is_sent_and_checked_on_every_row():
    assert asked(MercariCriteria())["status"] == ["STATUS_ON_SALE"]
    assert only(page_of(row(status="ITEM_STATUS_SOLD_OUT"))).status == Status.SOLD


def test_pitfall_09_the_statuses_of_sold_things_are_two_whole_words():
    assert asked(MercariCriteria(), statuses=SOLD)["status"] == ["STATUS_SOLD_OUT", "STATUS_TRADING"]


def test_pitfall_10_a_page_is_read_whole_whatever_its_order():
    times = ("1790000100", "1790000300", "1790000200")
    rows = [row(id=f"m{n}", created=time) for n, time in enumerate(times)]
    page = read_search(page_of(*rows), MercariCriteria(), now=NOW)
    assert [found.external_id for found in page.sightings] == ["m0", "m1", "m2"]


def test_pitfall_11_only_id_name_and_price_are_needed():
    bare = {"id": "m1", "name": "x", "price": "300"}
    assert only(page_of(bare)).price == Money(amount=300, currency="JPY")
    assert look(**dict.fromkeys(set(item()) - {"id", "name", "price"}, GONE)).price is not None


async def test_pitfall_12_the_first_page_is_page_zero(market: Market, mercari: Mercari):
    newest = market.do("list", title=f"{WORD} 先頭", price=1, visible_in=0)["id"]
    market.do("list", title=f"{WORD} 先頭", price=1, visible_in=0, age=500)
    market.do("settings", page_size=1)
    first = await mercari.search(MercariCriteria(keyword=f"{WORD} 先頭"))
    assert ([found.external_id for found in first.sightings], first.next_token) == ([newest], "v1:1")
    assert search_body(MercariCriteria(), page_token=None, session="a", device="b")["pageToken"] == ""


async def test_pitfall_13_a_listing_the_search_does_not_show_yet_is_no_block(market: Market, mercari: Mercari):
    made = market.do("list", title=f"{WORD} 遅れ", price=1, visible_in=55)["id"]
    assert (await mercari.search(MercariCriteria(keyword=f"{WORD} 遅れ"))).sightings == ()
    assert (await mercari.look(made)).status == Status.ON_SALE
    market.do("clock", advance=56)
    assert len((await mercari.search(MercariCriteria(keyword=f"{WORD} 遅れ"))).sightings) == 1


async def test_pitfall_14_a_403_on_the_search_is_a_block_that_stops_everything(market: Market, mercari: Mercari):
    market.do("faults", kind="status", status=403, count=1)
    with pytest.raises(Blocked) as caught:
        await mercari.search(MercariCriteria(keyword="ルミナ"))
    assert (caught.value.pauses, caught.value.retry_after) == ("marketplace", 1800.0)


async def test_pitfall_15_a_401_gets_one_fresh_key_and_then_a_person(
    market: Market, mercari: Mercari, session: PlainSession
):
    market.do("faults", kind="expired", route="*")
    for ask in (mercari.search(MercariCriteria(keyword="x")), mercari.look(ITEM_ID), mercari.look(PRODUCT_ID)):
        with pytest.raises(SignInNeeded):
            await ask
    proofs = {asked["headers"]["DPoP"] for asked in session.asked}
    assert (len(session.asked), len(proofs)) == (6, 6)


@pytest.mark.parametrize(
    ("sold", "kind"),
    [
        ({"auction": None}, Kind.FLEA),
        ({"auction_info": None}, Kind.FLEA),
        ({"auction": {"totalBid": "2", "bidDeadline": "2026-09-22T14:13:20Z", "highestBid": "2500"}}, Kind.AUCTION),
        ({"auction_info": auction(total_bids=2)}, Kind.AUCTION),
    ],
)
def test_pitfall_16_an_auction_may_be_null_and_has_two_spellings(sold: dict[str, object], kind: Kind):
    for found in (only(page_of(row(**sold))), look(**sold)):
        assert (found.kind, found.bids) == (kind, 2 if kind == Kind.AUCTION else None)
    placeholder = only(page_of(row(price="9999999", isNoPrice=False, **sold)))
    assert placeholder.price == (Money(amount=2500, currency="JPY") if kind == Kind.AUCTION else None)


def test_pitfall_17_a_wish_for_a_passkey_is_a_persons_business():
    wants = {"code": "VerificationRequiredException", "details": {"unsatisfied_methods": ["FIDO_UV", "SMS"]}}
    with pytest.raises(Refused) as caught:
        read_purchase(told({"result": "error", "errors": [wants]}, status=403), ITEM)
    assert caught.value.kind == RefusalKind.VERIFICATION_REQUIRED


def test_pitfall_18_what_is_in_trade_is_neither_on_sale_nor_sold():
    assert look(status="trading").status == Status.RESERVED
    assert only(page_of(row(status="ITEM_STATUS_TRADING"))).status == Status.RESERVED
    assert look(status="sold_out").status == Status.SOLD


@pytest.mark.parametrize("moved", [{"code": 5, "message": "Not Found"}, {"result": "error", "errors": []}])
def test_pitfall_19_a_call_that_moved_is_another_layout_and_nothing_gone(moved: object):
    for status in (404, 410, 301):
        with pytest.raises(LayoutChanged):
            read_item(answer(moved, status=status), ITEM_ID, now=NOW)
        with pytest.raises(LayoutChanged):
            read_search(answer(moved, status=status), MercariCriteria(), now=NOW)


async def test_pitfall_20_a_look_tells_whether_a_vanished_thing_is_sold(market: Market, mercari: Mercari):
    stopped, sold, gone = (market.do("list", title=f"{WORD} 消失", price=1, visible_in=0)["id"] for _ in range(3))
    market.do("stop", id=stopped)
    market.do("sell", id=sold, done=True)
    market.do("remove", id=gone)
    assert (await mercari.search(MercariCriteria(keyword=f"{WORD} 消失"))).sightings == ()
    assert (await mercari.look(stopped)).status == Status.STOPPED
    assert (await mercari.look(sold)).status == Status.SOLD
    with pytest.raises(ListingGone):
        await mercari.look(gone)


def test_pitfall_21_a_description_is_unknown_until_a_look():
    assert only(page_of(row())).description is None
    assert "description" not in MANIFEST.search_tells
    assert look().description
    assert look_at_shop().description


def test_pitfall_22_numbers_from_an_address_are_numbers_in_the_body_and_the_keyword_may_be_empty():
    pasted = parse_url("https://jp.mercari.com/search?category_id=846&brand_id=91001")
    assert pasted is not None
    assert not isinstance(pasted, ListingUrl)
    assert isinstance(pasted.criteria, MercariCriteria)
    assert pasted.criteria.asks_something
    body = asked(pasted.criteria)
    assert (body["keyword"], body["categoryId"], body["brandId"]) == ("", [846], [91001])


async def test_pitfall_23_every_look_asks_anew(market: Market, mercari: Mercari):
    made = market.do("list", title="新しい値", price=900, visible_in=0)["id"]
    prices = []
    for price in (900, 800, 700):
        market.do("change", id=made, price=price)
        prices.append((await mercari.look(made)).price)
    assert prices == [Money(amount=price, currency="JPY") for price in (900, 800, 700)]


def test_pitfall_24_a_page_for_people_is_never_read():
    page = b"<!DOCTYPE html><html><body><script id='data'>{}</script></body></html>"
    for kind in ("text/html", "application/json"):
        with pytest.raises(Blocked):
            read_item(answer(None, kind=kind, body=page), ITEM_ID, now=NOW)


async def test_pitfall_25_a_bump_moves_only_the_time_of_change(market: Market, mercari: Mercari, gateway: Gateway):
    made = market.do("list", title=f"{WORD} 上げ", price=1, visible_in=0, age=86_400 * 30)["id"]
    before = await mercari.look(made)
    market.do("bump", id=made)
    after = await mercari.look(made)
    history = History(known=frozenset(), usual=True, empty_streak=0)
    found = await gateway.search(
        marketplace="mercari", criteria=MercariCriteria(keyword=f"{WORD} 上げ"), history=history
    )
    assert (after.external_id, after.created) == (before.external_id, before.created)
    assert after.updated != before.updated
    assert found.sightings[0].created == before.created


@pytest.mark.parametrize("status", [400, 403, 404, 412])
def test_pitfall_27_the_partner_api_has_four_ways_to_say_gone_and_none_of_them_is_a_block(status: int):
    with pytest.raises(ListingGone):
        read_partner_item(told({"code": status, "message": "x"}, status=status), ITEM_ID, now=NOW)


def test_pitfall_28_flags_are_small_words_prices_numbers_and_statuses_not_shifted():
    assert "True" not in listing_address("", ITEM_ID) + seller_items_address("", 5, page_token=None)
    found: list[Sighting] = [only(page_of(row(price="1200"))), look(price=1200), look_at_shop(price="1200")]
    assert {sighting.price for sighting in found} == {Money(amount=1200, currency="JPY")}
    assert [urlsplit(sighting.url).path.split("/")[1] for sighting in found] == ["item", "item", "shops"]
    assert only(page_of(row(status="ITEM_STATUS_ON_SALE"))).status == Status.ON_SALE


# The same trap in other clothes: what holds for one way of reading holds for all.


def test_a_shops_payer_is_told_by_code_and_a_persons_by_number():
    payer = {"shippingPayerId": "1", "id": 1, "code": "SELLER"}
    assert look_at_shop({"shippingPayer": payer}).shipping == Shipping.INCLUDED
    assert look(shipping_payer={"id": 1, "code": "buyer"}).shipping == Shipping.BUYER_PAYS
    assert only(page_of(row(id=PRODUCT_ID, shippingPayerId="1"))).shipping == Shipping.UNKNOWN


def test_names_for_people_are_never_compared():
    named = {"displayName": "新品、未使用"}
    assert look_at_shop({"condition": named}).condition == Condition.UNKNOWN
    assert look(item_condition={"id": 1, "name": "Poor"}).condition == Condition.NEW


def test_proofs_are_never_a_byte_short():
    prover = Prover()
    for _ in range(50):
        signature = prover.proof(method="GET", url="https://x/", now=NOW).rpartition(".")[2]
        assert len(signature) == 86


def test_an_answer_to_another_question_is_refused():
    with pytest.raises(LayoutChanged):
        read_item(answer(envelope(item(id="m07799000009"))), ITEM_ID, now=NOW)
