"""The administration of accounts and plugins: what staff see and do, and what nobody sees."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest
import redis as redis_library
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.marketplaces import admin as room
from monitor_site.marketplaces import breaker, services
from monitor_site.marketplaces.accounts import opened
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.models import MarketplaceAccount

from .keys import CANARY, Keys, account
from .loopback import plugin

pytestmark = pytest.mark.django_db

OVERVIEW = "admin:marketplaces_overview"


@pytest.fixture(autouse=True)
def _shelf(monkeypatch: pytest.MonkeyPatch, redis: redis_library.Redis) -> None:
    """The bazaar wants an account, the flea market none, and one plugin is broken."""
    plugins = {"bazaar": plugin(settings=Keys), "flea": plugin(name="flea")}
    shelf = Catalog(plugins=MappingProxyType(plugins), broken=MappingProxyType({"odd": "ImportError: no moon <b>"}))
    monkeypatch.setattr(room, "catalog", lambda: shelf)


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("carol", "carol@example.com", "carols-password"))
    return client


@pytest.fixture
def helper(db: None) -> Callable[..., Client]:
    """Somebody of the staff with just these permissions."""

    def signed_in(*codenames: str) -> Client:
        person = User.objects.create_user(username="dan", password="dans-password", is_staff=True)
        person.user_permissions.set(Permission.objects.filter(codename__in=codenames))
        client = Client()
        client.force_login(person)
        return client

    return signed_in


def add_url(marketplace: str = "bazaar") -> str:
    return reverse("admin:marketplaces_marketplaceaccount_add") + f"?marketplace={marketplace}"


def change_url(row: MarketplaceAccount) -> str:
    return reverse("admin:marketplaces_marketplaceaccount_change", args=[row.pk])


def typed(**changes: str) -> dict[str, str]:
    usual = {
        "label": "ours",
        "option_partner": "p-1",
        "option_token": CANARY,
        "option_second": "",
        "option_area": "west",
    }
    return usual | changes


# -- accounts -----------------------------------------------------------------------------------------------------


def test_an_account_is_connected_by_the_fields_of_its_plugin(staff: Client) -> None:
    page = staff.get(add_url()).content.decode()
    assert "As on your contract." in page
    assert "West" in page

    assert staff.post(add_url(), typed()).status_code == 302

    row = MarketplaceAccount.objects.get()
    assert (row.marketplace, row.label, row.user) == ("bazaar", "ours", None)
    assert opened(row, Keys).settings == Keys(partner="p-1", token=CANARY, area="west")
    assert LogEntry.objects.get().object_id == str(row.pk)


@pytest.mark.parametrize(
    ("reason", "stays"), [("sign_in_needed", False), ("challenge_required", False), ("blocked", True)]
)
def test_where_only_an_account_was_missing_connecting_one_asks_again(
    staff: Client, redis: redis_library.Redis, django_capture_on_commit_callbacks: Any, reason: str, stays: bool
) -> None:
    redis.hset(breaker.breaker_key("bazaar"), mapping={"state": "open", "until": 2**42, "reason": reason})

    with django_capture_on_commit_callbacks(execute=True):
        staff.post(add_url(), typed())

    assert bool(redis.exists(breaker.breaker_key("bazaar"))) is stays


def test_a_secret_is_never_rendered_back_neither_saved_nor_mistyped(staff: Client, now: datetime) -> None:
    row = account(now)
    mistyped = staff.post(change_url(row), typed(option_partner=""))
    listed = staff.get(reverse("admin:marketplaces_marketplaceaccount_changelist"))
    history = staff.get(reverse("admin:marketplaces_marketplaceaccount_history", args=[row.pk]))

    for answer in (staff.get(change_url(row)), mistyped, listed, history, staff.get(reverse(OVERVIEW))):
        assert answer.status_code == 200
        assert CANARY not in answer.content.decode()
        assert row.sealed not in answer.content.decode()


def test_an_empty_secret_keeps_what_is_stored_and_a_new_one_replaces_it(staff: Client, now: datetime) -> None:
    row = account(now)

    assert staff.post(change_url(row), typed(option_token="", option_area="east")).status_code == 302
    row.refresh_from_db()
    assert opened(row, Keys).settings == Keys(partner="p-1", token=CANARY)

    assert staff.post(change_url(row), typed(option_token="newer")).status_code == 302
    row.refresh_from_db()
    assert opened(row, Keys).settings == Keys(partner="p-1", token="newer", area="west")
    assert CANARY not in "".join(LogEntry.objects.values_list("change_message", flat=True))


def test_a_first_secret_that_is_needed_must_be_typed(staff: Client) -> None:
    assert staff.post(add_url(), typed(option_token="")).status_code == 200
    assert not MarketplaceAccount.objects.exists()


def test_a_choice_that_is_none_is_refused(staff: Client) -> None:
    assert staff.post(add_url(), typed(option_area="moon")).status_code == 200
    assert not MarketplaceAccount.objects.exists()


@pytest.mark.parametrize("marketplace", ["", "flea", "odd", "nowhere"])
def test_where_no_account_is_wanted_none_is_connected(staff: Client, marketplace: str) -> None:
    answer = staff.post(add_url(marketplace), typed())

    assert (answer.status_code, answer["Location"]) == (302, reverse(OVERVIEW))
    assert not MarketplaceAccount.objects.exists()


def test_a_second_account_of_the_installation_is_not_connected(staff: Client, now: datetime) -> None:
    account(now)
    assert staff.post(add_url(), typed()).status_code == 302
    assert MarketplaceAccount.objects.count() == 1


def test_secrets_nobody_can_open_are_replaced_all_the_same(staff: Client, now: datetime) -> None:
    row = account(now)
    MarketplaceAccount.objects.filter(pk=row.pk).update(sealed="nonsense")

    staff.post(change_url(row), typed(option_area="east"))

    row.refresh_from_db()
    assert opened(row, Keys).settings == Keys(partner="p-1", token=CANARY)


def test_whoever_replaces_one_secret_replaces_all(staff: Client, now: datetime) -> None:
    row = account(now)
    answer = staff.post(change_url(row), typed(option_token="", option_second="newer"))
    assert answer.status_code == 200
    assert "Whoever replaces one replaces all." in answer.content.decode()
    row.refresh_from_db()
    assert opened(row, Keys).settings.token == CANARY


def choose(client: Client, action: str, *rows: MarketplaceAccount, reason: str = "") -> Any:
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], "reason": reason}
    return client.post(reverse("admin:marketplaces_marketplaceaccount_changelist"), chosen, follow=True)


class TestRealMoney:
    def test_an_operator_allows_it_for_one_account_with_a_reason_and_it_is_written_down(
        self, staff: Client, now: datetime, alice: User
    ) -> None:
        row = account(now, user=alice)
        choose(staff, "let_spend", row, reason="asked for it in person")
        row.refresh_from_db()
        assert row.spends_since is not None
        assert (row.spends_by.username, row.spends_reason) == ("carol", "asked for it in person")
        assert "asked for it in person" in LogEntry.objects.get().change_message
        choose(staff, "end_spending", row)
        row.refresh_from_db()
        assert (row.spends_since, row.spends_by, row.spends_reason) == (None, None, "")
        assert LogEntry.objects.count() == 2

    @pytest.mark.parametrize("reason", ["", "  "])
    def test_without_a_reason_it_is_not_allowed(self, staff: Client, now: datetime, alice: User, reason: str) -> None:
        row = account(now, user=alice)
        assert "say why" in choose(staff, "let_spend", row, reason=reason).content.decode()
        assert not MarketplaceAccount.objects.filter(spends_since__isnull=False).exists()

    def test_never_for_several_at_once_nor_for_the_installations_own(
        self, staff: Client, now: datetime, alice: User
    ) -> None:
        mine, other, own = account(now, user=alice), account(now, user=alice), account(now)
        choose(staff, "let_spend", mine, other, reason="both")
        choose(staff, "let_spend", own, reason="ours")
        assert not MarketplaceAccount.objects.filter(spends_since__isnull=False).exists()

    def test_whoever_may_only_look_cannot(self, helper: Callable[..., Client], now: datetime, alice: User) -> None:
        row = account(now, user=alice)
        choose(helper("view_marketplaceaccount"), "let_spend", row, reason="because")
        assert not MarketplaceAccount.objects.filter(spends_since__isnull=False).exists()

    def test_an_old_sign_in_is_not_enough(self, staff: Client, now: datetime, alice: User) -> None:
        row, session = account(now, user=alice), staff.session
        session["account_authentication_methods"] = []
        session.save()
        answer = choose(staff, "let_spend", row, reason="because")
        assert answer.redirect_chain[0][0].startswith("/accounts/prove/")
        assert not MarketplaceAccount.objects.filter(spends_since__isnull=False).exists()


def test_an_account_of_a_plugin_that_is_gone_can_still_be_seen_and_deleted(staff: Client, now: datetime) -> None:
    row = account(now, marketplace="gone")
    assert staff.get(change_url(row)).status_code == 200

    gone = reverse("admin:marketplaces_marketplaceaccount_delete", args=[row.pk])
    assert staff.post(gone, {"post": "yes"}).status_code == 302

    assert not MarketplaceAccount.objects.exists()


def test_a_pause_is_ended_by_hand(staff: Client, now: datetime) -> None:
    row = account(now)
    services.pause_account(
        account_id=row.pk, until=datetime.now(UTC) + timedelta(hours=1), reason="sign_in_needed", now=datetime.now(UTC)
    )

    data = {"action": "resume", "_selected_action": [row.pk]}
    staff.post(reverse("admin:marketplaces_marketplaceaccount_changelist"), data)

    row.refresh_from_db()
    assert (row.paused_until, row.pause_reason) == (None, "")


@pytest.mark.parametrize(("paused", "shown"), [("yes", 1), ("no", 1), ("", 2)])
def test_paused_accounts_can_be_filtered(staff: Client, now: datetime, paused: str, shown: int) -> None:
    account(now, marketplace="flea", values={})
    row = account(now)
    services.pause_account(
        account_id=row.pk, until=datetime.now(UTC) + timedelta(hours=1), reason="sign_in_needed", now=datetime.now(UTC)
    )

    answer = staff.get(
        reverse("admin:marketplaces_marketplaceaccount_changelist"), {"paused": paused} if paused else {}
    )

    assert answer.context["cl"].result_count == shown


def test_who_may_only_look_sees_no_form(helper: Callable[..., Client], now: datetime) -> None:
    row, client = account(now), helper("view_marketplaceaccount")

    answer = client.get(change_url(row))

    assert answer.status_code == 200
    assert "option_token" not in answer.content.decode()
    assert client.post(change_url(row), typed(option_token="mine")).status_code == 403


# -- all plugins --------------------------------------------------------------------------------------------------


def test_a_stranger_sees_nothing_of_the_marketplaces(client: Client, alice: User) -> None:
    for person in (None, alice):
        if person:
            client.force_login(person)
        for answer in (
            client.get(reverse(OVERVIEW)),
            client.post(reverse("admin:marketplaces_reset", args=["bazaar"])),
        ):
            assert answer.status_code in {302, 404}
            assert b"bazaar" not in answer.content


def test_staff_without_the_permission_see_nothing_and_who_may_look_resets_nothing(
    helper: Callable[..., Client], redis: redis_library.Redis
) -> None:
    redis.hset(breaker.breaker_key("bazaar"), mapping={"state": "open", "until": 2**42, "reason": "blocked"})
    client = helper()
    assert client.get(reverse(OVERVIEW)).status_code == 403

    User.objects.get(username="dan").user_permissions.add(Permission.objects.get(codename="view_marketplaceaccount"))

    page = client.get(reverse(OVERVIEW)).content.decode()
    assert "blocked" in page
    assert "reset" not in page
    assert client.post(reverse("admin:marketplaces_reset", args=["bazaar"])).status_code == 403
    assert redis.exists(breaker.breaker_key("bazaar"))


def test_the_page_shows_every_plugin_and_how_it_is(
    staff: Client, redis: redis_library.Redis, settings: Any, now: datetime
) -> None:
    settings.PRACTICE_MARKETS = {"flea": "http://127.0.0.1:9"}
    settings.LIVE = True
    settings.PROXIES = "bazaar=user:secret-of-it@gate.example:3128"
    redis.hset(breaker.breaker_key("bazaar"), mapping={"state": "open", "until": 2**42, "reason": "throttled"})
    redis.set(breaker.good_key("flea"), 1_777_604_400_000)
    row = account(now)
    services.pause_account(
        account_id=row.pk, until=datetime.now(UTC) + timedelta(hours=1), reason="sign_in_needed", now=datetime.now(UTC)
    )

    page = staff.get(reverse(OVERVIEW)).content.decode()
    bazaar, flea, odd = (section(page, name) for name in ("bazaar", "flea", "odd"))

    for words in ("https://api.bazaar.example, the real one", "http://user:***@gate.example:3128", "60000 requests"):
        assert words in bazaar
    for words in (
        "open because of throttled, until 2109",
        "paused because of sign_in_needed, until",
        "public_pages",
        "search",
    ):
        assert words in bazaar
    for words in (
        "http://127.0.0.1:9, its practice market",
        "closed",
        "2026-05-01 12:00:00",
        "none needed",
        "6000 left",
    ):
        assert words in flea
    assert "ImportError: no moon &lt;b&gt;" in odd
    assert "secret-of-it" not in page


def test_where_nothing_is_asked_the_page_says_so_and_offers_to_connect(staff: Client) -> None:
    page = staff.get(reverse(OVERVIEW)).content.decode()

    assert "this installation does not ask real ones" in section(page, "bazaar")
    assert add_url() in section(page, "bazaar")


def test_without_redis_the_page_still_shows_the_plugins(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr(room, "redis_client", lambda: nowhere)

    page = staff.get(reverse(OVERVIEW)).content.decode()

    assert "Redis does not answer" in section(page, "bazaar")
    answer = staff.post(reverse("admin:marketplaces_reset", args=["bazaar"]), follow=True)
    assert "Nothing was changed" in answer.content.decode()


def test_a_breaker_is_reset_by_post_only(staff: Client, redis: redis_library.Redis) -> None:
    redis.hset(breaker.breaker_key("bazaar"), mapping={"state": "open", "until": 2**42, "reason": "blocked"})
    url = reverse("admin:marketplaces_reset", args=["bazaar"])
    assert staff.get(url).status_code == 405
    assert redis.exists(breaker.breaker_key("bazaar"))

    assert "is asked again" in staff.post(url, follow=True).content.decode()
    assert "was not stopped" in staff.post(url, follow=True).content.decode()

    assert not redis.exists(breaker.breaker_key("bazaar"))
    assert staff.post(reverse("admin:marketplaces_reset", args=["nowhere"])).status_code == 404


def test_the_page_is_linked_from_the_index_and_the_accounts(staff: Client, helper: Callable[..., Client]) -> None:
    for page in (reverse("admin:index"), reverse("admin:marketplaces_marketplaceaccount_changelist")):
        assert reverse(OVERVIEW) in staff.get(page).content.decode()
    assert reverse(OVERVIEW) not in helper().get(reverse("admin:index")).content.decode()


def test_the_page_keeps_the_policy_for_scripts(staff: Client) -> None:
    text = staff.get(reverse(OVERVIEW)).content.decode()
    assert " style=" not in text
    assert "<script>" not in text


def section(page: str, name: str) -> str:
    found = re.search(rf'id="marketplace-{name}"(.*?)</div>', page, re.DOTALL)
    assert found, f"no section for {name}"
    return found[1]


def test_without_a_key_no_account_can_be_connected_and_the_page_says_so(staff: Client, settings: Any) -> None:
    settings.SECRETS_KEYS = []
    page = staff.post(add_url(), typed(), follow=True, headers={"accept-language": "en"})
    assert "Without SECRETS_KEYS no secret can be kept" in page.content.decode()
    assert not MarketplaceAccount.objects.exists()
