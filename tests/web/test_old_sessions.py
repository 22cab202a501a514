"""Sign-ins from before the list of them existed: seen there all the same, and ended with the others."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client, override_settings
from django.utils import timezone

from monitor_site.accounts import sessions
from monitor_site.accounts.models import User
from monitor_site.accounts.sessions import sign_ins_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

SECURITY = "/settings/security/"
OLDER = "A device from before sign-ins were listed"


def signed_in_before(user: User, count: int = 1) -> list[Client]:
    """Devices whose sign-ins no list knows."""
    clients = [Client(headers={"accept-language": "en"}) for _ in range(count)]
    for client in clients:
        client.force_login(user)
    assert not UserSession.objects.filter(user=user).exists()
    return clients


def is_in(client: Client) -> bool:
    return client.get("/budgets/").status_code == 200


def shown(client: Client) -> str:
    return client.get(SECURITY).content.decode()


def test_they_are_listed_after_the_others_with_their_end(alice: User) -> None:
    signed_in_before(alice, 2)
    now = Client(headers={"accept-language": "en"})
    now.post("/accounts/login/", {"login": "alice", "password": "alices-password"})
    found = sign_ins_of(alice, now=timezone.now())
    assert [one.since is None for one in found] == [False, True, True]
    assert all(one.until and one.until > timezone.now() + timedelta(days=29) for one in found[1:])
    assert shown(now).count(OLDER) == 2
    assert "good until" in shown(now)


def test_one_of_them_is_this_device_and_says_so(alice: User) -> None:
    (client,) = signed_in_before(alice)
    assert "this device" in shown(client)
    assert "Sign out everywhere else" not in shown(client)


def test_signing_out_everywhere_else_ends_them_and_nobody_elses(alice: User, bob: User) -> None:
    here, there = signed_in_before(alice, 2)
    (his,) = signed_in_before(bob)
    here.post(f"{SECURITY}sessions/end/")
    assert [is_in(one) for one in (here, there, his)] == [True, False, True]


def test_nobody_sees_those_of_others(alice: User, bob: User) -> None:
    signed_in_before(bob)
    (client,) = signed_in_before(alice)
    assert shown(client).count(OLDER) == 1


def test_what_does_not_sign_in_any_more_is_not_listed(alice: User) -> None:
    (kept,) = signed_in_before(alice)
    (ran_out,) = signed_in_before(alice)
    over = timezone.now() - timedelta(seconds=1)
    Session.objects.filter(session_key=ran_out.session.session_key).update(expire_date=over)
    Session.objects.create(session_key="garbled", session_data="x" * 40, expire_date=timezone.now() + timedelta(days=1))
    assert [one.key for one in sign_ins_of(alice, now=timezone.now())] == [kept.session.session_key]
    alice.set_password("another-long-one")
    alice.save()
    assert sign_ins_of(alice, now=timezone.now()) == []


def test_a_change_of_the_sites_key_that_keeps_sign_ins_keeps_them_listed(alice: User, settings: Any) -> None:
    signed_in_before(alice)
    old = settings.SECRET_KEY
    with override_settings(SECRET_KEY="another-" + "y" * 50, SECRET_KEY_FALLBACKS=[old]):
        assert len(sign_ins_of(alice, now=timezone.now())) == 1


def test_strangers_sessions_do_not_slow_the_page_down(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_OPENED", 1)
    signed_in_before(alice, 3)
    assert len(sign_ins_of(alice, now=timezone.now())) == 1
