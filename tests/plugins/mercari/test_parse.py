"""What comes out of each sample answer, to the last value."""

from datetime import UTC, datetime

import pytest

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Status
from monitor_site.contract.rules import Promise
from plugins.mercari.manifest import MANIFEST, MercariCriteria
from plugins.mercari.parse import read_search
from tests.plugins.mercari.samples import HERE, NOW, only, page_of, read, row, samples


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


def amounts(file: str) -> list[int | None]:
    return [found.price.amount if found.price else None for found in read(file).sightings]


def test_every_sample_file_stands_in_the_manifest():
    there = {path.name for path in HERE.iterdir()} - {"manifest.json", "conformance.json", "README.md"}
    assert there == set(samples())


def test_a_usual_row_is_read_to_the_last_field():
    found = read("full.json").sightings[0]
    assert found.external_id == "m07700000001"
    assert found.title == "ルミナ T2 チタン 35mm F2.8 コンパクトフィルムカメラ"
    assert found.url == "https://jp.mercari.com/item/m07700000001"
    assert found.price == yen(68000)
    assert (found.kind, found.status) == (Kind.FLEA, Status.ON_SALE)
    assert (found.shipping, found.condition) == (Shipping.INCLUDED, Condition.NEW)
    assert found.seller == Seller(id="880000001")
    assert found.images == ("https://static.mercdn.net/item/detail/webp/photos/m07700000001_1.jpg?1790000001",)
    assert found.created == datetime(2026, 9, 21, 14, 13, 21, tzinfo=UTC)
    assert found.updated == datetime(2026, 9, 21, 14, 14, 21, tzinfo=UTC)
    assert (found.ends_at, found.bids, found.buy_now, found.description) == (None, None, None, None)
    assert found.extra == {"category": "846"}


def test_the_page_says_where_it_goes_on_and_about_how_much_there_is():
    page = read("full.json")
    assert (page.next_token, page.about, page.bad_rows, page.padding) == ("v1:1", 2048, (), 0)


def test_prices_of_a_mixed_page():
    assert amounts("full.json") == [68000, 21800, 23400, 9800, None, None, 42000, 4800, 78000]


def test_kinds_of_a_mixed_page():
    kinds = [found.kind for found in read("full.json").sightings]
    assert kinds == [Kind.FLEA] * 2 + [Kind.AUCTION] * 3 + [Kind.FLEA, Kind.SHOP, Kind.FLEA, Kind.FLEA]


def test_conditions_and_states_of_a_mixed_page():
    found = read("full.json").sightings
    grades = ("new", "like_new", "good", "good", "good", "worn", "good", "fair", "poor")
    assert tuple(sighting.condition for sighting in found) == grades
    assert [sighting.status for sighting in found[-2:]] == [Status.SOLD, Status.RESERVED]


def test_brand_and_size_are_kept_where_they_are_told():
    assert read("full.json").sightings[1].extra == {"category": "420", "brand": "樹海", "size": "M"}


def test_an_auction_tells_its_bids_and_its_end():
    running, fresh, unpriced = read("full.json").sightings[2:5]
    assert (running.price, running.bids, running.shipping) == (yen(23400), 7, Shipping.BUYER_PAYS)
    assert running.ends_at == datetime(2026, 9, 23, 12, 30, tzinfo=UTC)
    assert (fresh.price, fresh.bids) == (yen(9800), 0)
    assert fresh.ends_at == datetime(2026, 9, 23, 12, 15, 8, 123456, tzinfo=UTC)
    assert (unpriced.price, unpriced.bids, unpriced.kind) == (None, 0, Kind.AUCTION)


def test_a_shop_row_names_the_shop_and_leaves_shipping_open():
    found = read("full.json").sightings[6]
    assert found.url == "https://jp.mercari.com/shops/product/7kQw3nVbT9xYzRmPdHs5Lc"
    assert found.seller == Seller(id="kotorishopKotorishop22")
    assert found.shipping == Shipping.UNKNOWN


def test_nothing_found_is_an_empty_page():
    page = read("empty.json")
    assert (page.sightings, page.next_token, page.about) == ((), None, 0)


def test_a_short_page_goes_on_as_long_as_there_is_a_token():
    first, second = read("first_page.json"), read("second_page.json")
    assert (len(first.sightings), first.next_token, first.about) == (5, "v1:1", 11)
    assert (len(second.sightings), second.next_token, second.about) == (2, None, 11)
    assert first.sightings[-1].external_id == second.sightings[0].external_id


def test_rows_of_other_categories_are_padding_and_a_row_without_one_stays():
    page = read("padded.json", category_ids=(846, 847))
    assert [found.price for found in page.sightings] == [yen(1980), yen(2980), yen(700)]
    assert (page.padding, page.next_token) == (2, "v1:7")


def test_without_asked_categories_nothing_is_padding():
    page = read("padded.json")
    assert (len(page.sightings), page.padding) == (5, 0)


def test_a_page_of_padding_alone_ends_the_search():
    page = read("all_padding.json", category_ids=(846,))
    assert (page.sightings, page.padding, page.next_token) == ((), 3, None)


def test_an_empty_page_with_a_token_goes_on():
    assert read_search(page_of(token="v1:4"), MercariCriteria(), now=NOW).next_token == "v1:4"


@pytest.mark.parametrize(
    ("position", "title"),
    [
        (0, "R&D <i>見本</i> \"A\" 'B'"),
        (1, 'R&D <i>見本</i> "A"'),
        (2, "二重 &amp; 一度だけ"),
        (3, "セミコロンなし &copy2026 R&B"),
        (4, "🎉 絵文字 👩‍🚀"),
        (5, "ＡＢＣ　１２３　ｶﾞｷﾞｸﾞ"),
        (6, "か\u3099き\u3099く\u3099"),
        (7, "  前後に空白  "),
        (8, "全角　　空白"),
        (9, "長い" * 130),
        (10, ""),
        (11, "0"),
        (12, "10,000円引き ¥1,000→¥500"),
        (13, "</script><script>alert(1)</script>"),
        (14, "①㈱№～〜－"),
        (15, "عربي RTL 見本 עברית"),
    ],
)
def test_titles_come_through_as_written_with_entities_undone_once(position: int, title: str):
    found = read("titles.json").sightings[position]
    assert found.title == title
    assert found.price == yen(1000 + position)


def test_half_a_sign_in_one_title_does_not_cost_the_page():
    page = read("half_a_sign.json.txt")
    assert [found.title for found in page.sightings] == ["半分 \ufffd", "無事な行"]


def test_rows_off_the_usual_shape_are_all_kept():
    page = read("shapes.json")
    assert (len(page.sightings), page.bad_rows) == (18, ())
    expected = [1200, 8000, 1500, 1600, 1700, 1800, 1900, 2000, None, None, None, 6300, 6400, 2100, 5200, 2200, 2300]
    assert amounts("shapes.json") == [*expected, None]


def test_words_nobody_documented_are_unknown():
    found = read("shapes.json").sightings[3]
    assert (found.status, found.condition, found.shipping) == (Status.UNKNOWN, Condition.UNKNOWN, Shipping.UNKNOWN)
    assert found.kind == Kind.FLEA


def test_stopped_and_deleted_rows_say_so():
    states = [found.status for found in read("shapes.json").sightings[4:7]]
    assert states == [Status.STOPPED, Status.REMOVED, Status.REMOVED]


def test_a_shop_is_told_by_the_form_of_its_id_not_its_length_and_its_payer_number_means_nothing():
    short, other = read("shapes.json").sightings[11:13]
    assert (short.kind, len(short.external_id)) == (Kind.SHOP, 21)
    assert (other.kind, other.shipping) == (Kind.SHOP, Shipping.UNKNOWN)


def test_an_auction_may_be_empty_blank_or_spelt_otherwise():
    empty, other, blank = read("shapes.json").sightings[13:16]
    assert (empty.kind, blank.kind) == (Kind.FLEA, Kind.FLEA)
    assert (other.kind, other.bids, other.price) == (Kind.AUCTION, 3, yen(5200))
    assert other.ends_at == datetime(2026, 9, 22, 14, 13, 20, tzinfo=UTC)


def test_small_pictures_stand_in_for_missing_photos():
    none, small, broken = (read("shapes.json").sightings[at] for at in (0, 16, 17))
    assert (none.images, broken.images) == ((), ())
    assert small.images == ("https://static.mercdn.net/thumb/item/webp/m07700000096_1.jpg?1790000096",)


def test_broken_values_are_unknown_and_the_row_stays():
    found = read("shapes.json").sightings[17]
    assert (found.price, found.created, found.updated, found.seller, found.extra) == (None, None, None, None, {})


def test_bad_rows_are_named_and_the_others_stand():
    page = read("some_bad_rows.json")
    assert [found.external_id for found in page.sightings] == ["m07700000110", "m07700000113"]
    assert [(bad.position, bad.reason) for bad in page.bad_rows] == [
        (1, "no usable id"),
        (2, "not an object"),
        (4, "no usable id"),
        (5, "no name"),
        (6, "no name"),
    ]


def test_the_oldest_keys_are_read_too():
    page = read("legacy_keys.json")
    assert amounts("legacy_keys.json") == [900, 901, 902, 903]
    assert [found.status for found in page.sightings].count(Status.SOLD) == 1


@pytest.mark.parametrize(
    ("price", "amount"),
    [
        ("1200", 1200), (1200, 1200), (1200.0, 1200), ("1,200", 1200), ("１２００", 1200), (" 300 ", 300),
        ("9999999", None), (9999999, None), ("0", None), (0, None), ("", None), (None, None), (True, None),
        ("-5", None), (-5, None), ("12.5", None), (12.5, None), ("1e3", None), ([], None), ({}, None),
        ("9" * 40, None), (10**15, None), ("²", None),
    ],
)  # fmt: skip
def test_a_price_is_whole_yen_or_unknown(price: object, amount: int | None):
    found = only(page_of(row(price=price)))
    assert found.price == (None if amount is None else yen(amount))


def test_a_row_that_says_it_has_no_price_has_none_whatever_stands_there():
    assert only(page_of(row(price="5000", isNoPrice=True))).price is None


@pytest.mark.parametrize(
    "seconds", ["0", 0, "", None, "soon", "-1", 1, 10**14, 253_370_764_800, "99999999999999999999", True, []]
)
def test_a_time_that_is_none_is_unknown(seconds: object):
    assert only(page_of(row(created=seconds))).created is None


@pytest.mark.parametrize(
    "deadline",
    [
        "", None, "tomorrow", "2026-09-23T12:30:00", "2026-13-01T00:00:00Z", {},
        "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-09:00",
        253_402_300_799,
    ],
)  # fmt: skip
def test_a_deadline_without_offset_or_sense_is_unknown(deadline: object):
    auction = {"bidDeadline": deadline, "totalBid": "2", "highestBid": "100"}
    found = only(page_of(row(auction=auction)))
    assert (found.kind, found.ends_at, found.bids) == (Kind.AUCTION, None, 2)


def test_missing_bids_are_unknown_and_not_none_at_all():
    assert only(page_of(row(auction={"bidDeadline": "2026-09-23T12:30:00Z"}))).bids is None


def test_an_id_in_a_new_form_is_a_persons_when_the_row_says_so():
    found = only(page_of(row(id="x-77", itemType="ITEM_TYPE_MERCARI")))
    assert (found.kind, found.url) == (Kind.FLEA, "https://jp.mercari.com/item/x-77")


def test_parsing_twice_gives_the_same():
    assert read("shapes.json") == read("shapes.json")


@pytest.mark.parametrize(("bids", "known"), [("1000000", 1_000_000), ("1000001", None), ("9" * 12, None), (-1, None)])
def test_more_bids_than_anybody_can_make_are_unknown(bids: object, known: int | None):
    assert only(page_of(row(auction={"totalBid": bids, "highestBid": "100"}))).bids == known


@pytest.mark.parametrize("seller", ["s" * 65, "a\nb", "a\x00", "\x1b[1m"])
def test_a_seller_whose_id_is_none_is_unknown(seller: str):
    assert only(page_of(row(sellerId=seller))).seller is None
    assert only(page_of(row(sellerId="0", shop={"id": seller}))).seller is None


@pytest.mark.parametrize("odd", ["https://x/" + "y" * 500, "https://x/\n1.jpg", "https://x/\x00.jpg", 7, None])
def test_an_odd_picture_address_goes_and_the_others_stay(odd: object):
    found = only(page_of(row(photos=[{"uri": odd}, {"uri": "https://static.mercdn.net/1.jpg"}])))
    assert found.images == ("https://static.mercdn.net/1.jpg",)


@pytest.mark.parametrize("token", ["v1:" + "9" * 5000, "v1\n:1"])
def test_a_token_that_is_none_ends_the_search(token: str):
    assert read_search(page_of(row(), token=token), MercariCriteria(), now=NOW).next_token is None


def test_whatever_odd_values_a_row_holds_it_is_as_promised():
    odd = row(
        price="9" * 12, created="253370764800", updated="1", sellerId="s" * 99,
        photos=[{"uri": "https://x/" + "y" * 999}],
        auction={"bidDeadline": "0001-01-01T00:00:00Z", "totalBid": "9" * 12, "highestBid": "0"},
    )  # fmt: skip
    page = read_search(page_of(odd, row(id="m2")), MercariCriteria(), now=NOW)
    assert Promise(manifest=MANIFEST).page(page) is page


def test_addresses_of_listings_begin_where_the_pages_are():
    page = read_search(
        page_of(row(id="m5"), row(id="shopProduct0000000000X")), MercariCriteria(), now=NOW, web="http://p"
    )
    assert [found.url for found in page.sightings] == [
        "http://p/item/m5",
        "http://p/shops/product/shopProduct0000000000X",
    ]
