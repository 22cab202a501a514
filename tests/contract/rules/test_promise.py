"""What a plugin returns is looked at before the core believes it."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from monitor_site.contract import BadRow, Money, PluginFault, SearchPage, Seller, Sighting
from monitor_site.contract.rules import Promise
from tests.marketplaces.loopback import manifest, sighting

YEN = Money(amount=1, currency="JPY")


def test_a_page_as_promised_passes_unchanged() -> None:
    page = SearchPage(
        sightings=(
            sighting(
                seller=Seller(id="77", name="店"),
                buy_now=YEN,
                shipping_fee=YEN,
                created=datetime(2026, 5, 1, tzinfo=UTC),
                bids=0,
                images=("https://pictures.bazaar.example/1.jpg",),
                description="",
            ),
        ),
        next_token="2",
        bad_rows=(BadRow(position=3, reason="no id"),),
        padding=2,
    )

    assert Promise(manifest=manifest()).page(page) == page


@pytest.mark.parametrize(
    "url",
    [
        "https://www.bazaar.example/item/1",
        "https://bazaar.example/item/1",
        "https://page.bazaar.example/item/1",
        "https://api.bazaar.example/item/1",
        "https://WWW.bazaar.example/item/1",
        "https://www.bazaar.example:443/item/1",
    ],
)
def test_a_listing_lives_on_its_marketplaces_hosts(url: str) -> None:
    Promise(manifest=manifest()).page(SearchPage(sightings=(sighting(url=url),)))


def test_a_listing_of_a_practice_market_may_live_there() -> None:
    page = SearchPage(sightings=(sighting(url="http://127.0.0.1:9000/item/1"),))

    Promise(manifest=manifest(), practice="http://127.0.0.1:9000").page(page)
    with pytest.raises(PluginFault):
        Promise(manifest=manifest(), practice="http://127.0.0.1:9001").page(page)
    with pytest.raises(PluginFault):
        Promise(manifest=manifest()).page(page)


@pytest.mark.parametrize(
    "changes",
    [
        {"external_id": ""},
        {"external_id": "x" * 65},
        {"external_id": 7},
        {"external_id": "a\x00"},
        {"external_id": "\ud83d"},
        {"title": None},
        {"title": b"bytes"},
        {"url": "https://elsewhere.example/item/1"},
        {"url": "https://www.bazaar.example.elsewhere.example/item/1"},
        {"url": "https://www.bazaar.example@elsewhere.example/item/1"},
        {"url": "https://elsewhere.example\\@www.bazaar.example/item/1"},
        {"url": "https://elsewhere.example\\.bazaar.example/item/1"},
        {"url": "https://elsewhere.example#.bazaar.example/item/1"},
        {"url": "https://elsewhere.example?.bazaar.example/item/1"},
        {"url": " https://www.bazaar.example/item/1"},
        {"url": "https://www.bazaar.example:99999/item/1"},
        {"url": "https://www.bazaar.example:port/item/1"},
        {"url": "https:/www.bazaar.example/item/1"},
        {"url": "//www.bazaar.example/item/1"},
        {"url": "http://www.bazaar.example/item/1"},
        {"url": "javascript:alert(1)//https://www.bazaar.example/"},
        {"url": "/item/1"},
        {"url": "https://[broken"},
        {"url": "https://www.bazaar.example/" + "x" * 500},
        {"url": None},
        {"price": Money(amount=1, currency="USD")},
        {"buy_now": Money(amount=1, currency="USD")},
        {"shipping_fee": Money(amount=1, currency="USD")},
        {"price": 1200},
        {"price": Money(amount=1200.5, currency="JPY")},  # type: ignore[arg-type]
        {"price": Money(amount=True, currency="JPY")},
        {"kind": "flea"},
        {"status": None},
        {"shipping": "included"},
        {"condition": "new"},
        {"seller": "77"},
        {"seller": Seller(id="")},
        {"seller": Seller(id="7", name=7)},  # type: ignore[arg-type]
        {"images": ["https://pictures.bazaar.example/1.jpg"]},
        {"extra": {"brand": 7}},
        {"extra": {7: "brand"}},
        {"extra": None},
        {"price": Money(amount=10**16, currency="JPY")},
        {"seller": Seller(id="7" * 65)},
        {"seller": Seller(id="7", rating=float("nan"))},
        {"seller": Seller(id="7", rating=10**400)},
        {"seller": Seller(id="7", count=2**31)},
        {"bids": 2**31},
        {"created": datetime(1, 1, 1, tzinfo=UTC)},
        {"ends_at": datetime(9999, 12, 31, tzinfo=UTC)},
        {"created": datetime(2026, 5, 1)},  # noqa: DTZ001
        {"updated": "2026-05-01"},
        {"ends_at": 1},
        {"bids": -1},
        {"bids": "3"},
        {"description": 3},
    ],
)
def test_a_listing_that_is_not_as_promised_is_a_bad_row_and_the_page_stands(changes: dict[str, Any]) -> None:
    before = BadRow(position=7, reason="no id")
    odd = sighting(**({"external_id": "b1"} | changes))

    page = promised(sighting("good"), odd, sighting("fine"), bad_rows=(before,))

    assert [each.external_id for each in page.sightings] == ["good", "fine"]
    first, second = page.bad_rows
    assert (first, second.position) == (before, 1)
    assert "not as promised" in second.reason or "OverflowError" in second.reason


@pytest.mark.parametrize("count", [1, 3])
def test_a_page_of_which_no_listing_is_as_promised_is_the_plugins_fault(count: int) -> None:
    with pytest.raises(PluginFault, match=f"of {count} rows none is left: title is None"):
        promised(*(sighting(f"b{each}", title=None) for each in range(count)))


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "",
        7,
        "https://pictures.bazaar.example/\ud83d.jpg",
        "https://x/" + "x" * 500,
        "javascript:alert(1)",
        "a\nb",
    ],
)
def test_an_odd_picture_address_costs_neither_the_row_nor_its_other_pictures(odd: Any) -> None:
    good = "https://pictures.bazaar.example/1.jpg"

    page = promised(sighting(images=(odd, good)))

    assert page.sightings == (sighting(images=(good,)),)
    assert page.bad_rows == ()


def test_a_price_of_0_is_not_known_and_free_shipping_stays_free() -> None:
    free = Money(amount=0, currency="JPY")

    (found,) = promised(sighting(price=free, buy_now=free, shipping_fee=free)).sightings

    assert (found.price, found.buy_now, found.shipping_fee) == (None, None, free)


def promised(*sightings: Sighting, **rest: Any) -> SearchPage:
    return Promise(manifest=manifest()).page(SearchPage(sightings=sightings, **rest))


@pytest.mark.parametrize("found", [None, [], "page", {"sightings": ()}, SearchPage, sighting()])
def test_anything_but_a_page_is_the_plugins_fault(found: object) -> None:
    with pytest.raises(PluginFault, match="search returned"):
        Promise(manifest=manifest()).page(found)


@pytest.mark.parametrize(
    "changes",
    [
        {"sightings": [sighting()]},
        {"sightings": ({"external_id": "b1"},)},
        {"sightings": None},
        {"bad_rows": 3},
        {"bad_rows": ("row",)},
        {"padding": -1},
        {"padding": None},
        {"next_token": ""},
        {"next_token": 2},
        {"next_token": "x" * 4001},
    ],
)
def test_a_page_that_is_not_as_promised_is_the_plugins_fault(changes: dict[str, Any]) -> None:
    with pytest.raises(PluginFault, match="not as promised"):
        Promise(manifest=manifest()).page(replace(SearchPage(sightings=()), **changes))


def test_half_characters_and_nuls_cost_neither_the_row_nor_the_page() -> None:
    odd = sighting(
        title="cam\x00era \ud83d", description="\udc00", seller=Seller(id="7", name="a\x00b"), extra={"size": "\x00L"}
    )

    cleaned = Promise(manifest=manifest()).page(SearchPage(sightings=(sighting("b2"), odd)))

    assert cleaned.sightings[0] == sighting("b2")
    assert cleaned.sightings[1] == replace(
        odd, title="camera ?", description="?", seller=Seller(id="7", name="ab"), extra={"size": "L"}
    )


def test_endless_titles_and_names_are_cut() -> None:
    odd = sighting(title="x" * 5000, seller=Seller(id="7", name="y" * 500, rating=4.5, count=3))

    cut = Promise(manifest=manifest()).page(SearchPage(sightings=(odd,))).sightings[0]

    assert cut.title == "x" * 1000
    assert cut.seller == Seller(id="7", name="y" * 120, rating=4.5, count=3)
