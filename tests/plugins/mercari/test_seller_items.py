"""What the list of a seller's items tells."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor_site.contract import (
    Condition,
    Kind,
    LayoutChanged,
    MarketplaceError,
    Money,
    SearchPage,
    Seller,
    Shipping,
    Sighting,
    Status,
)
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.parse_seller import read_seller_items
from tests.plugins.mercari.samples import NOW
from tests.plugins.mercari.test_refusals import ANYTHING
from tests.plugins.mercari.things import GONE, SELLER, answer, auction, listed, seller_page


def test_a_row_is_told_to_the_last_field_and_the_stand_in_is_no_name():
    assert seller_page(listed(7)).sightings == (
        Sighting(
            external_id="m07799000007",
            title="見本 7",
            url="https://jp.mercari.com/item/m07799000007",
            price=Money(amount=1007, currency="JPY"),
            kind=Kind.FLEA,
            status=Status.ON_SALE,
            shipping=Shipping.UNKNOWN,
            condition=Condition.UNKNOWN,
            seller=Seller(id=str(SELLER)),
            images=("https://static.mercdn.net/thumb/1.jpg",),
            created=datetime(2026, 9, 21, 14, 13, 27, tzinfo=UTC),
            updated=datetime(2026, 9, 21, 14, 15, 7, tzinfo=UTC),
            extra={"category": "846"},
        ),
    )


def test_each_row_keeps_its_own_status():
    rows = [listed(n, status=word) for n, word in enumerate(("on_sale", "trading", "sold_out", "stop", "odd"))]
    states = [found.status for found in seller_page(*rows).sightings]
    assert states == [Status.ON_SALE, Status.RESERVED, Status.SOLD, Status.STOPPED, Status.UNKNOWN]


@pytest.mark.parametrize(
    "partial",
    [{"item_category": {"name": "x"}}, {"item_category": None}, {"seller": GONE}, {"seller": {}}, {"thumbnails": None}],
)
def test_a_row_with_partial_objects_is_kept(partial: dict[str, object]):
    (found,) = seller_page(listed(**partial)).sightings
    assert (found.title, found.seller) == ("見本 1", Seller(id=str(SELLER)))


def test_an_auction_in_the_list_is_one():
    (found,) = seller_page(listed(auction_info=auction(), price=2500)).sightings
    assert (found.kind, found.bids) == (Kind.AUCTION, 4)


def test_the_next_page_begins_below_the_lowest_number():
    page = seller_page(listed(9), listed(4), listed(6, pager_id="x"), more=True)
    assert page.next_token == "5000000004"


@pytest.mark.parametrize("more", [False, None, "true", 1, "yes"])
def test_only_the_word_that_more_follows_turns_the_page(more: object):
    assert seller_page(listed(), more=more).next_token is None


def test_a_page_without_numbers_or_leading_to_itself_is_the_last():
    assert seller_page(listed(pager_id=GONE), more=True).next_token is None
    assert seller_page(listed(3), more=True, asked="5000000003").next_token is None


def test_a_row_of_somebody_else_is_padding():
    page = seller_page(listed(1), listed(2, seller={"id": 5, "name": "x"}))
    assert ([found.external_id for found in page.sightings], page.padding) == (["m07799000001"], 1)


def test_nothing_in_the_list_is_an_empty_page():
    page = seller_page()
    assert (page.sightings, page.next_token, page.about) == ((), None, None)


def test_only_what_is_sold_as_wanted_is_kept():
    page = seller_page(listed(1), listed(2, auction_info=auction()), sold_as=(Kind.AUCTION,))
    assert ([found.kind for found in page.sightings], page.padding) == ([Kind.AUCTION], 1)


def test_a_bad_row_is_named_and_the_others_stand():
    page = seller_page(listed(1), {"id": "m2"}, None)
    assert len(page.sightings) == 1
    assert [(bad.position, bad.reason) for bad in page.bad_rows] == [(1, "no name"), (2, "not an object")]


@pytest.mark.parametrize(
    "told",
    [
        {"result": "OK", "meta": {}, "data": {}},
        {"result": "OK", "data": []},
        {"result": "error", "meta": {}, "data": []},
        {"meta": {}, "items": []},
        [],
        {"result": "OK", "meta": {}, "data": [listed(n, price=GONE) for n in range(5)]},
        {"result": "OK", "meta": {}, "data": [{"name": "x"}]},
    ],
)
def test_another_layout_is_refused(told: object):
    with pytest.raises(LayoutChanged):
        read_seller_items(answer(told), MercariCriteria(seller=SELLER), now=NOW)


@given(rows=st.lists(st.dictionaries(st.sampled_from(sorted(listed())), ANYTHING) | ANYTHING, max_size=4))
@settings(max_examples=100, deadline=None)
def test_whatever_stands_in_the_rows_gives_a_page_or_a_named_error(rows: list[object]):
    try:
        page = seller_page(*rows, more=True)
    except MarketplaceError:
        return
    assert isinstance(page, SearchPage)
    assert len(page.sightings) + len(page.bad_rows) + page.padding == len(rows)
