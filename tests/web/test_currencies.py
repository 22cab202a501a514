"""A marketplace that sells in euros: no page shows its prices as yen, and its watches take cents."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import translation

from monitor_site import wording
from monitor_site.accounts.models import User
from monitor_site.watches import pricing
from monitor_site.watches.models import Cause, EventKind, ListingEvent, PricePoint, Sample, Watch
from monitor_site.web.watch_fields import read_amount
from tests import curio
from tests.web.rows import listing, match, watch_of
from tests.web.watch_rows import make_target

NEW = "/watches/new/"
TYPED = {"must": "vase", "marketplaces": "curio", "shipping": "any", "pace": "normal"}
EUROS = {"listing_marketplace": "curio", "listing_currency": "EUR", "listing_url": "https://curio.example/i/1"}


@pytest.fixture
def euros() -> Iterator[None]:
    with curio.known(curio.plugin(currency="EUR")):
        yield


@pytest.fixture
def hers(client: Client, alice: User, euros: None) -> Client:
    client.force_login(alice)
    return client


@pytest.mark.parametrize("language", ["en", "ja", "zh-hans"])
@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [(122_600, "EUR", "€1,226.00"), (5, "USD", "US$0.05"), (12_345, "KRW", "₩12,345"), (1500, "KWD", "KWD\xa01.500")],
)
def test_an_amount_is_shown_in_its_own_currency(language: str, amount: int, currency: str, words: str) -> None:
    with translation.override(language):
        assert wording.money(amount, currency) == words


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("12", 1200),
        ("12.5", None),
        ("12,50 €", 1250),
        ("€12.50", 1250),
        ("1.226,00", 122_600),
        ("1,226.00 EUR", 122_600),
        ("1,226", 122_600),
        ("1 226", 122_600),
        ("1,226,00", None),
        ("1.22", 122),
        ("12円", None),
        ("-5", None),
        ("", None),
    ],
)
def test_euros_are_read_as_people_write_them(text: str, cents: int | None) -> None:
    if cents is None:
        with pytest.raises(ValueError, match=r".*"):
            read_amount(text, "EUR")
    else:
        assert read_amount(text, "EUR") == cents


def test_limits_are_typed_and_shown_in_the_currency_of_the_marketplace(hers: Client) -> None:
    hers.post(NEW, TYPED | {"price_min": "12,50", "price_max": "1.226"})
    watch = Watch.objects.get()
    assert (watch.price_min, watch.price_max, watch.currency) == (1250, 122_600, "EUR")

    form = hers.get(reverse("watch-edit", args=[watch.pk])).content.decode()
    assert 'value="12.50"' in form
    assert 'value="1,226.00"' in form
    assert "€12.50 to €1,226.00" in hers.get(reverse("watch", args=[watch.pk])).content.decode()


def test_a_refused_price_is_answered_in_euros(hers: Client) -> None:
    answer = hers.post(NEW, TYPED | {"price_max": "1.5万"})
    assert "€12.50" in answer.context["form"].errors["price_max"][0]


def test_a_new_watch_begins_with_marketplaces_of_one_currency(hers: Client) -> None:
    ticked = hers.get(NEW).context["form"]["marketplaces"].value()
    assert ticked == ["mercari", "yahoo_auctions"]


def dropped(watch: Watch, now: datetime) -> Any:
    """A match in euros with a history, and every figure that a page can show."""
    said = {"rule": "price", "verdict": "pass", "saw": "1250", "wanted": "–2000", "words": []}
    kept: dict[str, Any] = {"listing_price": 1250, "listing_shipping_fee": 499, "listing_buy_now": 1999} | EUROS
    found = match(watch, 1, now=now, cause=Cause.PRICE_DROP, decision=[said], price=1250, **kept)
    for price in (1500, 1250):
        PricePoint.objects.create(listing=found.listing, price=price, at=now.replace(microsecond=price))
    ListingEvent.objects.create(
        listing=found.listing, kind=EventKind.PRICE_DROP, before=1500, after=1250, at=now, trace="t"
    )
    return found


def sold_in_euros(watch: Watch, now: datetime) -> None:
    """Sales enough for figures, the strip and comparable things."""
    target = make_target(watch, now)
    kept = {key.removeprefix("listing_"): value for key, value in EUROS.items()}
    for number in range(500, 510):
        sale = {"status": "sold", "price": number, "paid": number, "sold_at": now}
        Sample.objects.create(target=target, listing=listing(number, now=now, **kept | sale), asking=False, at=now)
    pricing.roll_up(now=now)


def test_no_page_shows_euros_as_yen(hers: Client, alice: User, now: datetime) -> None:
    watch = watch_of(alice, now=now, marketplaces=["curio"], currency="EUR", price_max=2000)
    found = dropped(watch, now)
    sold_in_euros(watch, now)
    by_number = [reverse(name, args=[watch.pk]) for name in ("watch", "watch-prices")]
    pages = ["/matches/", "/watches/", *by_number, reverse("listing", args=[found.listing.pk])]
    with time_machine.travel(now, tick=False):
        texts = [hers.get(page).content.decode() for page in pages]
    for page, text in zip(pages, texts, strict=True):
        assert "€" in text, page
        assert "¥" not in text, page
    assert all(shown in texts[-1] for shown in ("€12.50", "€15.00", "€4.99", "€20.00", "90-day median €5.05"))
    assert "median €5.05, the middle half from €5.02 to €5.07" in texts[-2]
