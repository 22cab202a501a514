"""What a look at a person's listing tells, to the last value."""

from dataclasses import replace
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
    Seller,
    Shipping,
    Sighting,
    Status,
)
from monitor_site.marketplaces.promises import Promise
from plugins.mercari.fields import LONGEST_PROSE
from plugins.mercari.manifest import MANIFEST
from plugins.mercari.parse_item import read_item
from tests.plugins.mercari.samples import NOW
from tests.plugins.mercari.test_refusals import ANYTHING
from tests.plugins.mercari.things import GONE, ITEM_ID, SELLER, answer, auction, envelope, item, look, seller


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


def test_a_listing_is_told_to_the_last_field():
    assert look() == Sighting(
        external_id=ITEM_ID,
        title="ルミナ T2 & ケース",
        url=f"https://jp.mercari.com/item/{ITEM_ID}",
        price=yen(68000),
        kind=Kind.FLEA,
        status=Status.ON_SALE,
        shipping=Shipping.INCLUDED,
        condition=Condition.LIKE_NEW,
        seller=Seller(id=str(SELLER), name="そらまめ7", rating=5.0, count=212),
        images=("https://static.mercdn.net/item/m07799000001_1.jpg?1",),
        created=datetime(2026, 9, 21, 14, 13, 21, tzinfo=UTC),
        updated=datetime(2026, 9, 21, 14, 14, 21, tzinfo=UTC),
        description="一行目\r\n二行目 & 続き",
        extra={"category": "846", "brand": "ルミナ", "size": "M", "checksum": "00112233445566778899aabbccddeeff"},
    )


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("on_sale", Status.ON_SALE),
        ("trading", Status.RESERVED),
        ("sold_out", Status.SOLD),
        ("stop", Status.STOPPED),
        ("cancel", Status.REMOVED),
        ("admin_cancel", Status.REMOVED),
        ("sold", Status.UNKNOWN),
        ("", Status.UNKNOWN),
        (None, Status.UNKNOWN),
        (3, Status.UNKNOWN),
        (GONE, Status.UNKNOWN),
    ],
)
def test_each_word_of_a_status_has_its_meaning_and_any_other_is_unknown(word: object, status: Status):
    assert look(status=word).status == status


@pytest.mark.parametrize("price", [9_999_999, "9999999", 0, None, "", -1, 1.5, True, [], GONE])
def test_a_placeholder_and_nothing_are_no_price(price: object):
    assert look(price=price).price is None


@pytest.mark.parametrize(("price", "amount"), [(300, 300), ("300", 300), (9_999_998, 9_999_998)])
def test_a_price_is_whole_yen(price: object, amount: int):
    assert look(price=price).price == yen(amount)


def test_a_running_auction_is_one_though_its_status_says_on_sale():
    found = look(price=2500, auction_info=auction())
    assert (found.kind, found.status, found.price, found.bids) == (Kind.AUCTION, Status.ON_SALE, yen(2500), 4)
    assert found.ends_at == datetime(2026, 9, 22, 14, 13, 20, tzinfo=UTC)
    wanted = ("auction_state", "auction_type", "auction_start_price")
    assert [found.extra[name] for name in wanted] == ["STATE_ONGOING", "AUCTION_TYPE_NORMAL", "500"]


def test_an_auction_without_a_bid_costs_what_it_begins_with():
    found = look(price=9_999_999, auction_info=auction(total_bids=0, highest_bid=None, state="STATE_NO_BID"))
    assert (found.price, found.bids, found.extra["auction_state"]) == (yen(500), 0, "STATE_NO_BID")


@pytest.mark.parametrize(
    "spelling",
    [
        {"auction_info": {"total_bids": 4, "highest_bid": 2500, "expected_end_time": 1_790_086_400}},
        {"auction_info": {"total_bids": "4", "highest_bid": "2500", "expected_end_time": "1790086400"}},
        {"auction": {"totalBid": "4", "highestBid": "2500", "bidDeadline": "2026-09-22T14:13:20Z"}},
        {"auction": {"totalBids": 4, "highest_bid": 2500, "bid_deadline": "2026-09-22T23:13:20.000000000+09:00"}},
    ],
)
def test_each_spelling_of_an_auction_is_read_alike(spelling: dict[str, object]):
    found = look(price=None, **spelling)
    assert (found.kind, found.bids, found.price) == (Kind.AUCTION, 4, yen(2500))
    assert found.ends_at == datetime(2026, 9, 22, 14, 13, 20, tzinfo=UTC)


def test_lengths_in_seconds_stand_beside_the_end_and_alone_tell_none():
    lengths = {"bid_deadline_duration_seconds": 60_000, "bid_total_duration_seconds": 86_399}
    assert look(auction_info=auction(**lengths)).ends_at == datetime(2026, 9, 22, 14, 13, 20, tzinfo=UTC)
    alone = look(auction_info=auction(**lengths, expected_end_time=GONE))
    assert (alone.kind, alone.ends_at) == (Kind.AUCTION, None)


@pytest.mark.parametrize("nothing", [None, {}, [], {"id": ""}, GONE, "yes"])
def test_an_auction_that_is_null_or_blank_is_none(nothing: object):
    found = look(auction_info=nothing)
    assert (found.kind, found.ends_at, found.bids) == (Kind.FLEA, None, None)


@pytest.mark.parametrize(
    ("payer", "shipping"),
    [
        ({"id": 2, "code": "seller"}, Shipping.INCLUDED),
        ({"id": 1, "code": "buyer"}, Shipping.BUYER_PAYS),
        ({"id": "1"}, Shipping.BUYER_PAYS),
        ({"code": "buyer"}, Shipping.BUYER_PAYS),
        ({"id": 7, "code": "SELLER"}, Shipping.INCLUDED),
        ({"id": 7, "name": "送料込み(出品者負担)"}, Shipping.UNKNOWN),
        ({}, Shipping.UNKNOWN),
        (None, Shipping.UNKNOWN),
    ],
)
def test_who_pays_is_told_by_number_and_else_by_code(payer: object, shipping: Shipping):
    assert look(shipping_payer=payer).shipping == shipping


def test_a_condition_is_told_by_its_number_whatever_its_name():
    assert look(item_condition={"id": 6, "name": "New"}).condition == Condition.POOR
    assert look(item_condition={"name": "新品、未使用"}).condition == Condition.UNKNOWN


@pytest.mark.parametrize(
    ("person", "known"),
    [
        (seller(num_ratings=0, star_rating_score=0), Seller(id=str(SELLER), name="そらまめ7", count=0)),
        (seller(star_rating_score=GONE, num_ratings=GONE), Seller(id=str(SELLER), name="そらまめ7")),
        (seller(star_rating_score=4.5, name="dont-use-this"), Seller(id=str(SELLER), rating=4.5, count=212)),
        (seller(star_rating_score=98, num_ratings="x"), Seller(id=str(SELLER), name="そらまめ7")),
        (seller(id=0), None),
        (seller(id=None), None),
        (None, None),
        ([], None),
    ],
)
def test_a_seller_is_known_by_number_name_and_stars_as_far_as_told(person: object, known: Seller | None):
    assert look(seller=person).seller == known


def test_the_other_category_stands_in_for_a_missing_leaf():
    assert look(item_category_ntiers=None).extra["category"] == "840"
    assert "category" not in look(item_category_ntiers={}, item_category={"name": "x"}).extra


def test_small_pictures_stand_in_for_missing_photos():
    assert look(photos=[]).images == ("https://static.mercdn.net/thumb/m07799000001_1.jpg?1",)
    assert look(photos=None, thumbnails=None).images == ()


def test_an_empty_description_is_empty_and_a_missing_one_unknown():
    assert (look(description="").description, look(description=GONE).description) == ("", None)
    assert len(look(description="長" * 50_000).description or "") == LONGEST_PROSE


@pytest.mark.parametrize(
    "told",
    [
        envelope(item(id="m07799000002")),
        envelope(item(id=GONE)),
        envelope(item(name=GONE)),
        envelope(item(name=None)),
        envelope(item(price=GONE, status=GONE)),
        envelope([item()]),
        envelope(None),
        {**envelope(item()), "result": "error"},
        item(),
        [],
        None,
    ],
)
def test_another_listing_and_another_layout_are_refused(told: object):
    with pytest.raises(LayoutChanged):
        read_item(answer(told), ITEM_ID, now=NOW)


FIELDS = sorted({*item(), "auction_info", "auction"} - {"id", "name"})


@given(changes=st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=len(FIELDS)))
@settings(max_examples=150, deadline=None)
def test_one_bad_field_never_costs_the_listing(changes: dict[str, object]):
    found = look(**changes)
    assert Promise(manifest=MANIFEST).sighting(found, external_id=ITEM_ID).title == "ルミナ T2 & ケース"
    assert look(**changes) == found


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_is_gone_changes_nothing_else(field: str):
    usual, found = look(), look(**{field: GONE})
    named = {"item_brand": "extra", "item_size": "extra", "checksum": "extra", "item_category_ntiers": "extra"}
    unchanged = {
        "seller": "seller", "status": "status", "price": "price", "description": "description", "photos": "images",
        "item_condition": "condition", "shipping_payer": "shipping", "created": "created", "updated": "updated",
    } | named  # fmt: skip
    its = unchanged.get(field)
    assert found == (replace(usual, **{its: getattr(found, its)}) if its else usual)


@given(body=st.binary(max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_bytes_give_a_named_error(body: bytes):
    with pytest.raises(MarketplaceError):
        read_item(answer(None, body=body), ITEM_ID, now=NOW)
