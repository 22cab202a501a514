"""The page of one listing."""

from datetime import UTC, datetime

import pytest

from monitor_site.contract import (
    Answer,
    Blocked,
    Condition,
    Kind,
    LayoutChanged,
    ListingGone,
    Money,
    Shipping,
    Sighting,
    SignInNeeded,
    Status,
)
from plugins.yahoo_auctions.parse_detail import read_listing
from tests.plugins.yahoo_auctions.items import ID, STORE, at, counted_page, item_page
from tests.plugins.yahoo_auctions.samples import NOW, answer, samples


def look(made: Answer, external_id: str = ID) -> Sighting:
    return read_listing(at(made), external_id, now=NOW)


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


def test_an_open_auction_is_read_whole():
    found = look(item_page())
    assert (found.external_id, found.title) == ("r0900000031", "ルミナ 90mm マクロ")
    assert (found.price, found.buy_now, found.bids, found.kind) == (yen(15200), None, 9, Kind.AUCTION)
    assert (found.status, found.condition, found.shipping) == (Status.ON_SALE, Condition.GOOD, Shipping.BUYER_PAYS)
    assert (found.created, found.ends_at) == (
        datetime(2026, 10, 1, 11, tzinfo=UTC),
        datetime(2026, 10, 8, 12, 5, tzinfo=UTC),
    )
    assert (found.seller.id, found.seller.name, found.seller.rating, found.seller.count) == (
        "SampleSellerLong",
        "見本の出品者",
        97.1,
        210,
    )
    assert found.images == ("https://auctions.c.yimg.jp/a.jpg", "https://auctions.c.yimg.jp/b.jpg")
    assert found.extra == {"category": "2500", "extends": "1"}


def test_words_of_errors_in_a_description_are_only_a_description():
    assert "システムエラー" in (look(item_page()).description or "")


def test_the_price_of_a_recommended_thing_is_not_the_price():
    assert look(item_page()).price == yen(15200)
    assert look(counted_page()).price == yen(15200)


def test_a_store_s_prices_are_those_with_tax():
    found = look(item_page(**STORE))
    assert (found.price, found.buy_now, found.extra["store"]) == (yen(2460), yen(3300), "1")


def test_a_store_s_tax_is_reckoned_when_only_the_rate_is_told_and_unknown_without():
    assert look(item_page(**(STORE | {"taxinPrice": None}))).price == yen(2460)
    assert look(item_page(**(STORE | {"taxinPrice": None, "taxRate": None}))).price is None


def test_an_extension_shows_in_the_end_and_not_in_the_flag():
    before, after = look(item_page()), look(item_page(endTime="2026-10-08T21:10:00+09:00", price=15700, bids=10))
    assert (after.ends_at - before.ends_at).total_seconds() == 300


def test_closed_with_bids_is_sold_and_closed_without_is_no_sale():
    assert look(item_page(status="closed")).status == Status.SOLD
    assert look(item_page(status="closed", bids=0, price=1000)).status == Status.ENDED
    assert look(item_page(status="cancel")).status == Status.UNKNOWN


def test_fixed_prices_and_flea_items_are_told_apart_from_auctions():
    assert look(item_page(price=3500, bidorbuy=3500, bids=0)).kind == Kind.FIXED
    flea = look(item_page(auctionId="z090000032", isFleaMarket=True, bidorbuy=15200, bids=1), "z090000032")
    assert (flea.kind, flea.bids) == (Kind.FLEA, None)


@pytest.mark.parametrize("gone", ["price", "status", "endTime", "auctionId", "title"])
def test_a_listing_without_a_needed_field_is_another_layout_and_never_ended(gone: str):
    with pytest.raises(LayoutChanged, match=gone):
        look(item_page(**{gone: ...}))


def test_without_its_own_data_a_page_is_read_from_the_counter_and_the_stable_ids():
    found = look(counted_page())
    assert (found.external_id, found.price, found.buy_now, found.bids) == ("r0900000031", yen(15200), None, 9)
    assert (found.status, found.condition, found.shipping) == (Status.ON_SALE, Condition.LIKE_NEW, Shipping.UNKNOWN)
    assert found.ends_at == datetime(2026, 10, 8, 12, 5, tzinfo=UTC)


def test_the_notice_of_the_end_counts_when_the_data_is_gone():
    assert look(counted_page(closed=True)).status == Status.SOLD
    assert look(counted_page(closed=True, bids="0")).status == Status.ENDED
    assert look(counted_page(isClosed="1")).status == Status.SOLD


def test_a_store_s_price_in_the_counter_is_without_tax_and_so_unknown():
    assert look(counted_page(isStore="1", winPrice="15200", bids="0")).price is None


def test_a_flea_item_is_told_by_its_id_when_the_data_is_gone():
    assert look(counted_page(productID="z090000032"), "z090000032").kind == Kind.FLEA


@pytest.mark.parametrize("file", ["moved_404.html", "moved_200.html"])
def test_a_listing_that_is_no_more_is_gone(file: str):
    with pytest.raises(ListingGone):
        look(samples()[file].answer)


@pytest.mark.parametrize(
    ("file", "error"),
    [
        ("blocked_200.html", Blocked),
        ("geo.html", Blocked),
        ("login.html", SignInNeeded),
        ("no_body.html", LayoutChanged),
    ],
)
def test_walls_are_told_here_too(file: str, error: type[Exception]):
    with pytest.raises(error):
        look(samples()[file].answer)


@pytest.mark.parametrize(
    "body",
    [
        '<html><div id="itemTitle"></div><script>var pageDataV2 = {"items":{"price":"1"}};</script></html>',
        '<html><body><div id="itemTitle"></div><script>var pageData = {broken};</script></body></html>',
        '<html><script id="__NEXT_DATA__" type="application/json">{"cut</script></html>',
    ],
)
def test_a_changed_layout_is_said_and_never_a_price_of_nothing(body: str):
    with pytest.raises(LayoutChanged):
        look(answer(body))
