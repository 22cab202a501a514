"""Yen with what they are about in the reader's own currency: shown, marked, never kept, compared or charged."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from monitor_site import second_currency
from monitor_site.accounts.exchange_rates import set_rate
from monitor_site.accounts.models import AuditEntry, ExchangeRate, User
from monitor_site.purchasing import proposing
from monitor_site.purchasing.models import Order
from monitor_site.second_currency import Rate, approximate, both, converted
from tests.house.source import ROOT
from tests.purchasing.rows import budget_of, order_of
from tests.web.rows import listing, match, watch_of

pytestmark = pytest.mark.usefixtures("redis")

SETTINGS = "/settings/"
ENGLISH = {"accept-language": "en"}


def rate(per_yen: str = "0.048", currency: str = "CNY", *, at: datetime, source: str = "") -> Rate:
    return Rate(currency=currency, per_yen=Decimal(per_yen), at=at, source=source)


@pytest.fixture(autouse=True)
def no_reader() -> Iterator[None]:
    yield
    second_currency.deactivate()


@pytest.fixture
def yuan(alice: User, now: datetime) -> User:
    """Alice thinks in yuan, and the operator has said what a yen is worth."""
    set_rate(rate=rate(at=timezone.now()), now=now)
    User.objects.filter(pk=alice.pk).update(second_currency="CNY")
    alice.refresh_from_db()
    return alice


@pytest.fixture
def hers(client: Client, yuan: User) -> Client:
    client.force_login(yuan)
    return client


def text_of(client: Client, address: str, **headers: Any) -> str:
    answer = client.get(address, headers=ENGLISH | headers)
    assert answer.status_code == 200, address
    return str(answer.content.decode())


# ---- amounts


@pytest.mark.parametrize(
    ("language", "currency", "per_yen", "words"),
    [
        ("zh-hans", "CNY", "0.048", "48,000円 ≈ 2,304 元"),
        ("ja", "CNY", "0.048", "48,000円 ≈ 2,304元"),
        ("en", "CNY", "0.048", "¥48,000 ≈ CN¥2,304"),
        ("zh-hans", "USD", "0.00662", "48,000円 ≈ 318 美元"),
        ("ja", "USD", "0.00662", "48,000円 ≈ 318ドル"),
        ("en", "USD", "0.00662", "¥48,000 ≈ US$318"),
        ("zh-hans", "TWD", "0.21", "48,000円 ≈ 10,080 新台币"),
        ("ja", "KRW", "9.4", "48,000円 ≈ 451,200ウォン"),
    ],
)
def test_yen_are_followed_by_what_they_are_about_in_the_language_of_the_page(
    now: datetime, language: str, currency: str, per_yen: str, words: str
) -> None:
    second_currency.activate(lambda: rate(per_yen, currency, at=now), now=now)
    with translation.override(language):
        assert both(48_000) == words


@pytest.mark.parametrize(
    ("yen", "per_yen", "currency", "shown"),
    [
        (1_000, "0.0234", "USD", "23.4"),
        (100, "0.0234", "USD", "2.34"),
        (10, "0.0234", "USD", "0.23"),
        (1, "0.0234", "USD", "0.02"),
        (1, "0.0034", "USD", None),
        (999_600, "0.0001", "USD", "100"),
        (99_960, "0.001", "USD", "100"),
        (1_234_567, "0.048", "CNY", "59259"),
        (1, "9.4", "KRW", "9"),
        (9_223_372_036_854_775_807, "9.4", "KRW", "86699697146434892586"),
    ],
)
def test_three_figures_below_a_hundred_whole_units_above_and_nothing_smaller_than_the_currency_divides(
    now: datetime, yen: int, per_yen: str, currency: str, shown: str | None
) -> None:
    worth = converted(yen, rate(per_yen, currency, at=now))
    assert (None if worth is None else f"{worth:f}") == shown


def test_what_is_unknown_nothing_or_no_yen_has_no_second_amount(now: datetime) -> None:
    second_currency.activate(lambda: rate(at=now), now=now)
    assert [approximate(None), approximate(0), approximate(1_226_00, "EUR")] == ["", "", ""]
    assert both(None) == "unknown"


def test_a_rate_of_more_than_seven_days_is_called_old(now: datetime) -> None:
    young, old = (now - timedelta(days=7), now - timedelta(days=7, seconds=1))
    second_currency.activate(lambda: rate(at=young), now=now)
    assert both(48_000) == "¥48,000 ≈ CN¥2,304"
    second_currency.activate(lambda: rate(at=old, source="rates.example"), now=now)
    assert both(48_000) == "¥48,000 ≈ CN¥2,304, old rate"
    assert second_currency.source_words() == (
        "1 JPY = 0.048 CNY, from rates.example, 24 Apr 2026 · the rate is 7 days old"
    )


# ---- pages


def shown_on(hers: Client, yuan: User, now: datetime) -> dict[str, str]:
    """Every page with money on it."""
    watch = watch_of(yuan, now=now, price_max=50_000)
    found = match(watch, 1, now=now, listing_price=48_000, listing_buy_now=60_000, listing_kind="auction",
                  listing_ends_at=timezone.now() + timedelta(hours=5))  # fmt: skip
    budget_of(yuan, now=now, per_month=100_000, per_item=50_000, watches=[watch])
    asking = {"state": "awaiting_approval", "expires_at": timezone.now() + timedelta(hours=1)}
    order = order_of(yuan, now=now, listing=listing(2, now=now, price=7_000), watch=watch, price=7_000, **asking)
    order_of(yuan, now=now, listing=listing(3, now=now), mode="dry_run", state="cancelled", price=7_000)
    addresses = {name: reverse(name) for name in ("matches", "auctions", "watches", "budgets", "approvals", "orders")}
    addresses |= {"watch": reverse("watch", args=[watch.pk]), "listing": reverse("listing", args=[found.listing_id])}
    addresses |= {"order": reverse("order", args=[order.public_id])}
    addresses |= {"decision": reverse("decision", args=[found.public_id])}
    return {name: text_of(hers, address) for name, address in addresses.items()}


def test_every_page_with_money_shows_both(hers: Client, yuan: User, now: datetime) -> None:
    found = shown_on(hers, yuan, now)
    price, wish, month, asked = "≈ CN¥2,304", "¥50,000 ≈ CN¥2,400", "¥100,000 ≈ CN¥4,800", "≈ CN¥336"
    for page in ("matches", "auctions", "watch", "listing", "decision"):
        assert price in found[page], page
    for page in ("watches", "watch"):
        assert wish in found[page], page
    assert month in found["budgets"]
    for page in ("approvals", "orders", "order"):
        assert asked in found[page], page
    assert "1 JPY = 0.048 CNY, set by the operator" in found["order"]
    assert re.search(r'<small class="muted" title="1 JPY = 0\.048 CNY, set by the operator, [^"]+">≈', found["matches"])


def test_without_a_wish_or_without_a_rate_there_are_yen_alone(hers: Client, yuan: User, now: datetime) -> None:
    ExchangeRate.objects.all().delete()
    assert not [page for page, text in shown_on(hers, yuan, now).items() if "≈" in text]
    assert "Nobody has set a rate for this currency yet" in text_of(hers, SETTINGS)
    set_rate(rate=rate(at=timezone.now()), now=now)
    User.objects.update(second_currency="")
    assert "≈ CN" not in text_of(hers, "/matches/")


def test_one_reader_has_nothing_of_anothers_currency(hers: Client, bob: User, yuan: User, now: datetime) -> None:
    match(watch_of(bob, now=now), 1, now=now, listing_price=48_000)
    text_of(hers, "/matches/")
    hers.force_login(bob)
    assert "≈" not in text_of(hers, "/matches/")
    assert second_currency.active() is None


def test_the_rate_is_asked_for_once_a_page_and_only_by_who_wants_one(hers: Client, yuan: User, now: datetime) -> None:
    watch = watch_of(yuan, now=now)
    for number in range(10):
        match(watch, number, now=now, listing_price=1_000 + number)

    def asked() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            text_of(hers, "/matches/")
        return sum("exchangerate" in query["sql"] for query in queries)

    assert asked() == 1
    User.objects.update(second_currency="")
    assert asked() == 0


def test_what_is_charged_stands_alone_in_yen_on_every_button_and_in_every_attribute() -> None:
    """``money`` writes markup with an approximate amount: ``charged`` is for these."""
    inside = re.compile(r'="[^"<>]*\|(?:money|about)\b|<button\b(?:(?!</button>).)*\|(?:money|about)\b', re.DOTALL)
    for path in sorted((ROOT / "templates").rglob("*.html")):
        tags = re.sub(r"\{% (?:url|translate) [^%]*%\}", "", path.read_text("utf-8"))
        assert not inside.search(tags), path.name


def test_a_feed_and_its_reader_see_both(client: Client, yuan: User, now: datetime) -> None:
    from monitor_site.alerts import feeding
    from monitor_site.alerts.models import FeedKind

    match(watch_of(yuan, now=now), 1, now=timezone.now(), listing_price=48_000)
    opened = feeding.create_feed(user=yuan, wish=feeding.Wish(kind=FeedKind.ALL, name=""), now=now)
    assert "¥48,000 ≈ CN¥2,304" in client.get(f"/feeds/{opened.secret}.rss", headers=ENGLISH).content.decode()


# ---- preferences


WISH = {
    "language": "en",
    "time_zone": "Asia/Shanghai",
    "theme": "dark",
    "second_currency": "TWD",
    "start_page": "watches",
}


def test_preferences_are_saved_written_down_and_hold_from_the_next_page_on(client: Client, alice: User) -> None:
    client.force_login(alice)
    answer = client.post(SETTINGS, WISH, follow=True)
    assert "Saved." in answer.content.decode()
    alice.refresh_from_db()
    assert {name: getattr(alice, name) for name in WISH} == WISH
    entry = AuditEntry.objects.get(thing="preferences")
    assert (entry.kind, entry.user_id, entry.name) == ("setting", alice.pk, "alice")
    assert (entry.before["second_currency"], entry.after["second_currency"]) == ("", "TWD")
    assert "Second currency" in text_of(client, "/activity/")
    assert client.get("/")["Location"] == "/watches/"
    client.post(SETTINGS, WISH)
    assert AuditEntry.objects.filter(thing="preferences").count() == 1


@pytest.mark.parametrize(
    "nonsense",
    [{"second_currency": "XXX"}, {"time_zone": "Asia/Nowhere"}, {"start_page": "admin:index"}, {"theme": ""},
     {"language": "tlh"}, {"second_currency": "\x00"}],
)  # fmt: skip
def test_what_is_no_choice_changes_nothing(client: Client, alice: User, nonsense: dict[str, str]) -> None:
    client.force_login(alice)
    answer = client.post(SETTINGS, WISH | nonsense)
    assert answer.status_code == 422
    assert User.objects.get().start_page == "matches"
    assert "Nothing was saved yet" in answer.content.decode()


@pytest.mark.parametrize("language", ["en", "ja", "zh-hans"])
def test_the_page_opens_in_every_language_and_keeps_a_zone_that_it_does_not_offer(
    client: Client, alice: User, language: str
) -> None:
    User.objects.update(language=language, time_zone="Etc/GMT-9")
    client.force_login(alice)
    assert '<option value="Etc/GMT-9" selected>' in client.get(SETTINGS).content.decode()


def test_a_stranger_has_no_preferences(client: Client, alice: User) -> None:
    assert client.get(SETTINGS)["Location"] == "/accounts/login/?next=/settings/"
    client.post(SETTINGS, WISH)
    assert User.objects.get().second_currency == ""


def test_who_signs_in_begins_where_they_want(client: Client, alice: User) -> None:
    User.objects.update(start_page="auctions")
    login = {"login": "alice", "password": "alices-password"}
    assert client.post("/accounts/login/", login)["Location"] == "/auctions/"


def test_nothing_of_it_is_kept_or_spent(hers: Client, yuan: User, now: datetime) -> None:
    """An order is approved for yen, whatever the rate says meanwhile."""
    watch = watch_of(yuan, now=now)
    budget_of(yuan, now=now, total=10_000, watches=[watch])
    asking = {"state": "awaiting_approval", "expires_at": timezone.now() + timedelta(hours=1)}
    thing = listing(2, now=now, price=7_000)
    order = order_of(yuan, now=now, listing=thing, watch=watch, price=7_000, **asking)
    seen = proposing.shown(order)
    Order.objects.update(shown=seen)
    set_rate(rate=rate("0.3", at=timezone.now()), now=now)
    hers.post(reverse("order-approve", args=[order.public_id]), {"seen": seen, "sure": "yes"})
    order.refresh_from_db()
    assert (order.state, order.price_max, order.currency) == ("ready", 7_000, "JPY")


def test_an_old_rate_is_told_on_the_page(hers: Client, yuan: User, now: datetime) -> None:
    match(watch_of(yuan, now=now), 1, now=now, listing_price=48_000)
    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        assert "≈ CN¥2,304, old rate" in text_of(hers, "/matches/")
