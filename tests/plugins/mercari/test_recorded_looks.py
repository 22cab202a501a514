"""Every recorded look and every list of a seller is read to its values or refused; the recordings stay outside."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from monitor_site.contract import Condition, Kind, LayoutChanged, ListingGone, Money, Shipping, Sighting, Status
from monitor_site.marketplaces.promises import Promise
from plugins.mercari.manifest import MANIFEST, MercariCriteria
from plugins.mercari.meaning import seller_of
from plugins.mercari.parse_item import read_item
from plugins.mercari.parse_product import read_product
from plugins.mercari.parse_seller import read_seller_items
from tests.plugins.mercari.samples import NOW, Sample, samples

FOLDER = os.environ.get("RECORDED_ANSWERS")
pytestmark = pytest.mark.skipif(not FOLDER, reason="RECORDED_ANSWERS names no folder of recorded answers")

LOOKED_AT = ("item/", "shops/", "seller/")


@dataclass(frozen=True)
class Told:
    """What a recorded look tells."""

    price: int
    kind: Kind = Kind.FLEA
    status: Status = Status.ON_SALE
    shipping: Shipping = Shipping.INCLUDED
    condition: Condition = Condition.NEW
    images: int = 2
    bids: int | None = None
    category: str = "6941"
    ratings: int = 292


ITEMS = {
    "item/on_sale_fixed.json": Told(18000),
    "item/on_sale_price_dropped.json": Told(14800),
    "item/trading.json": Told(14800, status=Status.RESERVED),
    "item/on_sale_buyer_pays_shipping.json": Told(9000, shipping=Shipping.BUYER_PAYS),
    "item/sold_out.json": Told(8000, status=Status.SOLD, condition=Condition.FAIR, images=4, category="696", ratings=7),
    "item/sold_out_with_comments.json": Told(
        5000, status=Status.SOLD, condition=Condition.GOOD, images=3, category="700", ratings=143
    ),
    "item/auction_no_bid_flash.json": Told(18000, kind=Kind.AUCTION, images=6, bids=0),
    "item/auction_ongoing.json": Told(1600, kind=Kind.AUCTION, bids=1),
    # Asked without include_auction, which we always send: nothing in it tells the auction.
    "item/auction_hidden_without_flag.json": Told(25200, condition=Condition.LIKE_NEW),
}
SHOP = {"kind": Kind.SHOP, "condition": Condition.UNKNOWN, "images": 3, "category": "7145", "ratings": 7437}
PRODUCTS = {
    "shops/product_in_stock.json": Told(4782, **SHOP),
    "shops/product_sold_out.json": Told(4782, status=Status.SOLD, **SHOP),
    "shops/product_multi_variant.json": Told(2980, **SHOP),
    "shops/product_time_sale.json": Told(62700, **SHOP),
}
GONE = {"item/not_found_404.json"}
LISTS = {"seller/items.json", "seller/profile.json"}


@pytest.fixture(scope="module")
def recorded() -> dict[str, Sample]:
    everything = samples(Path(str(FOLDER)) / "mercari", without=("order/", "enums.json"))
    return {file: sample for file, sample in everything.items() if file.startswith(LOOKED_AT)}


def look(recorded: dict[str, Sample], file: str) -> Sighting:
    got = recorded[file].answer
    data = json.loads(got.body)
    if file in ITEMS:
        return read_item(got, data["data"]["id"], now=NOW)
    return read_product(got, data["name"], now=NOW)


def test_no_recorded_look_or_list_is_left_out(recorded):
    assert set(recorded) == {*ITEMS, *PRODUCTS, *GONE, *LISTS}


@pytest.mark.parametrize("file", [*ITEMS, *PRODUCTS])
def test_a_recorded_look_tells_its_values(recorded, file: str):
    found, told = look(recorded, file), {**ITEMS, **PRODUCTS}[file]
    assert found.price == Money(amount=told.price, currency="JPY")
    assert (found.kind, found.status, found.shipping) == (told.kind, told.status, told.shipping)
    assert (found.condition, len(found.images), found.bids) == (told.condition, told.images, told.bids)
    assert found.extra["category"] == told.category
    assert found.seller is not None
    assert (found.seller.rating, found.seller.count) == (5.0, told.ratings)
    assert all((found.title, found.description, found.created, found.updated, found.seller.name))
    assert Promise(manifest=MANIFEST).sighting(found, external_id=found.external_id).url == found.url


@pytest.mark.parametrize("file", [*ITEMS])
def test_a_recorded_listing_has_its_checksum(recorded, file: str):
    assert len(look(recorded, file).extra["checksum"]) == 32


def test_one_recorded_thing_at_three_times_has_three_checksums(recorded):
    files = ("item/on_sale_fixed.json", "item/on_sale_price_dropped.json", "item/trading.json")
    found = [look(recorded, file) for file in files]
    assert len({each.external_id for each in found}) == 1
    assert len({each.extra["checksum"] for each in found}) == 3


@pytest.mark.parametrize(
    ("file", "state", "end"),
    [
        ("item/auction_no_bid_flash.json", "STATE_NO_BID", 1_767_225_600),
        ("item/auction_ongoing.json", "STATE_ONGOING", 1_767_226_202),
    ],
)
def test_a_recorded_auction_tells_its_state_and_its_end(recorded, file: str, state: str, end: int):
    found = look(recorded, file)
    assert found.ends_at is not None
    assert (found.extra["auction_state"], found.ends_at.timestamp()) == (state, end)


def test_the_recorded_lengths_of_an_auction_do_not_add_up_to_its_end(recorded):
    auction = json.loads(recorded["item/auction_ongoing.json"].answer.body)["data"]["auction_info"]
    assert auction["start_time"] + auction["bid_total_duration_seconds"] != auction["expected_end_time"]


def test_a_recorded_time_sale_stands_beside_the_price(recorded):
    found = look(recorded, "shops/product_time_sale.json")
    assert found.extra["time_sale_price"] == "59565"
    assert found.extra["time_sale_ends"] == "2026-01-22T08:00:00+00:00"


def test_recorded_variants_tell_their_stock(recorded):
    variants = json.loads(look(recorded, "shops/product_multi_variant.json").extra["variants"])
    assert [(each["size"], each["quantity"]) for each in variants] == [("S", 0), ("M", 3), ("L", 12)]
    assert len({each["id"] for each in variants}) == 3


def test_the_recorded_missing_record_is_gone(recorded):
    with pytest.raises(ListingGone):
        read_item(recorded["item/not_found_404.json"].answer, "m0", now=NOW)


def test_a_recorded_look_for_another_listing_is_refused(recorded):
    with pytest.raises(LayoutChanged, match="asked for m0"):
        read_item(recorded["item/on_sale_fixed.json"].answer, "m0", now=NOW)


def test_the_recorded_list_of_a_seller_is_read_row_by_row(recorded):
    profile = json.loads(recorded["seller/profile.json"].answer.body)["data"]
    asked = MercariCriteria(seller=profile["id"])
    page = read_seller_items(recorded["seller/items.json"].answer, asked, now=NOW)
    prices = [found.price.amount for found in page.sightings if found.price]
    assert prices == [1600, 800, 300, 300, 1400, 1900]
    states = [found.status for found in page.sightings]
    assert states == [Status.ON_SALE] * 4 + [Status.SOLD, Status.RESERVED]
    assert (page.next_token, page.bad_rows, page.padding) == ("5799999996", (), 0)
    assert {found.seller.name for found in page.sightings if found.seller} == {None}
    assert {found.seller.id for found in page.sightings if found.seller} == {str(profile["id"])}


def test_the_recorded_profile_tells_a_seller_as_a_look_does(recorded):
    profile = json.loads(recorded["seller/profile.json"].answer.body)["data"]
    person = seller_of(profile)
    assert person is not None
    assert (person.id, person.name, person.rating, person.count) == (str(profile["id"]), profile["name"], 5.0, 1000)
