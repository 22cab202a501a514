"""Second factors: set up, asked for at every door, used once, lost and replaced; and where a person is signed in."""

import io
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.utils import timezone

from monitor_site.accounts.factors import has_second_factor
from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token
from monitor_site.marketplaces import services, vault
from monitor_site.web.factor_pages import passkeys_work
from monitor_site.web.security import device_of

from .factor_rows import app_of, code_of, passkey_of, recovery_of
from .test_proving import grow_old

pytestmark = pytest.mark.usefixtures("redis")

LOGIN = {"login": "alice", "password": "alices-password"}
SECURITY = "/settings/security/"
ENGLISH = {"accept-language": "en"}


def is_in(client: Client) -> bool:
    return client.get("/matches/").status_code == 200


class TestTheApp:
    def test_it_is_set_up_with_a_code_and_recovery_codes_are_shown_once(self, hers: Client, alice: User) -> None:
        page = hers.get(f"{SECURITY}app/").content.decode()
        secret = re.search(r'id="secret" value="([A-Z2-7]+)"', page)
        assert secret is not None
        assert "<svg" in page
        assert "style=" not in page
        shown = hers.post(f"{SECURITY}app/", {"code": code_of(secret[1])}, follow=True, headers=ENGLISH)
        assert shown.redirect_chain[-1][0] == f"{SECURITY}codes/"
        assert len(re.findall(r"^\d{8}$", shown.content.decode(), re.MULTILINE)) >= 9
        assert has_second_factor(alice)
        again = hers.get(f"{SECURITY}codes/", headers=ENGLISH).content.decode()
        assert "10 recovery codes are left." in again
        assert not re.findall(r"\b\d{8}\b", again)

    def test_a_wrong_code_sets_nothing_up(self, hers: Client, alice: User) -> None:
        hers.get(f"{SECURITY}app/")
        answer = hers.post(f"{SECURITY}app/", {"code": "000000"})
        assert answer.status_code == 200
        assert not has_second_factor(alice)

    def test_its_key_is_sealed_in_the_database_and_turns_with_the_others(self, alice: User, settings: Any) -> None:
        secret, codes = app_of(alice), recovery_of(alice)
        assert secret not in str(list(Authenticator.objects.values()))
        new = Fernet.generate_key().decode()
        settings.SECRETS_KEYS = [new, *settings.SECRETS_KEYS]
        assert services.rotate_secrets(now=timezone.now()) == 2
        settings.SECRETS_KEYS = [new]
        app = Authenticator.objects.get(type="totp").wrap()
        assert app.validate_code(code_of(secret))
        assert Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes() == codes

    def test_without_its_key_no_code_is_right(self, alice: User, settings: Any) -> None:
        secret = app_of(alice)
        settings.SECRETS_KEYS = [Fernet.generate_key().decode()]
        app = Authenticator.objects.get(type="totp").wrap()
        assert not app.validate_code(code_of(secret))
        assert not app.validate_code(code_of(""))
        with pytest.raises(vault.CannotOpen):
            services.rotate_secrets(now=timezone.now())

    def test_where_no_secret_can_be_kept_none_is_set_up(self, hers: Client, alice: User) -> None:
        with override_settings(SECRETS_KEYS=[]):
            answer = hers.get(f"{SECURITY}app/", follow=True, headers=ENGLISH)
        assert "must set SECRETS_KEYS" in answer.content.decode()

    def test_it_is_removed_with_the_recovery_codes(self, hers: Client, alice: User) -> None:
        app_of(alice)
        recovery_of(alice)
        hers.post(f"{SECURITY}app/remove/")
        assert not Authenticator.objects.exists()


class TestTheDoors:
    def test_a_password_alone_opens_nothing(self, client: Client, alice: User) -> None:
        secret = app_of(alice)
        assert client.post("/accounts/login/", LOGIN)["Location"] == "/accounts/code/"
        assert not is_in(client)
        assert client.post("/accounts/code/", {"code": code_of(secret)})["Location"] == "/matches/"
        assert is_in(client)

    def test_nor_does_a_one_time_address(self, client: Client, alice: User) -> None:
        secret = app_of(alice)
        assert client.get(f"/start/{make_token(alice)}/")["Location"] == "/accounts/code/"
        assert not is_in(client)
        client.post("/accounts/code/", {"code": code_of(secret)})
        assert is_in(client)

    def test_nor_does_it_leave_somebody_else_signed_in_meanwhile(self, client: Client, alice: User, bob: User) -> None:
        app_of(alice)
        client.force_login(bob)
        assert client.post(f"/start/{make_token(alice)}/")["Location"] == "/accounts/code/"
        assert not is_in(client)

    def test_the_administration_has_no_other_door(self, client: Client, alice: User) -> None:
        alice.is_staff = alice.is_superuser = True
        alice.save()
        secret = app_of(alice)
        assert client.get("/admin/login/")["Location"].startswith("/accounts/login/")
        assert client.post("/admin/login/", {"username": "alice", "password": LOGIN["password"]}).status_code == 302
        client.post("/accounts/login/?next=/admin/", LOGIN)
        assert client.get("/admin/").status_code == 302
        assert client.post("/accounts/code/", {"code": code_of(secret)})["Location"] == "/admin/"
        assert client.get("/admin/").status_code == 200

    def test_wrong_codes_are_stopped_before_one_is_guessed(self, client: Client, alice: User) -> None:
        secret = app_of(alice)
        client.post("/accounts/login/", LOGIN)
        for number in range(6):
            client.post("/accounts/code/", {"code": f"{number:06}"})
        assert client.post("/accounts/code/", {"code": code_of(secret)}).status_code in {200, 429}
        assert not is_in(client)

    def test_a_recovery_code_opens_once(self, alice: User) -> None:
        app_of(alice)
        code = {"code": recovery_of(alice)[0]}
        first, second = Client(), Client()
        for client, gets_in in ((first, True), (second, False)):
            client.post("/accounts/login/", LOGIN)
            client.post("/accounts/code/", code)
            assert is_in(client) is gets_in

    def test_nobody_comes_to_the_question_without_a_password(self, client: Client, alice: User) -> None:
        app_of(alice)
        assert client.get("/accounts/code/")["Location"] == "/accounts/login/"

    def test_the_admin_shows_no_row_of_a_factor(self, client: Client, alice: User) -> None:
        alice.is_staff = alice.is_superuser = True
        alice.save()
        app_of(alice)
        client.force_login(alice)
        assert client.get("/admin/mfa/authenticator/").status_code == 404
        assert client.get("/admin/usersessions/usersession/").status_code == 404


class TestPasskeys:
    def test_they_are_listed_renamed_and_removed(self, hers: Client, alice: User) -> None:
        key = passkey_of(alice, name="Old phone")
        assert "Old phone" in hers.get(SECURITY).content.decode()
        hers.post(f"{SECURITY}passkeys/{key.pk}/", {"name": "New phone"})
        assert "New phone" in hers.get(SECURITY).content.decode()
        hers.post(f"{SECURITY}passkeys/{key.pk}/remove/")
        assert not has_second_factor(alice)

    def test_one_that_nobody_holds_signs_nobody_in(self, client: Client, alice: User) -> None:
        passkey_of(alice)
        client.post("/accounts/login/", LOGIN)
        for credential in (
            "{}",
            "null",
            "x",
            '{"id": 1}',
            '{"id": "AA", "rawId": "AA", "type": "public-key", "response": {}}',
        ):
            assert client.post("/accounts/code/", {"credential": credential}).status_code in {200, 400}
        assert not is_in(client)

    @pytest.mark.parametrize("credential", ["", "{}", "[]", "null", '{"id": 1}', "\x00"])
    def test_nonsense_is_no_passkey(self, hers: Client, alice: User, credential: str) -> None:
        hers.get(f"{SECURITY}passkeys/new/")
        answer = hers.post(f"{SECURITY}passkeys/new/", {"name": "x", "credential": credential})
        assert answer.status_code in {200, 400}
        assert not has_second_factor(alice)

    @pytest.mark.parametrize(
        ("host", "secure", "work"),
        [
            ("localhost:8000", False, True),
            ("127.0.0.1:8000", False, False),
            ("shop.example", True, True),
            ("shop.example", False, False),
            ("10.0.0.7", True, False),
            ("[::1]:8000", True, False),
        ],
    )
    def test_they_are_offered_only_where_browsers_have_them(self, rf: Any, host: str, secure: bool, work: bool) -> None:
        assert passkeys_work(rf.get("/", secure=secure, headers={"host": host})) is work

    def test_the_page_says_why_not(self, hers: Client) -> None:
        page = hers.get(SECURITY, headers={"host": "127.0.0.1", "accept-language": "en"}).content.decode()
        assert "Browsers offer them only over https at a name, or at http://localhost." in page
        assert "passkeys/new/" not in page


class TestSessions:
    def test_signing_out_everywhere_else_leaves_this_device_in(self, alice: User) -> None:
        here, there = Client(), Client(headers={"user-agent": "Mozilla/5.0 (iPhone) Version/19 Safari/605"})
        for client in (here, there):
            client.post("/accounts/login/", LOGIN)
        assert "Safari · iPhone" in here.get(SECURITY).content.decode()
        here.post(f"{SECURITY}sessions/end/")
        assert is_in(here)
        assert not is_in(there)

    def test_a_new_password_signs_out_the_others(self, alice: User) -> None:
        here, there = Client(), Client()
        for client in (here, there):
            client.post("/accounts/login/", LOGIN)
        new = {"oldpassword": LOGIN["password"], "password1": "another-long-one", "password2": "another-long-one"}
        here.post("/accounts/password/change/", new)
        assert is_in(here)
        assert not is_in(there)

    @pytest.mark.parametrize(
        ("agent", "said"),
        [
            ("Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537 Edg/140", "Edge · Windows"),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko Firefox/140.0", "Firefox · Linux"),
            ("<script>", "<script>"),
            ("", "?"),
        ],
    )
    def test_a_device_is_named_by_what_it_says(self, agent: str, said: str) -> None:
        assert device_of(agent) == said

    def test_what_a_device_calls_itself_is_text(self, alice: User) -> None:
        client = Client(headers={"user-agent": "<script>alert(1)</script>"})
        client.post("/accounts/login/", LOGIN)
        assert "<script>alert" not in client.get(SECURITY).content.decode()


class TestLost:
    def test_the_operator_takes_the_factors_away(self, alice: User) -> None:
        app_of(alice)
        recovery_of(alice)
        call_command("forget_factors", "alice", stdout=(out := io.StringIO()))
        assert "alice had 1 second factor, and now none." in out.getvalue()
        assert not Authenticator.objects.exists()

    def test_only_of_somebody_who_exists(self, db: None) -> None:
        with pytest.raises(CommandError, match="no user called"):
            call_command("forget_factors", "nobody")


@pytest.mark.parametrize("language", ["en", "ja", "zh-hans"])
@pytest.mark.parametrize("page", ["", "app/", "codes/new/", "passkeys/new/"])
def test_every_page_speaks_every_language(hers: Client, alice: User, language: str, page: str) -> None:
    alice.language = language
    alice.save()
    passkey_of(alice)
    recovery_of(alice)
    assert hers.get(f"{SECURITY}{page}").status_code == 200


def test_the_pages_of_a_stranger_are_the_strangers_own(client: Client, alice: User, bob: User) -> None:
    key = passkey_of(alice, name="hers alone")
    client.force_login(bob)
    assert "hers alone" not in client.get(SECURITY).content.decode()
    for act in ("", "remove/"):
        assert client.post(f"{SECURITY}passkeys/{key.pk}/{act}", {"name": "his"}).status_code == 404
    assert client.get(f"{SECURITY}codes/").status_code == 404


def test_recovery_codes_are_not_made_without_a_factor(hers: Client, alice: User) -> None:
    hers.post(f"{SECURITY}codes/new/")
    assert not Authenticator.objects.exists()


def test_an_old_sign_in_sees_no_recovery_codes(hers: Client, alice: User) -> None:
    app_of(alice)
    codes = recovery_of(alice)
    grow_old(hers)
    answer = hers.get(f"{SECURITY}codes/")
    assert answer["Location"].startswith("/accounts/prove/")
    assert codes[0] not in answer.content.decode()
