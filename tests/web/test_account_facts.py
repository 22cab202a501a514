"""What the card of an account tells: its sign-in, its way, what was filled in, and how much of it one sees."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from redis import Redis

from monitor_site.accounts.models import AuditEntry, User
from monitor_site.marketplaces import services
from monitor_site.marketplaces.accounts import opened
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.web.account_lines import masked
from tests import curio as curios

from ..marketplaces.keys import CANARY, Keys, account
from ..marketplaces.shop import shop
from ..purchasing.rows import budget_of, order_of
from .test_account_pages import text_of

AREA = {"partner": "partner-4711", "area": "west"}


@pytest.fixture(autouse=True)
def _bazaar(redis: Redis) -> Iterator[None]:
    with curios.known(replace(shop())):
        yield


@pytest.fixture
def hers(page: Client) -> Client:
    return page


@pytest.fixture
def mine(alice: User, now: datetime) -> MarketplaceAccount:
    return account(now, user=alice, values=AREA)


def renew(row: MarketplaceAccount, until: datetime | None) -> bool:
    known, fresh = opened(row, Keys).settings, {"second": "renewed"}
    now = timezone.now() - timedelta(minutes=5)
    return services.keep_renewed(account_id=row.pk, known=known, secrets=fresh, until=until, now=now)


def test_how_old_its_sign_in_is_and_when_it_ends_is_told_once_known(hers: Client, mine: MarketplaceAccount) -> None:
    assert "Signed in</dt><dd>not known" in text_of(hers)
    assert renew(mine, timezone.now() + timedelta(hours=1))
    shown = text_of(hers)
    assert "5 min ago" in shown
    assert "Sign-in good until" in shown


def test_an_end_that_the_marketplace_did_not_tell_is_not_made_up(hers: Client, mine: MarketplaceAccount) -> None:
    renew(mine, None)
    assert "Sign-in good until" not in text_of(hers)


def test_other_secrets_forget_the_sign_in(hers: Client, mine: MarketplaceAccount) -> None:
    renew(mine, None)
    mine.refresh_from_db()
    services.replace_secrets(account=mine, secrets={"token": "t"}, now=timezone.now())
    assert "Signed in</dt><dd>not known" in text_of(hers)


def test_a_renewal_is_in_its_persons_record_without_any_secret(
    hers: Client, mine: MarketplaceAccount, bob: User
) -> None:
    renew(mine, None)
    shown = text_of(hers, "/activity/?thing=account")
    assert "sign-in renewed" in shown
    assert "renewed</bdi></ins>" not in str(AuditEntry.objects.values_list("after", flat=True))
    assert CANARY not in shown
    hers.force_login(bob)
    assert "sign-in renewed" not in text_of(hers, "/activity/")


def test_what_was_filled_in_is_shown_masked_and_no_secret_is(hers: Client, mine: MarketplaceAccount) -> None:
    shown = text_of(hers)
    assert "<span>Partner</span><span><bdi>pa…11</bdi>" in shown
    assert "<span>Area</span><span><bdi>West</bdi>" in shown
    assert "partner-4711" not in shown
    assert "Token</span>" not in shown
    assert CANARY not in shown


@pytest.mark.parametrize(("text", "said"), [("", ""), ("山田", "山…"), ("abcdef", "ab…"), ("partner-4711", "pa…11")])
def test_of_short_words_little_is_shown(text: str, said: str) -> None:
    assert masked(text) == said


@pytest.mark.parametrize(
    ("proxies", "said"),
    [
        ("bazaar=http://u:secret@p.example:3128", "through a proxy"),
        ("", "directly"),
        ("curio=p.example:1", "directly"),
        ("nonsense", "not known"),
    ],
)
def test_whether_a_proxy_is_used_is_told_and_not_which(
    hers: Client, mine: MarketplaceAccount, settings, proxies: str, said: str
) -> None:
    settings.PROXIES, settings.PRACTICE_MARKETS = proxies, {}
    shown = text_of(hers)
    assert f"Requests go</dt><dd>{said}" in shown
    assert "p.example" not in shown
    assert "secret@" not in shown


def test_requests_of_a_day_stand_beside_their_limit_and_money_beside_its_cap(
    hers: Client, alice: User, mine: MarketplaceAccount, settings, now: datetime
) -> None:
    settings.PRACTICE_MARKETS = {}
    shown = text_of(hers)
    per_minute = shop().manifest.pace.per_minute
    assert f"<dd>0 / {60 * per_minute}</dd>" in shown
    assert f"<dd>0 / {1440 * per_minute}</dd>" in shown
    assert "Spent today</dt><dd>¥0</dd>" in shown
    budget_of(alice, now=now, kind="account", account=mine, per_day=5000)
    assert "Spent today</dt><dd>¥0 / ¥5,000</dd>" in text_of(hers)


def test_its_open_orders_are_one_press_away(hers: Client, alice: User, mine: MarketplaceAccount, now: datetime) -> None:
    order_of(alice, now=now, account=mine, state="ready", way="partner_api")
    assert f'href="/orders/?account={mine.pk}"' in text_of(hers)
