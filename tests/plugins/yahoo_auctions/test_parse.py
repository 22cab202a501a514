"""Result pages: exact values for every sample, and every way a card can be odd."""

from datetime import UTC, datetime

import pytest

from monitor_site.contract import Answer, Condition, Kind, LayoutChanged, Money, SearchPage, Shipping, Status
from plugins.yahoo_auctions.manifest import Order, YahooCriteria
from plugins.yahoo_auctions.parse import read_search
from tests.plugins.yahoo_auctions.samples import NOW, answer, buy_now, card, only, page_of, read


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


def found(page: SearchPage) -> dict[str, object]:
    return {sighting.external_id: sighting for sighting in page.sightings}


def parsed(made: Answer, **criteria: object) -> SearchPage:
    return read_search(made, YahooCriteria(**criteria), now=NOW)


def test_a_page_gives_every_card_once_its_count_and_the_way_on():
    page = read("full.html")
    assert [sighting.external_id for sighting in page.sightings] == [
        "0900000012", "d0900000013", "z090000014", "s0900000015", "n0900000016", "b0900000011",
    ]  # fmt: skip
    assert (page.about, page.next_token, page.padding, page.bad_rows) == (1234, "51", 1, ())


def test_an_auction_with_buy_now_is_read_whole():
    sighting = found(read("full.html"))["b0900000011"]
    assert (sighting.title, sighting.url) == (
        "ルミナ T2 フィルムカメラ",
        "https://auctions.yahoo.co.jp/jp/auction/b0900000011",
    )
    assert (sighting.price, sighting.buy_now, sighting.bids) == (yen(12500), yen(40000), 7)
    assert (sighting.kind, sighting.status, sighting.condition) == (Kind.AUCTION, Status.ON_SALE, Condition.UNKNOWN)
    assert (sighting.shipping, sighting.shipping_fee) == (Shipping.BUYER_PAYS, yen(1180))
    assert (sighting.created, sighting.ends_at) == (
        datetime.fromtimestamp(1790900000, tz=UTC),
        datetime.fromtimestamp(1791504800, tz=UTC),
    )
    assert (sighting.seller.id, sighting.seller.rating) == ("SampleSeller", 97.5)
    assert sighting.images == ("https://auctions.c.yimg.jp/b0900000011.jpg",)
    assert sighting.extra == {"category": "2500"}


def test_an_id_without_a_letter_is_an_id():
    sighting = found(read("full.html"))["0900000012"]
    assert (sighting.price, sighting.condition, sighting.shipping) == (yen(980), Condition.NEW, Shipping.INCLUDED)


def test_a_price_equal_to_the_buy_now_price_is_a_fixed_price():
    sighting = found(read("full.html"))["d0900000013"]
    assert (sighting.kind, sighting.price, sighting.buy_now) == (Kind.FIXED, yen(4500), yen(4500))


def test_shipping_that_is_not_settled_is_unknown():
    sighting = found(read("full.html"))["d0900000013"]
    assert (sighting.shipping, sighting.shipping_fee) == (Shipping.UNKNOWN, None)


def test_a_flea_item_is_no_auction_and_has_no_bids():
    sighting = found(read("full.html"))["z090000014"]
    assert (sighting.kind, sighting.bids, sighting.price) == (Kind.FLEA, None, yen(1800))


def test_a_store_is_told_and_its_prices_are_with_tax():
    sighting = found(read("full.html"))["s0900000015"]
    assert (sighting.price, sighting.buy_now, sighting.extra["store"]) == (yen(22000), yen(33001), "1")


def test_digits_and_prices_in_a_title_never_get_into_the_price():
    sighting = found(read("full.html"))["n0900000016"]
    assert sighting.title == '型番C300 "夜" A&B <見本> ¥9,800'
    assert (sighting.price, sighting.bids) == (yen(23100), 31)


def test_recommended_things_and_catalogue_prices_are_not_results():
    page = read("full.html")
    assert "h0900000099" not in found(page)
    assert all(sighting.price not in {yen(77700), yen(1)} for sighting in page.sightings)


def test_the_last_page_overlaps_and_leads_nowhere():
    first, last = found(read("full.html")), read("last_page.html", offset=51)
    assert (len(last.sightings), last.next_token, last.about) == (2, None, 1236)
    assert set(found(last)) - set(first) == {"k0900000021"}


def test_pages_go_on_by_the_size_of_a_page_and_not_by_the_cards_on_it():
    assert read("full.html", offset=101).next_token == "151"


def test_nothing_found_comes_as_404_and_is_an_empty_page():
    page = read("empty_404.html")
    assert (page.sightings, page.about, page.next_token) == ((), 0, None)


def test_bad_cards_are_reported_and_the_others_stand():
    page = read("some_bad_cards.html")
    assert [(bad.position, bad.reason) for bad in page.bad_rows] == [(3, "no usable id"), (4, "no title")]
    assert len(page.sightings) == 3


def test_the_older_view_has_no_labels_no_bids_and_other_seller_ids():
    page = read("quick_view.html")
    first, _, third = page.sightings
    assert (first.price, first.buy_now, first.bids, first.seller.id) == (yen(700), None, None, "old_seller_0")
    assert (third.price, third.buy_now, third.kind) == (yen(8300), yen(8300), Kind.FIXED)
    assert first.ends_at == datetime.fromtimestamp(1646604800, tz=UTC)


@pytest.mark.parametrize("file", ["euc_jp_said.html", "euc_jp_in_meta.html", "euc_jp_unsaid.html"])
def test_another_charset_is_read_said_or_not(file: str):
    (sighting,) = read(file).sightings
    assert "フィルムカメラ" in sighting.title


@pytest.mark.parametrize("charset", ["cp932", "iso2022_jp", "utf-16"])
def test_a_charset_that_nobody_can_tell_is_another_layout_and_never_garbled_titles(charset: str):
    page = page_of(*(card(id=f"a090000000{n}", title="カメラのレンズ 見本") for n in range(6))).body.decode()
    with pytest.raises(LayoutChanged):
        read_search(answer(page.encode(charset, "ignore"), content_type="text/html"), YahooCriteria(), now=NOW)


def test_a_charset_nobody_knows_and_a_broken_byte_do_not_cost_the_page():
    made = page_of(card(title="見本")).body.replace("見本の".encode(), b"\xff")
    odd = answer(made.replace("見本".encode(), "見本".encode() + b"\xff"), content_type="text/html; charset=martian")
    assert len(parsed(odd).sightings) == 1


def test_a_missing_count_of_bids_is_unknown_and_not_none():
    assert only(card(bids="")).bids is None
    assert only(card(bids="0")).bids == 0


def test_only_a_buy_now_price_is_the_price_too():
    made = card(price="", shown="-", more=buy_now("5,600円")).replace(">現在<", ">入札<")
    sighting = only(made)
    assert (sighting.price, sighting.buy_now, sighting.kind) == (yen(5600), yen(5600), Kind.AUCTION)


@pytest.mark.parametrize("shown", ["0円", "-", "価格未定", ""])
def test_a_price_of_nothing_is_unknown(shown: str):
    sighting = only(card(price="0", shown=shown, buy_now="0"))
    assert (sighting.price, sighting.buy_now) == (None, None)


def test_one_yen_is_a_price():
    assert only(card(price="1", shown="1円")).price == yen(1)


def test_without_a_shown_price_the_attribute_counts():
    assert only(card(price="6400", shown="")).price == yen(6400)


def test_full_width_digits_and_a_note_on_tax_are_understood():
    assert only(card(shown="３,４４０円（税込）")).price == yen(3440)


@pytest.mark.parametrize(("bare", "taxed"), [("2237", 2460), ("17501", 19251), ("318182", 350000)])
def test_a_store_s_buy_now_attribute_gets_its_tax_with_the_fraction_cut(bare: str, taxed: int):
    assert only(card(buy_now=bare, store="1", tax="10")).buy_now == yen(taxed)


def test_a_store_s_buy_now_attribute_without_a_tax_rate_is_unknown():
    assert only(card(buy_now="2237", store="1", tax="")).buy_now is None


def test_free_shipping_is_what_the_attribute_says_whatever_the_icons():
    assert only(card(free="1", postage="")).shipping == Shipping.INCLUDED
    assert only(card(free="", postage="")).shipping == Shipping.UNKNOWN


def test_the_end_comes_from_the_attribute_and_never_from_the_coarse_words():
    sighting = only(card(time="10時間", end="1791234567"))
    assert sighting.ends_at == datetime.fromtimestamp(1791234567, tz=UTC)
    assert sighting.status == Status.ON_SALE


def test_a_missing_end_is_unknown_and_never_1970():
    made = card(end="0")
    assert only(made).ends_at is None
    assert only(made).status == Status.ON_SALE


def test_without_its_own_block_a_card_s_end_comes_from_the_click_counter():
    made = card(end="1791234567")
    start, rest = made.split('<div class="Product__bonus"')
    sighting = only(start + rest.partition("</div>")[2])
    assert sighting.ends_at == datetime.fromtimestamp(1791234567, tz=UTC)
    assert sighting.seller is None


def test_a_card_that_says_it_is_over_is_over():
    assert only(card(time="終了")).status == Status.ENDED


def test_condition_words_are_taken_whole():
    assert only(card(unused="未使用")).condition == Condition.NEW
    assert only(card(unused="未使用に近い")).condition == Condition.LIKE_NEW
    assert only(card(unused="新品同様")).condition == Condition.UNKNOWN


def test_the_newest_come_first_and_promoted_ones_where_they_belong():
    made = page_of(card(id="a0900000001", start="100"), card(id="a0900000002", start="300"), card(id="a0900000003"))
    assert [sighting.external_id[-1] for sighting in parsed(made).sightings] == ["3", "2", "1"]


def test_another_order_is_left_as_it_is():
    cards = [card(id="a0900000001", start="100"), card(id="a0900000002", start="300")]
    page = parsed(page_of(*cards, order="残り時間の短い順"), order=Order.ENDING)
    assert [sighting.external_id[-1] for sighting in page.sightings] == ["1", "2"]


def test_an_order_left_open_is_the_newest_first():
    assert parsed(page_of(card()), order="").sightings


def test_an_order_nobody_knows_is_not_held_against_the_page():
    assert parsed(page_of(card(), order="新しい順")).sightings


@pytest.mark.parametrize("external_id", ["1", "xx0900000001", "W0900000001", "w0900000001/../x", "w09000000011"])
def test_what_is_no_id_makes_a_bad_card(external_id: str):
    page = parsed(page_of(card(), card(id=external_id)))
    assert [bad.reason for bad in page.bad_rows] == ["no usable id"]


def test_few_cards_without_bids_are_no_other_layout():
    assert len(parsed(page_of(*(card(id=f"a090000000{n}", bids="") for n in range(4)))).sightings) == 4


def test_the_test_bucket_stands_in_the_error():
    with pytest.raises(LayoutChanged, match=r"6 ids and a count of 1234; test bucket exp7"):
        read("renamed_list.html")


def test_a_page_without_a_pager_is_judged_by_its_count():
    bare = page_of(card(), total=80).body.replace(b"Pager__list--next", b"Pager__gone")
    assert parsed(answer(bare)).next_token == "51"
    few = page_of(card(), total=3).body.replace(b"Pager__list--next", b"Pager__gone")
    assert parsed(answer(few)).next_token is None


def test_the_same_bytes_give_the_same_page_and_addresses_begin_where_asked():
    made = page_of(card(), card(id="a0900000002"))
    assert parsed(made) == parsed(made)
    page = read_search(made, YahooCriteria(), now=NOW, web="http://127.0.0.1:9")
    assert all(sighting.url.startswith("http://127.0.0.1:9/jp/auction/") for sighting in page.sightings)
