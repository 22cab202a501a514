"""Secrets at rest open with the right key in their own row, and nowhere else."""

import stat
import subprocess
import sys
import traceback
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from monitor_site.accounts.models import AuditEntry, User
from monitor_site.contract import SignInNeeded
from monitor_site.marketplaces import services, vault
from monitor_site.marketplaces.accounts import opened
from monitor_site.marketplaces.checks import check_keys
from monitor_site.marketplaces.models import MarketplaceAccount
from tests.house.installation import environment
from tests.house.source import ROOT

from .keys import CANARY, Keys, account

pytestmark = pytest.mark.django_db


def test_what_was_sealed_opens_in_its_own_row(now: datetime) -> None:
    row = account(now)
    row.refresh_from_db()

    assert opened(row, Keys).settings == Keys(partner="p-1", token=CANARY)
    assert CANARY not in row.sealed


def test_in_another_row_it_does_not_open(now: datetime, alice: User, bob: User) -> None:
    mine, his = account(now, user=alice), account(now, user=bob, secrets={"token": "other"})
    MarketplaceAccount.objects.filter(pk=his.pk).update(sealed=mine.sealed)
    his.refresh_from_db()

    with pytest.raises(SignInNeeded, match="another row"):
        opened(his, Keys)


@pytest.mark.parametrize("change", ["user", "marketplace"])
def test_a_row_that_was_given_to_somebody_else_does_not_open(
    now: datetime, alice: User, bob: User, change: str
) -> None:
    row = account(now, user=alice)
    MarketplaceAccount.objects.filter(pk=row.pk).update(**{change: bob if change == "user" else "flea"})
    row.refresh_from_db()

    with pytest.raises(SignInNeeded, match="another row"):
        opened(row, Keys)


def test_without_its_key_it_does_not_open_and_says_so(now: datetime, settings: Any) -> None:
    row = account(now)
    settings.SECRETS_KEYS = [Fernet.generate_key().decode()]

    with pytest.raises(SignInNeeded, match="SECRETS_KEYS"):
        opened(row, Keys)


def test_a_broken_text_does_not_open(now: datetime) -> None:
    row = account(now)
    row.sealed = row.sealed[:-4] + "AAAA"

    with pytest.raises(SignInNeeded):
        opened(row, Keys)


def test_after_rotating_the_old_key_may_go(now: datetime, settings: Any) -> None:
    row = account(now)
    new = Fernet.generate_key().decode()
    settings.SECRETS_KEYS = [new, *settings.SECRETS_KEYS]

    call_command("rotate_secrets", stdout=(out := StringIO()))

    settings.SECRETS_KEYS = [new]
    row.refresh_from_db()
    assert opened(row, Keys).settings == Keys(partner="p-1", token=CANARY)
    assert "1 row" in out.getvalue()
    entry = AuditEntry.objects.get(act="rotate_secrets")
    assert (entry.actor, entry.name, entry.user, entry.kind) == ("command", "rotate_secrets", None, "security")
    assert entry.after == {"rows": 1}


def test_rotating_changes_all_or_nothing(now: datetime, alice: User, settings: Any) -> None:
    good, lost = account(now), account(now, user=alice)
    MarketplaceAccount.objects.filter(pk=lost.pk).update(sealed=Fernet(Fernet.generate_key()).encrypt(b"{}").decode())

    with pytest.raises(CommandError, match="SECRETS_KEYS"):
        call_command("rotate_secrets")

    assert MarketplaceAccount.objects.get(pk=good.pk).sealed == good.sealed
    assert not AuditEntry.objects.filter(act="rotate_secrets").exists()


def test_replacing_puts_all_anew_and_ends_what_was_about_the_old_ones(now: datetime, alice: User) -> None:
    row = account(now, user=alice, secrets={"token": "old", "second": CANARY})
    services.pause_account(account_id=row.pk, until=now + timedelta(hours=1), reason="sign_in_needed", now=now)
    services.let_spend(account=row, by=alice, reason="mine", now=now)

    services.replace_secrets(account=row, secrets={"token": "new"}, now=now + timedelta(minutes=1))

    row.refresh_from_db()
    assert opened(row, Keys).settings == Keys(partner="p-1", token="new")
    assert (row.paused_until, row.pause_reason, row.spends_since, row.spends_by) == (None, "", None, None)


def test_secrets_that_nobody_can_open_any_more_are_replaced_without_being_read(now: datetime, settings: Any) -> None:
    row = account(now)
    settings.SECRETS_KEYS = [Fernet.generate_key().decode()]

    services.replace_secrets(account=row, secrets={"token": "new"}, now=now)

    row.refresh_from_db()
    assert opened(row, Keys).settings == Keys(partner="p-1", token="new")


KILLED = """
import django, os; django.setup()
from django.utils import timezone
from monitor_site.marketplaces import services, vault
turn, turned = vault.rotate, []
def rotate(sealed):
    if turned:
        os.kill(os.getpid(), 9)
    turned.append(1)
    return turn(sealed)
vault.rotate = rotate
services.rotate_secrets(now=timezone.now())
"""


@pytest.mark.django_db(transaction=True)
def test_killed_half_way_a_rotation_has_changed_nothing_and_can_be_run_again(
    now: datetime, alice: User, settings: Any, child_env: dict[str, str]
) -> None:
    rows = [account(now), account(now, user=alice)]
    old, new = str(settings.SECRETS_KEYS[0]), Fernet.generate_key().decode()
    child_env["SECRETS_KEYS"] = f"{new},{old}"

    done = subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, env=child_env, check=False, capture_output=True)

    assert done.returncode == -9, done.stderr
    settings.SECRETS_KEYS = [old]
    assert [opened(MarketplaceAccount.objects.get(pk=row.pk), Keys).settings.token for row in rows] == [CANARY] * 2
    settings.SECRETS_KEYS = [new, old]
    services.rotate_secrets(now=now)
    settings.SECRETS_KEYS = [new]
    assert [opened(MarketplaceAccount.objects.get(pk=row.pk), Keys).settings.token for row in rows] == [CANARY] * 2


def test_swapped_rows_stay_swapped_out_after_a_rotation(now: datetime, alice: User, bob: User, settings: Any) -> None:
    mine, his = account(now, user=alice), account(now, user=bob, secrets={"token": "other"})
    MarketplaceAccount.objects.filter(pk=his.pk).update(sealed=mine.sealed)
    settings.SECRETS_KEYS = [Fernet.generate_key().decode(), *settings.SECRETS_KEYS]

    services.rotate_secrets(now=now)

    with pytest.raises(SignInNeeded, match="another row"):
        opened(MarketplaceAccount.objects.get(pk=his.pk), Keys)


def test_a_removed_account_leaves_nothing(now: datetime) -> None:
    services.remove_account(account=account(now), now=now)
    assert not MarketplaceAccount.objects.exists()


def test_the_installation_has_one_account_at_a_marketplace_and_people_have_theirs(now: datetime, alice: User) -> None:
    account(now)
    account(now, marketplace="flea")
    account(now, user=alice)
    account(now, user=alice, label="the other one")

    with pytest.raises(IntegrityError), transaction.atomic():
        account(now)


def test_a_pause_has_a_reason(now: datetime) -> None:
    row = account(now)
    with pytest.raises(IntegrityError), transaction.atomic():
        services.pause_account(account_id=row.pk, until=now, reason="", now=now)


def test_an_account_that_lacks_something_says_what_and_shows_nothing(now: datetime) -> None:
    row = account(now, values={}, secrets={"second": CANARY})

    with pytest.raises(SignInNeeded, match="partner, token") as raised:
        opened(row, Keys)

    assert CANARY not in repr(raised.value)


def test_a_secret_is_in_no_repr_and_no_plain_column(now: datetime) -> None:
    row = account(now)
    columns = MarketplaceAccount.objects.values_list().get(pk=row.pk)
    held = opened(row, Keys)

    assert CANARY not in f"{row!r} {row} {columns} {held!r} {held.settings!r}"


def test_the_key_is_made_once_for_the_owners_eyes_only(tmp_path: Path) -> None:
    shown = [
        subprocess.run(
            [sys.executable, "-c", "from monitor_site import settings; print(*map(str, settings.SECRETS_KEYS))"],
            cwd=ROOT,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]

    assert shown[0] == shown[1]
    assert stat.S_IMODE((tmp_path / "secrets_key").stat().st_mode) == 0o600
    vault.keyring([shown[0].strip()])


@pytest.mark.parametrize("keys", [["not a key"], []])
def test_keys_that_are_none_stop_the_start_and_are_not_shown(settings: Any, keys: list[str]) -> None:
    assert check_keys() == []
    settings.SECRETS_KEYS = keys

    [error] = check_keys()

    assert error.id == "marketplaces.E003"
    assert "not a key" not in f"{error.msg} {error.hint}"


def test_without_any_key_production_starts_until_there_is_a_secret(settings: Any, now: datetime) -> None:
    row = account(now)
    settings.PRODUCTION, settings.SECRETS_KEYS = True, []

    [error] = check_keys()
    with pytest.raises(SignInNeeded, match="SECRETS_KEYS is not set"):
        opened(row, Keys)
    with pytest.raises(CommandError, match="SECRETS_KEYS is not set"):
        call_command("rotate_secrets")

    assert error.id == "marketplaces.E003"
    services.remove_account(account=row, now=now)
    assert check_keys() == []


@dataclass(frozen=True, slots=True, kw_only=True)
class Picky(Keys):
    """Its plugin looks at what it is given, and says it aloud."""

    def __post_init__(self) -> None:
        raise ValueError(f"{self.token} is no token")


def test_what_a_plugins_own_check_says_is_heard_nowhere(now: datetime) -> None:
    with pytest.raises(SignInNeeded, match="does not take the account's settings") as raised:
        opened(account(now), Picky)

    assert CANARY not in "".join(traceback.format_exception(raised.value))
