"""The closed search: what was sold, and for how much."""

from datetime import UTC, datetime

import pytest

from monitor_site.contract import Condition, Kind, LayoutChanged, Money, SearchPage, Shipping, Status, Unavailable
from plugins.yahoo_auctions.manifest import YahooCriteria
from plugins.yahoo_auctions.parse_closed import read_closed
from tests.plugins.yahoo_auctions.items import closed_page, data_page, sold
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


@pytest.mark.parametrize(
    "made",
    [
        closed_page(total=5),
        closed_page("x", "y"),
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
