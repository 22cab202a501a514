"""Every recorded reading answer is read or refused rightly; the recordings themselves stay outside."""

import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from monitor_site import contract
from monitor_site.contract import Answer, Kind, MarketplaceError, SearchPage, Shipping, Sighting, Status
from plugins.yahoo_auctions.fields import JST
from plugins.yahoo_auctions.manifest import Order, YahooCriteria
from plugins.yahoo_auctions.parse import read_search
from plugins.yahoo_auctions.parse_closed import read_closed
from plugins.yahoo_auctions.parse_detail import read_listing
from plugins.yahoo_auctions.parse_seller import read_seller
from tests.plugins.yahoo_auctions.samples import NOW, TYPE

FOLDER = os.environ.get("RECORDED_ANSWERS")
pytestmark = pytest.mark.skipif(not FOLDER, reason="RECORDED_ANSWERS names no folder of recorded answers")

# file -> listings, cards dropped as copies, count of all, next token
SEARCHES = {
    "search/search_page1.html": (11, 3, 142, "51"),
    "search/search_page2_overlap.html": (7, 0, 144, None),
    "search/search_special_cards.html": (5, 0, 5, None),
    "search/search_empty_http404.html": (0, 0, 0, None),
    "search/search_immersive_layout_2022.html": (3, 0, None, None),
}
# file -> what it is instead of a search, instead of a listing
REFUSED = {
    "errors/geo_block_eea_uk.html": ("Blocked", "Blocked"),
    "errors/blocked_http200_no_items.html": ("Blocked", "Blocked"),
    "errors/page_not_found_full_chrome.html": ("LayoutChanged", "ListingGone"),
    "errors/maintenance_503.html": ("Unavailable", "Unavailable"),
    "errors/http500_odd_keyword.html": ("Unavailable", "Unavailable"),
    "errors/login_page.html": ("SignInNeeded", "SignInNeeded"),
    "errors/empty_body_200.html": ("LayoutChanged", "LayoutChanged"),
    "legacy_2021/login_blocked.html": ("Blocked", "Blocked"),
    "legacy_2021/login_captcha.html": ("ChallengeRequired", "ChallengeRequired"),
    "legacy_2021/detail_closed.html": ("LayoutChanged", "LayoutChanged"),
    "legacy_2021/item_bid_modal.html": ("LayoutChanged", "LayoutChanged"),
}
CLOSED = {"closedsearch/closedsearch_page1.html": (10, 833), "closedsearch/closedsearch_empty_http404.html": (0, 0)}
# file -> price with tax, buy-now price, bids, status
LISTINGS = {
    "detail/detail_auction_only.html": (20305, None, 11, Status.ON_SALE),
    "detail/detail_with_buynow.html": (3440, 30000, 11, Status.ON_SALE),
    "detail/detail_closed_with_bids.html": (6350, None, 15, Status.SOLD),
    "detail/detail_store_tax.html": (7480, 8800, 2, Status.ON_SALE),
    "detail/detail_store_buyout_only.html": (2460, 2460, 0, Status.ON_SALE),
    "detail/detail_fixed_price.html": (3500, 3500, 0, Status.ON_SALE),
    "detail/detail_flea_item.html": (3500, 3500, None, Status.ON_SALE),
    "detail/detail_ending_soon.html": (101000, None, 54, Status.ON_SALE),
    "detail/detail_ending_soon_logged_in.html": (101000, None, 54, Status.ON_SALE),
    "detail/detail_no_bids_restricted.html": (4980, None, 0, Status.ON_SALE),
    "detail/detail_closed_no_bids.html": (4980, None, 0, Status.ENDED),
    "detail/detail_closed_early.html": (5250, None, 7, Status.SOLD),
    "detail/detail_closed_by_buynow.html": (10000, 10000, 2, Status.SOLD),
    "detail/detail_extension_1_before.html": (21000, None, 12, Status.ON_SALE),
    "detail/detail_extension_2_after.html": (22500, None, 14, Status.ON_SALE),
}
CHANGED = "detail/detail_changed_layout_no_next_data.html"
SELLERS = {"seller/seller_listing.html": (3, 3)}
# Bidding, a person's own pages, and shipping costs, which a look does not ask.
NOT_READING = re.compile(r"bid_2026/.*|api/.*|legacy_2021/(bid_|my_).*")
ASKED = YahooCriteria(keyword="x", order=Order.RECOMMENDED)  # the recordings were asked without an order


ID = "x0000000000"


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        (Path(str(FOLDER)) / "yahoo_auctions" / "manifest.json").read_text("utf-8")
    )["files"]
    return [entry for entry in found if not NOT_READING.fullmatch(entry["file"])]


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[str, Any]]:
    return {entry["file"]: entry["expect"] for entry in entries()}


@pytest.fixture(scope="module")
def recorded() -> dict[str, Answer]:
    folder = Path(str(FOLDER)) / "yahoo_auctions"
    return {
        entry["file"]: Answer(
            status=entry["status"], headers=TYPE, body=(folder / entry["file"]).read_bytes(), url=entry["url"] or ""
        )
        for entry in entries()
    }


def search(recorded: dict[str, Answer], file: str) -> SearchPage:
    return read_search(recorded[file], ASKED, now=NOW)


def listing(recorded: dict[str, Answer], file: str) -> Sighting:
    """The listing on a page, asked by the id that stands there."""
    found = re.search(rb'"auctionId":"([a-z]?[0-9]+)"', recorded[file].body)
    external_id = found[1].decode() if found else ID
    asked = replace(recorded[file], url=f"https://auctions.yahoo.co.jp/jp/auction/{external_id}")
    return read_listing(asked, external_id, now=NOW)


def by_id(page: SearchPage) -> dict[str, Sighting]:
    return {found.external_id: found for found in page.sightings}


def amount(money: contract.Money | None) -> int | None:
    return money.amount if money else None


def test_no_recorded_reading_answer_is_left_out(recorded):
    assert set(recorded) == {*SEARCHES, *REFUSED, *CLOSED, *LISTINGS, *SELLERS, CHANGED}


@pytest.mark.parametrize("file", SEARCHES)
def test_a_recorded_search_gives_its_listings(recorded, file: str):
    page = search(recorded, file)
    assert (len(page.sightings), page.padding, page.about, page.next_token) == SEARCHES[file]
    assert page.bad_rows == ()


@pytest.mark.parametrize("file", REFUSED)
def test_a_recorded_refusal_raises_its_error(recorded, file: str):
    for reader, error in zip((search, listing), REFUSED[file], strict=True):
        with pytest.raises(MarketplaceError) as caught:
            reader(recorded, file)
        assert type(caught.value) is getattr(contract, error)


def test_the_recorded_change_of_layout_is_said(recorded):
    with pytest.raises(contract.LayoutChanged):
        listing(recorded, CHANGED)


@pytest.mark.parametrize("file", CLOSED)
def test_a_recorded_closed_search_gives_its_sales(recorded, expected, file: str):
    page = read_closed(recorded[file], ASKED, now=NOW)
    assert (len(page.sightings), page.about) == CLOSED[file]
    assert (len(page.sightings), page.about) == (expected[file]["items"], expected[file]["total"])
    assert page.next_token == ("51" if page.about else None)
    assert all(found.price and found.ends_at and found.status == Status.SOLD for found in page.sightings)
    assert (page.bad_rows, page.padding) == ((), 0)


@pytest.mark.parametrize("file", SELLERS)
def test_a_recorded_page_of_a_seller_gives_what_is_open_there(recorded, expected, file: str):
    seller = re.search(rb'"aucUserId":"(\w+)"', recorded[file].body)[1].decode()
    page = read_seller(recorded[file], YahooCriteria(seller=seller), now=NOW)
    assert (len(page.sightings), page.about) == SELLERS[file]
    assert len(page.sightings) == expected[file]["items"]
    assert all(found.price and found.buy_now and found.bids and found.ends_at for found in page.sightings)
    assert {(found.status, found.seller.rating, found.seller.count) for found in page.sightings} == {
        (Status.ON_SALE, 98.8, 480)
    }


@pytest.mark.parametrize("file", LISTINGS)
def test_a_recorded_listing_gives_its_values(recorded, file: str):
    found = listing(recorded, file)
    assert (amount(found.price), amount(found.buy_now), found.bids, found.status) == LISTINGS[file]
    assert "システムエラー" in (found.description or "")


STATES = {Status.ON_SALE: "open", Status.SOLD: "closed", Status.ENDED: "closed"}


@pytest.mark.parametrize("file", LISTINGS)
def test_a_recorded_listing_gives_what_the_recording_promises(recorded, expected, file: str):
    found, promised = listing(recorded, file), dict(expected[file])
    for name in ("price", "buy_now"):
        promised[name] = promised.pop(f"{name}_tax_in", promised.get(name))
    told = {
        "price": amount(found.price),
        "buy_now": amount(found.buy_now),
        "bids": found.bids,
        "status": STATES[found.status],
        "end": found.ends_at.astimezone(JST).isoformat(),
    }
    assert {name: told[name] for name, value in promised.items() if value is not None} == {
        name: value for name, value in promised.items() if value is not None
    }


def test_the_recorded_page_after_the_first_brings_three_new_ones(recorded):
    first, second = (by_id(search(recorded, f"search/search_page{name}.html")) for name in ("1", "2_overlap"))
    assert set(second) - set(first) == {"q9900000009", "s9900000026", "n9900000041"}


def test_recorded_cards_are_complete(recorded):
    found = [sighting for file in SEARCHES for sighting in search(recorded, file).sightings]
    assert len(found) == 26
    assert all(sighting.price and sighting.ends_at and sighting.created and sighting.images for sighting in found)
    kinds = [sighting.kind for sighting in found]
    assert (kinds.count(Kind.AUCTION), kinds.count(Kind.FIXED), kinds.count(Kind.FLEA)) == (23, 2, 1)
    payers = [sighting.shipping for sighting in found]
    assert (payers.count(Shipping.INCLUDED), payers.count(Shipping.BUYER_PAYS), payers.count(Shipping.UNKNOWN)) == (
        14,
        9,
        3,
    )


def test_recorded_special_cards_are_read_as_they_are(recorded):
    cards = by_id(search(recorded, "search/search_special_cards.html"))
    store, flea, over = cards["c9900000101"], cards["z990000102"], cards["9900000105"]
    assert (amount(store.price), amount(store.buy_now), amount(store.shipping_fee)) == (7480, 8800, 550)
    assert (flea.kind, flea.bids, over.status) == (Kind.FLEA, None, Status.ENDED)
    assert cards["x9900000103"].ends_at == datetime(2027, 1, 30, 3, 16, 47, tzinfo=UTC)
    assert cards["k9900000104"].ends_at == datetime(2027, 1, 30, 12, 33, 8, tzinfo=UTC)


def test_recorded_titles_with_digits_and_signs_keep_their_prices_apart(recorded):
    cards = by_id(search(recorded, "search/search_page2_overlap.html"))
    assert [amount(cards[found].price) for found in ("q9900000009", "s9900000026", "n9900000041")] == [
        2791,
        4480,
        39800,
    ]


def test_a_recorded_extension_is_five_minutes_between_two_looks(recorded):
    before, after = (listing(recorded, f"detail/detail_extension_{part}.html") for part in ("1_before", "2_after"))
    assert (after.ends_at - before.ends_at).total_seconds() == 300
    assert (before.ends_at, before.external_id) == (datetime(2027, 1, 30, 3, 15, tzinfo=UTC), after.external_id)
