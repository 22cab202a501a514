"""Sightings as plain JSON, and as the row of a listing remembers them."""

import json
from datetime import UTC, datetime

import pytest

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.watches.models import Listing
from monitor_site.watches.portable import from_plain, of_listing, to_plain
from monitor_site.watches.sightings import Look, upsert
from tests.watches.makers import sighting

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
FULL = Sighting(
    external_id="x1",
    title="古い <b>カメラ</b> 🎞",
    url="https://jp.mercari.com/item/x1",
    price=Money(amount=5_000, currency="JPY"),
    buy_now=Money(amount=9_000, currency="JPY"),
    kind=Kind.AUCTION,
    status=Status.RESERVED,
    shipping=Shipping.BUYER_PAYS,
    shipping_fee=Money(amount=700, currency="JPY"),
    condition=Condition.WORN,
    seller=Seller(id="s1", name="みかん堂", rating=4.5, count=12),
    images=("https://static.mercdn.net/1.jpg",),
    created=NOW,
    updated=NOW,
    ends_at=NOW,
    bids=0,
    description="傷あり",
    extra={"brand": "ルミナ"},
)
BARE = Sighting(external_id="x2", title="", url="", price=None, kind=Kind.FLEA, status=Status.UNKNOWN)


@pytest.mark.parametrize("one", [FULL, BARE, sighting(3, price=None)])
def test_a_sighting_survives_its_way_through_json(one: Sighting) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(one)))) == one


@pytest.mark.parametrize("told", [{}, {"external_id": "x", "nonsense": 1}, {**to_plain(FULL), "kind": "swap"}])
def test_what_is_no_sighting_is_refused(told: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_plain(told)


@pytest.mark.parametrize("one", [FULL, BARE])
def test_the_row_of_a_listing_tells_what_was_seen(db: None, one: Sighting) -> None:
    upsert([Look(marketplace="mercari", currency="JPY", trace="t", at=NOW, sightings=[one])], now=NOW)
    assert of_listing(Listing.objects.get()) == one
