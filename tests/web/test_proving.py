"""Whoever has left the screen alone proves again who they are before money or secrets move."""

import time
from datetime import datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone
from redis import Redis

from monitor_site.accounts.factors import forget_factors, has_second_factor
from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token
from monitor_site.alerts.models import Feed
from monitor_site.purchasing import switching
from monitor_site.purchasing.models import Budget

from ..purchasing.rows import budget_of, watch_of
from .factor_rows import app_of, code_of

pytestmark = pytest.mark.usefixtures("redis")

PASSWORD = {"password": "alices-password"}
PAGE = "http://testserver/budgets/"


def grow_old(client: Client) -> None:
    """The sign-in lies longer back than it is trusted."""
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] = time.time() - settings.PROOF_MINUTES * 60 - 1
    session.save()


@pytest.fixture
def left_alone(client: Client, alice: User) -> Client:
    """Alice's screen, long after she signed in."""
    client.force_login(alice)
    grow_old(client)
    return client


def bare(user: User) -> User:
    user.set_unusable_password()
    user.save()
    return user


class TestTheWay:
    def test_an_action_leads_over_the_question_back_to_its_page_and_nothing_is_done(
        self, left_alone: Client, alice: User, now: datetime
    ) -> None:
        switching.stop(user=alice, reason="", now=now)
        asked = left_alone.post("/budgets/resume/", headers={"referer": PAGE})
        assert asked["Location"] == "/accounts/prove/?next=%2Faccounts%2Fprove%2Fdone%2F%3Fnext%3D%252Fbudgets%252F"
        form = left_alone.get(asked["Location"], follow=True)
        assert form.redirect_chain[-1][0].startswith("/accounts/prove/password/?next=")
        back = left_alone.post(form.redirect_chain[-1][0], PASSWORD, follow=True, headers={"accept-language": "en"})
        assert back.redirect_chain[-1][0] == "/budgets/"
        assert "Nothing has been done yet: press again." in back.content.decode()
        assert switching.is_stopped(user_id=alice.pk, now=now)
        left_alone.post("/budgets/resume/", headers={"referer": PAGE})
        assert not switching.is_stopped(user_id=alice.pk, now=now)

    def test_a_wrong_password_proves_nothing(self, left_alone: Client) -> None:
        answer = left_alone.post("/accounts/prove/password/?next=/budgets/", {"password": "wrong"})
        assert answer.status_code == 200
        assert left_alone.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")

    def test_it_cannot_be_tried_for_ever(self, left_alone: Client, redis: Redis) -> None:
        tries = [left_alone.post("/accounts/prove/password/", {"password": f"wrong-{n}"}) for n in range(12)]
        assert tries[-1].status_code == 429

    def test_pressing_stop_is_never_asked_about(self, left_alone: Client, alice: User, now: datetime) -> None:
        left_alone.post("/budgets/stop/")
        assert switching.is_stopped(user_id=alice.pk, now=now)

    def test_a_script_is_led_there_as_well(self, left_alone: Client) -> None:
        answer = left_alone.post("/budgets/resume/", headers={"hx-request": "true", "referer": PAGE})
        assert (answer.status_code, answer["HX-Redirect"][:16]) == (204, "/accounts/prove/")

    @pytest.mark.parametrize("target", ["//elsewhere.example", "https://elsewhere.example/", "/\\elsewhere.example"])
    def test_it_leads_nobody_elsewhere(self, client: Client, alice: User, target: str) -> None:
        client.force_login(alice)
        for way in ("/accounts/prove/", "/accounts/prove/done/"):
            assert client.get(way, {"next": target})["Location"] == "/matches/"
        grow_old(client)
        answer = client.post("/accounts/prove/password/", PASSWORD | {"next": target})
        assert "elsewhere" not in answer["Location"]

    def test_the_proof_lasts_its_minutes_and_no_longer(self, client: Client, alice: User, now: datetime) -> None:
        with time_machine.travel(now, tick=False) as clock:
            client.force_login(alice)
            clock.shift(timedelta(minutes=settings.PROOF_MINUTES, seconds=-1))
            assert client.post("/budgets/resume/")["Location"] == "/budgets/"
            clock.shift(timedelta(seconds=2))
            assert client.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")

    def test_a_proof_is_the_persons_and_not_the_browsers(self, client: Client, alice: User, bob: User) -> None:
        client.force_login(bob)
        records = client.session["account_authentication_methods"]
        client.force_login(alice)
        session = client.session
        session["account_authentication_methods_user"] = str(bob.pk)
        session["account_authentication_methods"] = records
        session.save()
        assert client.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")


class TestWhatAsks:
    def test_raising_a_limit_asks_and_keeps_what_was_typed_while_lowering_does_not(
        self, left_alone: Client, alice: User, now: datetime
    ) -> None:
        budget = budget_of(alice, now=now, name="cameras", per_day=5000)
        way = f"/budgets/{budget.pk}/"
        left_alone.post(way, {"name": "cameras", "per_day": "4000"})
        assert Budget.objects.get().per_day == 4000
        asked = left_alone.post(way, {"name": "more cameras", "per_day": "9000"}, headers={"referer": PAGE[:-9] + way})
        assert asked["Location"].startswith("/accounts/prove/")
        left_alone.post("/accounts/prove/password/", PASSWORD)
        shown = left_alone.get(way).content.decode()
        assert 'value="9000"' in shown
        assert 'value="more cameras"' in shown
        assert Budget.objects.get().per_day == 4000
        assert "9000" not in left_alone.get(way).content.decode()

    @pytest.mark.parametrize("typed", [{"per_day": ""}, {"per_day": "0"}, {"per_day": "5000", "total": ""}])
    def test_taking_a_limit_away_is_raising_it(
        self, left_alone: Client, alice: User, now: datetime, typed: dict[str, str]
    ) -> None:
        budget = budget_of(alice, now=now, name="cameras", per_day=5000, total=90000)
        answer = left_alone.post(f"/budgets/{budget.pk}/", {"name": "cameras", "total": "90000"} | typed)
        assert answer["Location"].startswith("/accounts/prove/")

    def test_taking_a_watch_out_of_a_budget_asks_and_so_does_removing_one(
        self, left_alone: Client, alice: User, now: datetime
    ) -> None:
        watch = watch_of(alice, now=now)
        budget = budget_of(alice, now=now, name="cameras", per_day=5000, watches=[watch])
        typed = {"name": "cameras", "per_day": "5000"}
        assert left_alone.post(f"/budgets/{budget.pk}/", typed)["Location"].startswith("/accounts/prove/")
        assert left_alone.post(f"/budgets/{budget.pk}/", typed | {"watches": [watch.pk]})["Location"] == "/budgets/"
        assert left_alone.post(f"/budgets/{budget.pk}/remove/")["Location"].startswith("/accounts/prove/")

    @pytest.mark.parametrize("way", ["/budgets/new/", "/budgets/all/"])
    def test_a_new_budget_asks(self, left_alone: Client, way: str) -> None:
        answer = left_alone.post(way, {"name": "cameras", "per_day": "5000"})
        assert answer["Location"].startswith("/accounts/prove/")
        assert not Budget.objects.exists()

    def test_an_address_of_a_feed_is_shown_to_nobody_who_does_not_prove_it(self, left_alone: Client) -> None:
        answer = left_alone.post("/settings/feeds/", {"lists": "all", "name": "mine"})
        assert answer["Location"].startswith("/accounts/prove/")
        assert not Feed.objects.exists()

    @pytest.mark.parametrize("way", ["app/", "passkeys/new/", "codes/new/", "sessions/end/"])
    def test_the_security_page_asks(self, left_alone: Client, way: str) -> None:
        answer = left_alone.post(f"/settings/security/{way}")
        assert answer["Location"].startswith("/accounts/prove/")

    def test_another_password_asks(self, left_alone: Client) -> None:
        assert left_alone.get("/accounts/password/change/")["Location"].startswith("/accounts/prove/")


class TestWithoutAPassword:
    def test_in_practice_a_press_is_enough_and_the_page_says_why(self, client: Client, alice: User) -> None:
        client.get(f"/start/{make_token(bare(alice))}/")
        assert client.post("/budgets/resume/")["Location"] == "/budgets/"
        grow_old(client)
        page = client.get(client.post("/budgets/resume/")["Location"], headers={"accept-language": "en"})
        assert "here a press is enough. In a live one it is not." in page.content.decode()
        assert client.post("/accounts/prove/", {"next": "/budgets/"})["Location"] == "/budgets/"
        assert client.post("/budgets/resume/")["Location"] == "/budgets/"

    @pytest.mark.parametrize("kind", [{"LIVE": True}, {"PRODUCTION": True}])
    def test_where_it_is_real_only_a_new_sign_in_address_does(
        self, client: Client, alice: User, kind: dict[str, bool]
    ) -> None:
        client.get(f"/start/{make_token(bare(alice))}/")
        grow_old(client)
        with override_settings(**kind):
            page = client.post("/accounts/prove/", {"next": "/budgets/"}, headers={"accept-language": "en"})
            assert "manage.py signin_link USERNAME" in page.content.decode()
            assert client.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")
            alice.refresh_from_db()
            client.get(f"/start/{make_token(alice)}/")
            assert client.post("/budgets/resume/")["Location"] == "/budgets/"

    def test_a_press_of_practice_counts_nothing_where_it_is_real(self, client: Client, alice: User) -> None:
        client.get(f"/start/{make_token(bare(alice))}/")
        grow_old(client)
        client.post("/accounts/prove/")
        with override_settings(LIVE=True):
            assert client.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")

    def test_whoever_has_a_password_cannot_just_press(self, left_alone: Client) -> None:
        left_alone.post("/accounts/prove/")
        assert left_alone.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")


class TestWithASecondFactor:
    def test_the_password_alone_does_not_do(self, client: Client, alice: User) -> None:
        app_of(alice)
        client.force_login(alice)
        grow_old(client)
        way = client.get(client.post("/budgets/resume/")["Location"])["Location"]
        assert way.startswith("/accounts/prove/code/")
        assert client.post("/accounts/prove/password/", PASSWORD)["Location"].startswith("/accounts/prove/code/")
        assert client.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")

    def test_a_code_of_the_app_does_and_only_once(self, client: Client, alice: User, redis: Redis) -> None:
        secret = app_of(alice)
        client.force_login(alice)
        grow_old(client)
        code = {"code": code_of(secret)}
        assert client.post("/accounts/prove/code/?next=/budgets/", code)["Location"] == "/budgets/"
        assert client.post("/budgets/resume/")["Location"] == "/budgets/"
        grow_old(client)
        assert client.post("/accounts/prove/code/?next=/budgets/", code).status_code == 200
        assert client.post("/budgets/resume/")["Location"].startswith("/accounts/prove/")

    def test_its_loss_is_the_operators_to_mend(self, alice: User) -> None:
        app_of(alice)
        assert has_second_factor(alice)
        assert forget_factors(user=alice, now=timezone.now()) == 1
        assert not has_second_factor(alice)


def test_a_stranger_has_no_factor_and_proves_nothing(client: Client, db: None) -> None:
    assert client.get("/accounts/prove/")["Location"].startswith("/accounts/login/")
