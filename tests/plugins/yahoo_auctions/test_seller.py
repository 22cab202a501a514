"""The page of a seller: what is open there."""

import pytest

from monitor_site.contract import Kind, LayoutChanged, Money, SearchPage, Seller, Status
from plugins.yahoo_auctions.ask import seller_of, seller_url
from plugins.yahoo_auctions.manifest import Selling, YahooCriteria
from plugins.yahoo_auctions.parse_seller import read_seller
from tests.plugins.yahoo_auctions.items import seller_page, sold
from tests.plugins.yahoo_auctions.samples import NOW, samples

ASKED = YahooCriteria(seller="SoldSeller")


def read(*rows: object, **page: int) -> SearchPage:
    return read_seller(seller_page(*rows, **page), ASKED, now=NOW)


def test_what_is_open_is_read_with_the_name_that_rows_mask():
    (found,) = read(sold(buyNowPrice=12000)).sightings
    assert (found.status, found.kind, found.bids) == (Status.ON_SALE, Kind.AUCTION, 12)
    assert (found.price, found.buy_now) == (Money(amount=8800, currency="JPY"), Money(amount=12000, currency="JPY"))
    assert found.seller == Seller(id="SoldSeller", name="見本の出品者", rating=99.3, count=77)


@pytest.mark.parametrize("ratio", [None, "0.9", 1.5, -1, True])
def test_a_ratio_that_is_none_leaves_the_row_s_own_rating(ratio: object):
    page = read_seller(seller_page(sold(), rating={"goodRatio": ratio}), ASKED, now=NOW)
    assert page.sightings[0].seller.rating == 98.5


def test_an_auction_nobody_has_bid_for_is_open_all_the_same():
    (found,) = read(sold(bidCount=0)).sightings
    assert (found.bids, found.status) == (0, Status.ON_SALE)


def test_the_newest_come_first_whatever_the_page_recommends():
    old, new = sold(), sold(auctionId="c0900000042", startTime="2026-09-21T21:00:00+09:00")
    assert [found.external_id[-1] for found in read(old, new).sightings] == ["2", "1"]


def test_things_of_somebody_else_are_padding():
    page = read(sold(), sold(auctionId="c0900000042", seller={"userId": "Another"}))
    assert (len(page.sightings), page.padding) == (1, 1)


def test_limits_are_compared_with_each_row_and_words_are_left_to_the_core():
    asked = YahooCriteria(seller="SoldSeller", keyword="nowhere", selling=Selling.FIXED, ending_soon=True)
    rows = sold(), sold(auctionId="c0900000042", isFixedPrice=True, endTime="2026-10-05T12:30:00+09:00")
    page = read_seller(seller_page(*rows), asked, now=NOW)
    assert [found.external_id for found in page.sightings] == ["c0900000042"]


def test_the_page_of_another_seller_is_no_answer():
    with pytest.raises(LayoutChanged, match="asked for the seller SoldSeller, told of Another"):
        read_seller(seller_page(sold(), aucUserId="Another"), ASKED, now=NOW)


def test_a_seller_with_nothing_open_is_an_empty_page_and_an_unknown_one_is_not():
    assert read(total=0, status=404).sightings == ()
    for file in ("moved_404.html", "moved_200.html"):
        with pytest.raises(LayoutChanged):
            read_seller(samples()[file].answer, ASKED, now=NOW)


def test_pages_go_on_by_a_hundred():
    assert read(sold(), total=101).next_token == "101"
    assert read(sold(), total=100).next_token is None


def test_a_page_that_holds_fewer_than_asked_goes_on_after_those():
    assert read(sold(), total=90, limit=50).next_token == "51"
    assert read(sold(), total=50, limit=50).next_token is None
    assert read(sold(), total=101, limit=0).next_token == "101"


def test_a_page_of_a_seller_is_asked_for_by_id_offset_and_size():
    assert seller_url("https://x", ASKED, offset=101) == "https://x/seller/SoldSeller?b=101&n=100"


@pytest.mark.parametrize(
    "typed",
    ["Abc_1", " Abc_1 ", "https://auctions.yahoo.co.jp/seller/Abc_1?user_type=c", "auctions.yahoo.co.jp/seller/Abc_1/"],
)
def test_a_seller_may_be_given_as_the_address_of_the_page(typed: str):
    assert seller_of(YahooCriteria(seller=typed)) == "Abc_1"


def test_what_is_typed_for_a_seller_never_leaves_the_place_of_an_id():
    assert seller_url("https://x", YahooCriteria(seller="..\\%2e 出"), offset=1).startswith(
        "https://x/seller/..%5C%252e%20"
    )


def test_a_seller_or_a_category_asks_something_and_nothing_asks_nothing():
    assert YahooCriteria(seller="x").asks_something
    assert YahooCriteria(category=5).asks_something
    assert YahooCriteria(any_words=("x",)).asks_something
    assert not YahooCriteria(keyword=" ", price_to=5, category=0, seller=" ").asks_something
