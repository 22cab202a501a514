import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver
from PIL import Image
from redis import Redis

from monitor_site.accounts import signin
from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token, user_of

pytestmark = pytest.mark.usefixtures("redis")  # empty: it counts failed sign-ins

OPEN = {
    "healthz", "readyz", "metrics", "manifest", "favicon", "events", "sign-in-once", "account_login", "account_logout",
    "account_inactive", "account_reset_password", "set-language-pref", "set-theme", "feed", "thumb", "push-worker",
    "mfa_authenticate",
}  # fmt: skip
FULL = {
    "SECRET_KEY": "x",
    "ALLOWED_HOSTS": "a.example",
    "DATABASE_URL": "sqlite://",
    "SITE_URL": "https://a.example",
}
SAMPLES = {
    "pk": "1",
    "public_id": "x",
    "row": "a1",
    "signed": "x",
    "size": "160",
    "token": "x",
    "secret": "x",
    "form": "rss",
    "marketplace": "bazaar",
}


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


def test_a_person_without_a_password_sets_one(client: Client, alice: User) -> None:
    alice.set_unusable_password()
    alice.save()
    client.get(f"/start/{make_token(alice)}/")
    page = client.get("/accounts/password/change/", follow=True)
    assert page.redirect_chain[-1][0] == "/accounts/password/set/"
    assert page.status_code == 200
    client.post("/accounts/password/set/", {"password1": "another-long-one", "password2": "another-long-one"})
    alice.refresh_from_db()
    assert alice.check_password("another-long-one")


def test_a_person_switched_off_is_told_so(client: Client, alice: User) -> None:
    alice.is_active = False
    alice.save()
    sign_in = {"login": "alice", "password": "alices-password"}
    answer = client.post("/accounts/login/", sign_in, follow=True, headers={"accept-language": "en"})
    assert answer.status_code == 200
    inside = client.get("/accounts/inactive/", headers={"accept-language": "en"})
    assert "This account is switched off" in inside.content.decode()


def test_too_many_attempts_from_any_process_end_in_words(client: Client, alice: User, redis: Redis) -> None:
    wrong = {"login": "alice", "password": "wrong"}
    answers = [client.post("/accounts/login/", wrong, headers={"accept-language": "en"}) for _ in range(31)]
    assert answers[-1].status_code == 429
    assert "Too many attempts" in answers[-1].content.decode()
    assert [name for name in redis.scan_iter() if b":cache" in name]


def test_without_redis_people_still_sign_in(client: Client, alice: User, unused_redis: str) -> None:
    with override_settings(CACHES={"default": settings.CACHES["default"] | {"LOCATION": [unused_redis]}}):
        answer = client.post("/accounts/login/", {"login": "alice", "password": "alices-password"})
    assert answer["Location"] == "/matches/"


class TestAfterTheSessionHasEnded:
    def test_an_action_leads_back_to_the_page_with_its_button(self, client: Client, alice: User) -> None:
        page = "http://testserver/matches/?show=new"
        answer = client.post("/matches/seen/", headers={"referer": page})
        assert answer["Location"] == "/accounts/login/?next=/matches/%3Fshow%3Dnew"
        signed_in = client.post(answer["Location"], {"login": "alice", "password": "alices-password"}, follow=True)
        assert signed_in.status_code == 200

    @pytest.mark.parametrize("referer", ["", "https://elsewhere.example/x", "//elsewhere.example/x"])
    def test_an_action_from_nowhere_leads_to_the_matches(self, client: Client, db: None, referer: str) -> None:
        answer = client.post("/matches/seen/", headers={"referer": referer} if referer else {})
        assert answer["Location"] == "/accounts/login/?next=/matches/"

    def test_a_script_gets_401_and_only_a_press_on_a_button_the_way(self, client: Client, db: None) -> None:
        pressed = client.post("/matches/seen/", headers={"hx-request": "true"})
        asked = client.get("/watches/?live=1", headers={"hx-request": "true"})
        assert (pressed.status_code, pressed["HX-Redirect"]) == (401, "/accounts/login/?next=/matches/")
        assert asked.status_code == 401
        assert "HX-Redirect" not in asked


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

    def test_of_two_who_open_it_at_once_one_gets_in(self, alice: User, now: datetime, monkeypatch: Any) -> None:
        token = make_token(alice)
        seen = user_of(token)
        monkeypatch.setattr(signin, "user_of", lambda _: seen)
        assert [signin.claim(token, now=now), signin.claim(token, now=now)] == [alice, None]

    def test_somebody_who_is_signed_in_is_asked_first(self, client: Client, alice: User, bob: User) -> None:
        address = f"/start/{make_token(alice)}/"
        client.force_login(bob)
        page = client.get(address, headers={"accept-language": "en"})
        assert "Sign in as “alice”" in page.content.decode()
        assert client.session["_auth_user_id"] == str(bob.pk)
        assert client.post(address)["Location"] == "/matches/"
        assert client.session["_auth_user_id"] == str(alice.pk)

    def test_a_preview_of_the_link_uses_nothing_up(self, client: Client, alice: User) -> None:
        address = f"/start/{make_token(alice)}/"
        assert client.head(address).status_code == 200
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

    def test_the_command_knows_the_address_of_what_runs_here(
        self, client: Client, alice: User, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(settings, "RUNNING", {"web_url": "http://127.0.0.1:8123"})
        call_command("signin_link", "alice")
        assert capsys.readouterr().out.startswith("http://127.0.0.1:8123/start/")
        monkeypatch.setattr(settings, "RUNNING", {})
        with pytest.raises(CommandError, match="--base"):
            call_command("signin_link", "alice")

    def test_the_command_knows_only_people_who_exist(self, db: None) -> None:
        with pytest.raises(CommandError, match="no active user"):
            call_command("signin_link", "nobody")


class TestHealth:
    def test_the_process_says_it_lives(self, client: Client) -> None:
        assert client.get("/healthz").content == b"ok"

    @override_settings(ALLOWED_HOSTS=["shop.example"], SECURE_SSL_REDIRECT=True)
    def test_whoever_asks_by_address_and_without_tls_gets_an_answer(self, client: Client, db: None) -> None:
        for address in ("/healthz", "/readyz"):
            assert client.get(address, headers={"host": "10.0.0.7"}).status_code in {200, 503}
            assert client.head(address, headers={"host": "10.0.0.7"}).status_code in {200, 503}
        assert client.get("/matches/", headers={"host": "10.0.0.7"}).status_code == 400


@pytest.fixture
def unused_redis() -> str:
    from tests.nowhere import closed_port

    return f"redis://127.0.0.1:{closed_port()}/0"


class TestProduction:
    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ({}, "does not start without SECRET_KEY and ALLOWED_HOSTS and DATABASE_URL and SITE_URL"),
            (
                {"SECRET_KEY": "x", "ALLOWED_HOSTS": "shop.example"},
                "without DATABASE_URL and SITE_URL in the",
            ),
            (FULL | {"DEBUG": "1"}, "DEBUG=1"),
            (FULL | {"SITE_URL": "http://a.example"}, "SITE_URL must be https://"),
        ],
    )
    def test_half_configured_it_does_not_start(self, tmp_path: Path, given: dict[str, str], sentence: str) -> None:
        env = {"PATH": os.environ["PATH"], "PRODUCTION": "1", "DATA_DIR": str(tmp_path)} | given
        command = [sys.executable, "-c", "import monitor_site.settings"]
        done = subprocess.run(command, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert sentence in done.stderr

    def test_the_web_process_keeps_no_connection_and_workers_do(self) -> None:
        code = (
            "import django; django.setup(); from django.db import connections as c;"
            "before = c.settings['default']['CONN_MAX_AGE']; import monitor_site.asgi;"
            "print(before, c.settings['default']['CONN_MAX_AGE'], c.settings['default']['CONN_HEALTH_CHECKS'])"
        )
        env = dict(os.environ) | {"DJANGO_SETTINGS_MODULE": "monitor_site.settings"}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["60", "0", "True"]


def test_a_phone_can_keep_the_site_on_its_home_screen(client: Client, db: None) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer["Content-Type"] == "application/manifest+json"
    assert answer.json()["start_url"] == "/matches/"
    for one in answer.json()["icons"]:
        path = Path(settings.BASE_DIR) / one["src"].lstrip("/")
        with Image.open(path) as icon:
            assert f"{icon.width}x{icon.height}" == one["sizes"]
