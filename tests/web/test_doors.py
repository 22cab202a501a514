from datetime import datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token, user_of

OPEN = {"healthz", "favicon", "readyz", "sign-in-once", "account_login", "account_logout", "account_reset_password",
        "set-language-pref", "set-theme"}  # fmt: skip
SAMPLES = {"pk": "1", "public_id": "x", "signed": "x", "size": "160", "token": "x"}


def own_addresses() -> list[tuple[str, str]]:
    found = []

    def walk(patterns: list[URLPattern | URLResolver], head: str) -> None:
        for pattern in patterns:
            route = head + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                if not route.startswith("admin/"):
                    walk(pattern.url_patterns, route)
            elif pattern.name:
                found.append((pattern.name, "/" + filled(route)))

    walk(get_resolver().url_patterns, "")
    return found


def filled(route: str) -> str:
    for name, value in SAMPLES.items():
        route = route.replace(f"<str:{name}>", value).replace(f"<int:{name}>", value)
    return route


@pytest.mark.parametrize(("name", "address"), [pair for pair in own_addresses() if pair[0] not in OPEN])
def test_every_page_asks_for_a_sign_in(client: Client, db: None, name: str, address: str) -> None:
    for answer in (client.get(address), client.post(address)):
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/login/")


def test_the_admin_asks_for_a_sign_in_through_the_same_door(client: Client, alice: User) -> None:
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")
    client.force_login(alice)
    assert client.get("/admin/", follow=True).status_code == 403


def test_a_person_signs_in_with_name_and_password_and_out_again(client: Client, alice: User) -> None:
    answer = client.post("/accounts/login/", {"login": "alice", "password": "alices-password"})
    assert answer["Location"] == "/matches/"
    assert client.get("/matches/").status_code == 200
    client.post("/accounts/logout/")
    assert client.get("/matches/").status_code == 302


def test_a_wrong_password_is_told_in_the_form(client: Client, alice: User) -> None:
    answer = client.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    assert answer.status_code == 200
    assert 'class="errors"' in answer.content.decode()


@pytest.mark.parametrize("address", ["/accounts/signup/", "/accounts/email/", "/accounts/social/"])
def test_there_is_no_way_to_sign_up(client: Client, db: None, address: str) -> None:
    assert client.get(address).status_code == 404


def test_a_forgotten_password_names_the_commands_that_help(client: Client, db: None) -> None:
    assert "signin_link USERNAME" in client.get("/accounts/password/reset/").content.decode()


def test_a_password_can_be_changed(client: Client, alice: User) -> None:
    client.force_login(alice)
    new = {"oldpassword": "alices-password", "password1": "another-long-one", "password2": "another-long-one"}
    assert client.post("/accounts/password/change/", new | {"password2": "x"}).status_code == 200
    client.post("/accounts/password/change/", new)
    alice.refresh_from_db()
    assert alice.check_password("another-long-one")


class TestOneTimeAddress:
    def test_it_signs_in_once(self, alice: User) -> None:
        address = f"/start/{make_token(alice)}/"
        first, second = Client(), Client()
        assert first.get(address)["Location"] == "/matches/"
        assert first.get("/matches/").status_code == 200
        answer = second.get(address, headers={"accept-language": "en"})
        assert answer.status_code == 410
        assert "manage.py signin_link USERNAME" in answer.content.decode()
        assert second.get("/matches/").status_code == 302

    def test_opened_again_by_whom_it_signed_in_it_just_goes_on(self, client: Client, alice: User) -> None:
        address = f"/start/{make_token(alice)}/"
        client.get(address)
        assert client.get(address)["Location"] == "/matches/"

    def test_any_later_sign_in_ends_it(self, client: Client, alice: User) -> None:
        token = make_token(alice)
        client.post("/accounts/login/", {"login": "alice", "password": "alices-password"})
        assert user_of(token) is None

    def test_a_new_password_ends_it(self, alice: User) -> None:
        token = make_token(alice)
        alice.set_password("another-long-one")
        alice.save()
        assert user_of(token) is None

    def test_it_lives_a_day(self, alice: User, now: datetime) -> None:
        with time_machine.travel(now, tick=False) as clock:
            token = make_token(alice)
            clock.shift(timedelta(hours=23, minutes=59))
            assert user_of(token) == alice
            clock.shift(timedelta(minutes=2))
            assert user_of(token) is None

    def test_a_forged_one_or_one_of_somebody_switched_off_is_nobody(self, alice: User) -> None:
        token = make_token(alice)
        assert user_of(token[:-1] + ("a" if token[-1] != "a" else "b")) is None
        alice.is_active = False
        alice.save()
        assert user_of(token) is None

    def test_the_command_prints_an_address_that_works(
        self, client: Client, alice: User, capsys: pytest.CaptureFixture[str]
    ) -> None:
        call_command("signin_link", "alice", base="http://testserver")
        address = capsys.readouterr().out.strip()
        assert client.get(address)["Location"] == "/matches/"

    def test_the_command_knows_only_people_who_exist(self, db: None) -> None:
        with pytest.raises(CommandError, match="no active user"):
            call_command("signin_link", "nobody")


class TestHealth:
    def test_the_process_says_it_lives(self, client: Client) -> None:
        assert client.get("/healthz").content == b"ok"

    def test_it_is_ready_with_database_and_redis(self, client: Client, db: None, redis: object) -> None:
        assert client.get("/readyz").json() == {"database": True, "redis": True}

    def test_without_redis_it_is_not_ready(
        self, client: Client, db: None, monkeypatch: pytest.MonkeyPatch, unused_redis: str
    ) -> None:
        from monitor_site import connections

        monkeypatch.setattr(settings, "REDIS_URL", unused_redis)
        connections.redis_client.cache_clear()
        answer = client.get("/readyz")
        connections.redis_client.cache_clear()
        assert answer.status_code == 503
        assert answer.json() == {"database": True, "redis": False}


@pytest.fixture
def unused_redis() -> str:
    from tests.servers import free_port

    return f"redis://127.0.0.1:{free_port()}/0"
