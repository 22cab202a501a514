"""A person's accounts at marketplaces: connected, tested in a worker, limited, paused, removed; never shown again."""

import io
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils import timezone
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.contract import AccountInfo, Plugin, SignInNeeded, option
from monitor_site.marketplaces import pace, services, vault
from monitor_site.marketplaces.accounts import opened
from monitor_site.marketplaces.models import BY_HAND, MarketplaceAccount
from monitor_site.purchasing import rules
from monitor_site.purchasing.models import Budget, BudgetKind, BuyRule, Order, Way
from tests import curio as curios
from tests import practice

from ..marketplaces.keys import CANARY, Keys, account
from ..marketplaces.shop import Shop, plain_buy, shop
from ..purchasing.rows import order_of
from .rows import watch_of
from .test_proving import PASSWORD, grow_old

TYPED = {"label": "ours", "option_partner": "partner-4711", "option_token": CANARY, "option_second": "",
         "option_area": "west"}  # fmt: skip


class Desk(BaseHTTPRequestHandler):
    """Says whose account it is, if the token is right; who asks with a wrong one hears it back, as some servers do."""

    def do_GET(self) -> None:
        given = self.headers.get("X-Token", "")
        good = given == self.server.right  # type: ignore[attr-defined]
        body = b"partner-4711" if good else f"no such token: {given}".encode()
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def desk() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Desk)
    server.right = CANARY  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with override_settings(PRACTICE_MARKETS={"bazaar": f"http://127.0.0.1:{server.server_port}"}):
        yield server
    server.shutdown()
    server.server_close()


class Asks(Shop):
    """Verifies at the desk."""

    async def verify(self) -> AccountInfo:
        token = self.session.settings.token  # type: ignore[union-attr]
        answer = await self.session.get(f"{self.session.base}/me", headers={"X-Token": token})
        if answer.status != 200:
            raise SignInNeeded(answer.body.decode())
        return AccountInfo(label=answer.body.decode())


def bazaar() -> Plugin:
    return replace(shop(), connect=lambda session: Asks(session, plain_buy))


@pytest.fixture(autouse=True)
def _bazaar(redis: Redis) -> Iterator[None]:
    with curios.known(bazaar()):
        yield


@pytest.fixture
def hers(page: Client) -> Client:
    return page


@pytest.fixture
def mine(alice: User, now: datetime) -> MarketplaceAccount:
    return account(now, user=alice)


def way(row: MarketplaceAccount, act: str = "") -> str:
    return f"/market-accounts/{row.pk}/{act}"


def text_of(client: Client, address: str = "/market-accounts/") -> str:
    return " ".join(client.get(address).content.decode().split())


class TestConnecting:
    def test_the_form_is_the_plugins_and_what_is_typed_is_never_shown_again(self, hers: Client, alice: User) -> None:
        form = hers.get("/market-accounts/new/bazaar/").content.decode()
        assert "As on your contract." in form
        answer = hers.post("/market-accounts/new/bazaar/", TYPED, follow=True)
        row = MarketplaceAccount.objects.get(user=alice)
        assert opened(row, Keys).settings == Keys(partner="partner-4711", token=CANARY, area="west")
        pages = [
            text_of(hers, page) for page in ("/market-accounts/", way(row), way(row, "edit/"), way(row, "secrets/"))
        ]
        for page in (*pages, answer.content.decode()):
            assert CANARY not in page
            assert row.sealed not in page
        assert "pa…11" in pages[0]

    def test_a_mistyped_form_loses_the_secret_and_says_what_is_wrong(self, hers: Client) -> None:
        answer = hers.post("/market-accounts/new/bazaar/", TYPED | {"option_partner": ""})
        assert answer.status_code == 422
        assert CANARY not in answer.content.decode()
        assert not MarketplaceAccount.objects.exists()

    def test_a_second_submit_of_the_same_page_connects_nothing_more(self, hers: Client) -> None:
        for _ in range(2):
            hers.post("/market-accounts/new/bazaar/", TYPED | {"form_key": "k"})
        assert MarketplaceAccount.objects.count() == 1

    @pytest.mark.parametrize("name", ["nowhere", "bazaar", "%00", "yahoo_auctions"])
    def test_where_people_connect_none_there_is_no_form(self, hers: Client, name: str) -> None:
        with curios.known(replace(shop(), manifest=replace(shop().manifest, settings=None))):
            assert hers.get(f"/market-accounts/new/{name}/").status_code == 404

    def test_a_crowd_of_them_is_not_kept(self, hers: Client, alice: User, now: datetime) -> None:
        for _ in range(20):
            account(now, user=alice)
        answer = hers.post("/market-accounts/new/bazaar/", TYPED)
        assert "and more are not kept" in answer.content.decode()
        assert MarketplaceAccount.objects.count() == 20

    def test_without_keys_nothing_is_kept(self, hers: Client) -> None:
        with override_settings(SECRETS_KEYS=[]):
            answer = hers.post("/market-accounts/new/bazaar/", TYPED)
        assert "must set SECRETS_KEYS" in answer.content.decode()
        assert not MarketplaceAccount.objects.exists()

    @pytest.mark.parametrize("act", ["edit/", "secrets/", "remove/", "resume/"])
    def test_an_old_sign_in_is_asked_first(self, hers: Client, mine: MarketplaceAccount, act: str) -> None:
        grow_old(hers)
        for answer in (hers.post(way(mine, act), {"sure": "yes"}), hers.get("/market-accounts/new/bazaar/")):
            assert answer["Location"].startswith("/accounts/prove/")
        assert hers.get(way(mine)).status_code == 200
        assert MarketplaceAccount.objects.filter(pk=mine.pk).exists()

    def test_a_secret_typed_too_late_is_not_kept_in_the_session(self, hers: Client) -> None:
        grow_old(hers)
        hers.post("/market-accounts/new/bazaar/", TYPED)
        assert CANARY not in str(dict(hers.session))


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewing(Keys):
    """Keeps a token of its own beside what people type."""

    access: str = option(label="Access token of its own", secret=True, default="", shown=False)


def test_what_a_plugin_keeps_for_itself_is_no_field_and_what_is_left_empty_is_the_plugins_usual(hers: Client) -> None:
    with curios.known(replace(bazaar(), manifest=replace(bazaar().manifest, settings=Renewing))):
        assert "Access token of its own" not in hers.get("/market-accounts/new/bazaar/").content.decode()
        hers.post("/market-accounts/new/bazaar/", TYPED | {"option_area": "", "option_access": "typed"})
    row = MarketplaceAccount.objects.get()
    assert row.values == {"partner": "partner-4711"}
    assert opened(row, Renewing).settings == Renewing(partner="partner-4711", token=CANARY)


class TestTheWebReadsNoSecret:
    def test_every_page_and_every_button_works_where_nothing_can_be_opened(
        self, hers: Client, mine: MarketplaceAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def never(*_: Any, **__: Any) -> Any:
            raise AssertionError("a page opened a secret")

        monkeypatch.setattr(vault, "unseal", never)
        pages = ["/market-accounts/", "/market-accounts/new/bazaar/", way(mine)]
        for page in (*pages, *(way(mine, act) for act in ("edit/", "secrets/", "caps/", "remove/"))):
            assert hers.get(page).status_code == 200, page
        acts = {"edit/": TYPED, "secrets/": TYPED, "caps/": {"per_day": "1"}, "test/": {}, "pause/": {}, "resume/": {}}
        for act, typed in acts.items():
            assert hers.post(way(mine, act), typed).status_code == 302, act
        assert hers.post("/market-accounts/new/bazaar/", TYPED).status_code == 302
        assert hers.post(way(mine, "remove/"), {"sure": "yes"}).status_code == 302


@pytest.mark.django_db(transaction=True)
class TestATest:
    def test_a_worker_asks_and_the_card_says_ready(self, hers: Client, alice: User, desk: Any, now: datetime) -> None:
        mine = account(now, user=alice)
        assert "Whether its credentials work, a test tells." in text_of(hers)
        hers.post(way(mine, "test/"))
        assert "Being tested" in text_of(hers, way(mine))
        practice.work()
        shown = text_of(hers, way(mine))
        assert "Ready" in shown
        assert 'hx-trigger="load' not in shown.split('id="account-')[1].split("</section>")[0]
        mine.refresh_from_db()
        assert (mine.known_as, mine.test_error) == ("partner-4711", "")
        assert mine.worked_at is not None
        assert pace.asked(Redis.from_url(practice_redis()), marketplace="bazaar", account=mine.pk, now=real()) == (1, 1)

    def test_wrong_credentials_pause_it_and_right_ones_end_the_pause(
        self, hers: Client, alice: User, desk: Any, now: datetime
    ) -> None:
        mine = account(now, user=alice, secrets={"token": "wrong-one"})
        hers.post(way(mine, "test/"))
        practice.work()
        shown = text_of(hers)
        assert "Sign-in needed" in shown
        assert "wrong-one" not in shown
        hers.post(way(mine, "secrets/"), {"option_token": CANARY})
        hers.post(way(mine, "test/"))
        practice.work()
        assert "Ready" in text_of(hers)
        mine.refresh_from_db()
        assert mine.paused_until is None

    def test_a_test_says_nothing_of_secrets_that_came_after_it(self, hers: Client, alice: User, now: datetime) -> None:
        mine = account(now, user=alice)
        services.ask_for_test(account=mine, now=now)
        mine.refresh_from_db()
        services.replace_secrets(account=MarketplaceAccount.objects.get(), secrets={"token": "newer"}, now=now)
        services.note_test(account=mine, error="", known_as="somebody", now=now)
        mine.refresh_from_db()
        assert (mine.worked_at, mine.known_as) == (None, "")

    def test_it_is_not_asked_for_in_a_burst(self, hers: Client, alice: User, now: datetime) -> None:
        mine = account(now, user=alice)
        with time_machine.travel(timezone.now(), tick=False):
            for _ in range(5):
                answer = hers.post(way(mine, "test/"), follow=True)
        assert "It was tested a moment ago." in answer.content.decode()
        assert services.ask_for_test(account=mine, now=timezone.now() + timedelta(seconds=11))

    def test_where_no_worker_runs_the_card_says_so(self, hers: Client, alice: User, now: datetime) -> None:
        mine = account(now, user=alice)
        services.ask_for_test(account=mine, now=timezone.now() - timedelta(minutes=1))
        assert "No worker answered. Is one running?" in text_of(hers)

    def test_the_secret_is_in_no_log_no_redis_no_page_and_no_dump(
        self, hers: Client, alice: User, desk: Any, redis: Redis, caplog: pytest.LogCaptureFixture,
        capfd: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        wrong = f"{CANARY}-wrong"
        with caplog.at_level(logging.DEBUG):
            hers.post("/market-accounts/new/bazaar/", TYPED)
            mine = MarketplaceAccount.objects.get()
            hers.post(way(mine, "test/"))
            practice.work()
            hers.post(way(mine, "secrets/"), {"option_token": wrong})
            hers.post(way(mine, "test/"))
            practice.work()
            pages = [text_of(hers, page) for page in ("/market-accounts/", way(mine), way(mine, "secrets/"))]
        mine.refresh_from_db()
        assert mine.test_error == "sign_in_needed"
        told = capfd.readouterr()
        kept = [repr(redis.dump(name)) for name in redis.scan_iter()] + [
            values_of(redis, name) for name in redis.scan_iter()
        ]
        call_command("dumpdata", exclude=["django_rq"], stdout=(dump := io.StringIO()))
        for place in (caplog.text, told.out, told.err, dump.getvalue(), *kept, *pages):
            assert CANARY not in place


def practice_redis() -> str:
    from django.conf import settings

    return str(settings.REDIS_URL)


def real() -> float:
    return timezone.now().timestamp()


def values_of(redis: Redis, name: bytes) -> str:
    kind = redis.type(name).decode()
    read = {"string": redis.get, "hash": redis.hgetall, "set": redis.smembers}
    read |= {"list": lambda key: redis.lrange(key, 0, -1), "zset": lambda key: redis.zrange(key, 0, -1)}
    read["stream"] = redis.xrange
    return repr(read[kind](name))


class TestPausing:
    def test_a_pause_by_hand_stops_orders_and_not_the_question_what_became_of_them(
        self, hers: Client, mine: MarketplaceAccount, now: datetime
    ) -> None:
        hers.post(way(mine, "pause/"))
        mine.refresh_from_db()
        assert mine.pause_reason == BY_HAND
        found = opened(mine, Keys)
        found.refuse_reading(now)
        assert "You paused it" in text_of(hers)
        hers.post(way(mine, "resume/"))
        mine.refresh_from_db()
        assert mine.paused_until is None

    def test_while_an_outcome_is_unknown_nobody_resumes_it(
        self, hers: Client, alice: User, mine: MarketplaceAccount, now: datetime
    ) -> None:
        order_of(alice, now=now, account=mine, state="unknown", way=Way.PARTNER_API)
        services.pause_account(account_id=mine.pk, until=now + timedelta(days=9999), reason="outcome_unknown", now=now)
        answer = hers.post(way(mine, "resume/"), follow=True)
        assert "What became of an order is not known yet." in answer.content.decode()
        mine.refresh_from_db()
        assert mine.pause_reason == "outcome_unknown"

    @pytest.mark.parametrize(
        ("reason", "word"),
        [
            ("sign_in_needed", "Sign-in needed"),
            ("auth_expired", "Sign-in needed"),
            ("challenge_required", "Challenge"),
            ("account_restricted", "Suspended"),
            ("throttled", "Cooling down"),
            ("something_new", "Cooling down"),
        ],
    )
    def test_the_card_says_why_and_until_when(
        self, hers: Client, mine: MarketplaceAccount, reason: str, word: str
    ) -> None:
        services.pause_account(
            account_id=mine.pk, until=timezone.now() + timedelta(hours=1), reason=reason, now=timezone.now()
        )
        assert word in text_of(hers)
        assert "Until " in text_of(hers)


class TestLimits:
    def test_limits_of_the_account_hold_and_raising_them_asks(
        self, hers: Client, alice: User, mine: MarketplaceAccount
    ) -> None:
        hers.post(way(mine, "caps/"), {"per_day": "5000"})
        budget = Budget.objects.get(account=mine)
        assert (budget.kind, budget.per_day, budget.user) == (BudgetKind.ACCOUNT, 5000, alice)
        assert "5,000" in text_of(hers)
        grow_old(hers)
        assert hers.post(way(mine, "caps/"), {"per_day": "4000"})["Location"] == way(mine)
        assert hers.post(way(mine, "caps/"), {"per_day": "9000"})["Location"].startswith("/accounts/prove/")
        hers.post("/accounts/prove/password/", PASSWORD)
        assert 'value="9000"' in text_of(hers, way(mine, "caps/"))
        assert Budget.objects.get().per_day == 4000

    def test_bad_figures_are_said(self, hers: Client, mine: MarketplaceAccount) -> None:
        assert hers.post(way(mine, "caps/"), {"per_day": "-4"}).status_code == 422
        assert not Budget.objects.exists()

    def test_who_allowed_real_money_and_when_is_told(self, hers: Client, mine: MarketplaceAccount, bob: User) -> None:
        assert "Spends no real money" in text_of(hers)
        services.let_spend(account=mine, by=bob, reason="asked in person", now=timezone.now())
        shown = text_of(hers)
        assert "Allowed by bob: asked in person" in shown


class TestRemoving:
    def test_what_depends_on_it_is_listed_first_and_the_rule_asks_again(
        self, hers: Client, alice: User, mine: MarketplaceAccount, now: datetime
    ) -> None:
        watch = watch_of(alice, now=now, name="cameras")
        rule = rules.set_rule(
            watch=watch, wish=rules.BuyWish(price_max=1, shipping_estimate=None, approval_minutes=5), now=now
        )
        BuyRule.objects.filter(pk=rule.pk).update(account=mine, way=Way.PARTNER_API, policy="buy")
        assert "cameras" in text_of(hers, way(mine, "remove/"))
        assert MarketplaceAccount.objects.filter(pk=mine.pk).exists()
        hers.post(way(mine, "remove/"), {"sure": "yes"})
        rule.refresh_from_db()
        assert (rule.account, rule.way, rule.policy) == (None, Way.ASSISTED, "ask")
        assert not MarketplaceAccount.objects.filter(pk=mine.pk).exists()

    @pytest.mark.parametrize("state", ["awaiting_approval", "ready", "submitting", "unknown", "needs_human"])
    def test_not_while_an_order_is_under_way(
        self, hers: Client, alice: User, mine: MarketplaceAccount, now: datetime, state: str
    ) -> None:
        order_of(alice, now=now, account=mine, state=state, way=Way.PARTNER_API)
        answer = hers.post(way(mine, "remove/"), {"sure": "yes"}, follow=True)
        assert "so it stays" in answer.content.decode()
        assert MarketplaceAccount.objects.get(pk=mine.pk).sealed

    def test_of_one_that_bought_something_an_empty_row_stays_for_the_order(
        self, hers: Client, alice: User, mine: MarketplaceAccount, now: datetime
    ) -> None:
        order = order_of(alice, now=now, account=mine, state="received", way=Way.PARTNER_API)
        services.let_spend(account=mine, by=alice, reason="mine", now=now)
        hers.post(way(mine, "remove/"), {"sure": "yes"})
        mine.refresh_from_db()
        assert (mine.sealed, mine.values, mine.spends_since) == ("", {}, None)
        assert Order.objects.get().account_id == mine.pk == order.account_id
        assert hers.get(way(mine)).status_code == 404
        assert "No account yet" in text_of(hers)


def test_a_stranger_neither_sees_nor_touches_it(client: Client, bob: User, mine: MarketplaceAccount) -> None:
    client.force_login(bob)
    for act in ("", "edit/", "secrets/", "caps/", "remove/"):
        assert client.get(way(mine, act)).status_code == 404
    for act in ("edit/", "secrets/", "caps/", "remove/", "test/", "pause/", "resume/"):
        assert client.post(way(mine, act), TYPED | {"sure": "yes"}).status_code == 404
    assert "No account yet" in client.get("/market-accounts/", headers={"accept-language": "en"}).content.decode()


def test_nobody_who_is_not_signed_in_gets_there(client: Client, mine: MarketplaceAccount) -> None:
    for page in ("/market-accounts/", way(mine), way(mine, "secrets/"), "/market-accounts/new/bazaar/"):
        assert client.get(page)["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("language", ["en", "ja", "zh-hans"])
def test_the_page_speaks_every_language_and_tells_what_each_marketplace_can(
    hers: Client, alice: User, mine: MarketplaceAccount, language: str
) -> None:
    alice.language = language
    alice.save()
    shown = text_of(hers)
    assert ("バザール" if language == "ja" else "Bazaar") in shown
    assert shown.count("<dt>") > 10


def test_without_redis_the_page_says_that_the_requests_are_not_known(
    hers: Client, mine: MarketplaceAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis as library

    from monitor_site.web import account_lines

    def away() -> Any:
        raise library.ConnectionError

    monkeypatch.setattr(account_lines, "redis_client", away)
    assert "not known" in text_of(hers)
