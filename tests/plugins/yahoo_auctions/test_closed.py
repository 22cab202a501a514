"""The closed search: what was sold, and for how much."""

from datetime import UTC, datetime

import pytest

from monitor_site.contract import Condition, Kind, LayoutChanged, Money, SearchPage, Shipping, Status, Unavailable
from plugins.yahoo_auctions.manifest import Selling, YahooCriteria
from plugins.yahoo_auctions.parse_closed import read_closed
from tests.plugins.yahoo_auctions.items import closed_page, cut_off, data_page, sold
from tests.plugins.yahoo_auctions.samples import NOW, answer, samples

ASKED = YahooCriteria(keyword="x")


def read(*rows: object, **page: int) -> SearchPage:
    return read_closed(closed_page(*rows, **page), ASKED, now=NOW)


def test_a_sold_auction_is_read_whole():
    (found,) = read(sold()).sightings
    assert (found.external_id, found.title, found.status, found.kind) == (
        "c0900000041",
        "売れた品",
        Status.SOLD,
        Kind.AUCTION,
    )
    assert (found.price, found.bids, found.condition) == (Money(amount=8800, currency="JPY"), 12, Condition.NEW)
    assert (found.created, found.ends_at) == (
        datetime(2026, 9, 20, 12, tzinfo=UTC),
        datetime(2026, 9, 27, 12, 10, tzinfo=UTC),
    )
    assert (found.seller.id, found.seller.name, found.seller.rating) == ("SoldSeller", None, 98.5)
    assert (found.shipping, found.extra) == (Shipping.INCLUDED, {"category": "2500"})


def test_the_bid_that_flea_sales_bear_is_none():
    (found,) = read(sold(isFleamarketItem=True, isFixedPrice=True, bidCount=1)).sightings
    assert (found.kind, found.bids) == (Kind.FLEA, None)


def test_a_fixed_price_is_told_by_its_mark():
    (found,) = read(sold(isFixedPrice=True, bidCount=1, buyNowPrice=8800)).sightings
    assert (found.kind, found.bids) == (Kind.FIXED, 1)


def test_an_auction_ended_by_its_buy_now_price_stays_an_auction():
    (found,) = read(sold(buyNowPrice=8800, bidCount=2)).sightings
    assert found.kind == Kind.AUCTION


def test_a_time_without_offset_is_japanese():
    (found,) = read(sold(endTime="2026-09-27 21:10:00")).sightings
    assert found.ends_at == datetime(2026, 9, 27, 12, 10, tzinfo=UTC)


def test_the_count_of_all_is_kept_and_nothing_found_is_an_empty_page():
    assert read(sold(), total=833).about == 833
    page = read(total=0, status=404)
    assert (page.sightings, page.about) == ((), 0)


def test_half_a_character_and_nul_in_a_title_do_not_reach_the_database():
    assert read(sold(title="品\ud83d\x00物")).sightings[0].title == "品物"


def test_bad_rows_are_reported_and_the_others_stand():
    page = read(sold(), "x", sold(auctionId="?"), sold(title=None))
    assert [(bad.position, bad.reason) for bad in page.bad_rows] == [
        (1, "no usable id"),
        (2, "no usable id"),
        (3, "no title"),
    ]


@pytest.mark.parametrize("row", [sold(price=0), sold(price=None), sold(price="many")])
def test_a_price_of_nothing_is_unknown(row: object):
    assert read(row).sightings[0].price is None


def test_a_row_without_a_bid_is_no_sale_and_one_without_a_count_is_unreadable():
    page = read(sold(), sold(auctionId="c0900000042", bidCount=0), sold(auctionId="c0900000043", bidCount=None))
    assert [found.external_id for found in page.sightings] == ["c0900000041"]
    assert (page.padding, [bad.reason for bad in page.bad_rows]) == (1, ["no count of bids"])


def test_the_same_sale_counts_once():
    page = read(sold(), sold(), total=2)
    assert (len(page.sightings), page.padding) == (1, 1)


def test_pages_go_on_while_the_count_of_all_does():
    assert read(sold(), total=51).next_token == "51"
    assert read(sold(), total=50).next_token is None
    assert read_closed(closed_page(sold(), total=120), ASKED, now=NOW, offset=51).next_token == "101"
    assert read_closed(closed_page(sold(), total=120), ASKED, now=NOW, offset=101).next_token is None


def test_another_order_is_no_answer_to_the_latest():
    assert read_closed(closed_page(sold(), order=""), ASKED, now=NOW).sightings
    with pytest.raises(LayoutChanged, match="sorted by -PRICE"):
        read_closed(closed_page(sold(), order="-PRICE"), ASKED, now=NOW)


FITS = sold(
    auctionId="c0900000050", title="レンズ 美品", price=5000, buyNowPrice=5000, bidCount=1, isFixedPrice=True,
    itemCondition="USED20", brandId=104, prefectureCode="27", isAppraisal=True,
    categoryPath=[{"id": 0}, {"id": 23336}, {"id": 2500}],
)  # fmt: skip
NARROW = [
    ({"selling": Selling.FIXED}, {"selling": Selling.AUCTION}),
    ({"category": 23336}, {"category": 9}),
    ({"category": 2500}, {"category": 25}),
    ({"brand": 104}, {"brand": 10}),
    ({"grades": (3, 4)}, {"grades": (1,)}),
    ({"grades": (2,)}, {"grades": (5, 6)}),
    ({"sellers": (2,)}, {"sellers": (1, 3)}),
    ({"prefectures": (13, 27)}, {"prefectures": (13,)}),
    ({"price_from": 5000, "price_to": 5000}, {"price_to": 4999}),
    ({"buy_now_from": 5000}, {"buy_now_to": 4999}),
    ({"free_shipping": True, "appraised": True, "ending_soon": True}, {"price_from": 5001}),
    ({"without_words": ("ジャンク",)}, {"without_words": ("美品",)}),
    ({"any_words": ("ﾚﾝｽﾞ", "箱")}, {"any_words": ("箱", "本体")}),
    ({"seller": "SoldSeller"}, {"seller": "Another"}),
]


@pytest.mark.parametrize(("fitting", "narrower"), NARROW, ids=str)
def test_what_the_closed_search_cannot_be_asked_is_compared_with_each_row(
    fitting: dict[str, object], narrower: dict[str, object]
):
    made = closed_page(FITS, sold(bidCount=1, isFreeShipping=True))
    kept = read_closed(made, YahooCriteria(keyword="x", **fitting), now=NOW)
    left = read_closed(made, YahooCriteria(keyword="x", **narrower), now=NOW)
    assert "c0900000050" in {found.external_id for found in kept.sightings}
    assert "c0900000050" not in {found.external_id for found in left.sightings}
    assert left.padding >= 1


def test_what_a_row_does_not_tell_is_no_mismatch():
    bare = {name: sold()[name] for name in ("auctionId", "title", "price", "bidCount", "endTime")}
    asked = YahooCriteria(keyword="x", selling=Selling.FIXED, category=1, grades=(1,), sellers=(1,), prefectures=(1,))
    assert len(read_closed(closed_page(bare), asked, now=NOW).sightings) == 1


@pytest.mark.parametrize(("gone", "name"), [("price", "price"), ("endTime", "ends_at")])
def test_a_field_gone_from_every_row_is_another_layout(gone: str, name: str):
    rows = [sold(auctionId=f"c090000006{at}", **{gone: None}) for at in range(5)]
    with pytest.raises(LayoutChanged, match=f"gone from every row: {name}"):
        read(*rows)
    assert len(read(*rows[:4], sold()).sightings) == 5


@pytest.mark.parametrize(
    "made",
    [
        closed_page(total=5),
        closed_page("x", "y"),
        closed_page(sold(bidCount=None)),
        data_page({"search": {"items": {"listing": {"items": []}}}}),
        cut_off(closed_page(sold())),
        data_page({"search": {}}),
        answer('<html><script id="__NEXT_DATA__">{"half</script></html>'),
        samples()["no_body.html"].answer,
    ],
)
def test_what_cannot_be_read_is_another_layout_and_not_nothing(made):
    with pytest.raises(LayoutChanged):
        read_closed(made, ASKED, now=NOW)


def test_walls_are_told_here_too():
    with pytest.raises(Unavailable):
        read_closed(samples()["maintenance_200.html"].answer, ASKED, now=NOW)
