"""What happens to accounts. Secrets go in here and come out nowhere but in a worker that asks a marketplace."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditKind
from monitor_site.contract import AccountSettings
from monitor_site.outbox import services as outbox

from . import vault
from .models import BY_HAND, FOR_GOOD, MarketplaceAccount

TEST = "account_test"
TEST_EVERY = timedelta(seconds=10)
# A test that worked has disproved these.
ABOUT_SIGN_IN = ("sign_in_needed", "challenge_required", "auth_expired", "verification_required")
# What is known of an account whose secrets nobody has tried.
UNTRIED: Mapping[str, Any] = MappingProxyType(
    {
        "paused_until": None, "pause_reason": "", "spends_since": None, "spends_by": None, "spends_reason": "",
        "known_as": "", "test_asked_at": None, "tested_at": None, "test_error": "", "worked_at": None,
        "signed_in_at": None, "signed_in_until": None,
    }
)  # fmt: skip


def secret_names(shape: type[AccountSettings]) -> set[str]:
    """The options of an account's settings that are encrypted."""
    return {spec.name for spec in fields(shape) if spec.metadata.get("secret")}


@transaction.atomic
def connect_account(  # noqa: PLR0913  all of them by name
    *,
    marketplace: str,
    user: Any,
    label: str,
    values: Mapping[str, str],
    secrets: Mapping[str, str],
    now: datetime,
) -> MarketplaceAccount:
    """Remember an account; ``user`` is ``None`` for the installation's own. Raises ``IntegrityError`` for a second."""
    account = MarketplaceAccount.objects.create(
        marketplace=marketplace, user=user, label=label, values=dict(values), created_at=now, updated_at=now
    )
    # Only a saved row has an identity to bind its secrets to.
    account.sealed = vault.seal(secrets, identity=account.identity)
    account.save(update_fields=["sealed"])
    _record("connect", account, now, after={"label": label, "secrets": sorted(secrets)})
    return account


@transaction.atomic
def change_account(*, account: MarketplaceAccount, label: str, values: Mapping[str, str], now: datetime) -> None:
    """Another label, other values; its secrets stay."""
    # Values may say who the person is there, so only the names of those that changed are kept.
    changed = sorted(name for name in {**account.values, **values} if account.values.get(name) != values.get(name))
    before = {"label": account.label, "changed": []}
    account.label, account.values, account.updated_at = label, dict(values), now
    account.save(update_fields=["label", "values", "updated_at"])
    _record("change", account, now, before=before, after={"label": label, "changed": changed})


@transaction.atomic
def replace_secrets(*, account: MarketplaceAccount, secrets: Mapping[str, str], now: datetime) -> None:
    """Put these in the place of all old ones, which nobody reads for it.

    It may be another account from now on: a pause ends, since it was about the old ones, and so does the leave to spend
    for real.
    """
    account.sealed = vault.seal(secrets, identity=account.identity)
    account.updated_at = now
    for name, value in UNTRIED.items():
        setattr(account, name, value)
    account.save(update_fields=["sealed", "updated_at", *UNTRIED])
    _record("replace_secrets", account, now, after={"secrets": sorted(secrets)})


@transaction.atomic
def keep_renewed(
    *, account_id: int, known: AccountSettings, secrets: Mapping[str, str], until: datetime | None, now: datetime
) -> bool:
    """Seal what a marketplace renewed itself; those not named stay, and so does a pause. It is no other account by it.

    ``until`` is when the sign-in ends. Nothing is kept, and the answer is ``False``, where the secrets are not those of
    ``known`` any more: somebody replaced or renewed them meanwhile. Raises :class:`vault.CannotOpen`.
    """
    account = MarketplaceAccount.objects.select_for_update().filter(pk=account_id, removed_at=None).first()
    if account is None:
        return False
    kept = vault.unseal(account.sealed, identity=account.identity)
    if any(getattr(known, name, value) != value for name, value in kept.items()):
        return False
    account.sealed = vault.seal(kept | dict(secrets), identity=account.identity)
    account.signed_in_at, account.signed_in_until = now, until
    account.save(update_fields=["sealed", "signed_in_at", "signed_in_until"])
    _record("renew_secrets", account, now, after={"secrets": sorted(secrets)})
    return True


def pause_by_hand(*, account: MarketplaceAccount, now: datetime) -> None:
    """Nothing is ordered with it until its person resumes it; what became of orders is still asked."""
    pause_account(account_id=account.pk, until=FOR_GOOD, reason=BY_HAND, now=now)


@transaction.atomic
def ask_for_test(*, account: MarketplaceAccount, now: datetime) -> bool:
    """Have a worker try it with a harmless read; ``False`` when one was asked for a moment ago."""
    recent = Q(test_asked_at__gt=now - TEST_EVERY)
    begun = MarketplaceAccount.objects.filter(pk=account.pk).exclude(recent).update(test_asked_at=now)
    if begun:
        outbox.write(topic=TEST, object_ids=[account.pk], now=now)
    return bool(begun)


def note_test(*, account: MarketplaceAccount, error: str, known_as: str, now: datetime) -> None:
    """How a test ended; without an ``error`` it worked, and a pause because of the sign-in ends.

    It says nothing of an account whose secrets were replaced, or that was asked for anew, since it was read.
    """
    rows = MarketplaceAccount.objects.filter(pk=account.pk, test_asked_at=account.test_asked_at)
    if error:
        rows.update(tested_at=now, test_error=error)
        return
    rows.update(tested_at=now, test_error="", worked_at=now, known_as=known_as[:80])
    rows.filter(pause_reason__in=ABOUT_SIGN_IN).update(paused_until=None, pause_reason="")


@transaction.atomic
def let_spend(*, account: MarketplaceAccount, by: Any, reason: str, now: datetime) -> None:
    """From now on real money may be spent with it: an operator's act for this one account."""
    account.spends_since, account.spends_by, account.spends_reason = now, by, reason
    account.save(update_fields=["spends_since", "spends_by", "spends_reason"])
    _record("let_spend", account, now, before={"spends": False}, after={"spends": True}, reason=reason)


@transaction.atomic
def end_spending(*, account: MarketplaceAccount, now: datetime) -> None:
    """Take that back."""
    could = account.spends_since is not None
    account.spends_since, account.spends_by, account.spends_reason = None, None, ""
    account.save(update_fields=["spends_since", "spends_by", "spends_reason"])
    _record("end_spending", account, now, before={"spends": could}, after={"spends": False})


@transaction.atomic
def empty_account(*, account: MarketplaceAccount, now: datetime) -> None:
    """Forget its secrets and all that it could do; the row stays for what was bought with it."""
    _record("remove", account, now, before={"label": account.label})
    account.sealed, account.values, account.removed_at, account.updated_at = "", {}, now, now
    for name, value in UNTRIED.items():
        setattr(account, name, value)
    account.save(update_fields=["sealed", "values", "removed_at", "updated_at", *UNTRIED])


@transaction.atomic
def remove_account(*, account: MarketplaceAccount, now: datetime) -> None:
    """Forget an account and its secrets."""
    _record("remove", account, now, before={"label": account.label})
    account.delete()


@transaction.atomic
def pause_account(*, account_id: int, until: datetime, reason: str, now: datetime) -> None:
    """Ask nothing in its name until then; ``reason`` is the code of the error that says so."""
    account = MarketplaceAccount.objects.select_for_update().filter(pk=account_id).first()
    if account is None:
        return
    MarketplaceAccount.objects.filter(pk=account_id).update(paused_until=until, pause_reason=reason)
    _record("pause", account, now, before={"paused": account.pause_reason}, after={"paused": reason})


@transaction.atomic
def resume_account(*, account: MarketplaceAccount, now: datetime) -> None:
    """End a pause: an operator's act."""
    rows = MarketplaceAccount.objects.filter(pk=account.pk, paused_until__isnull=False)
    if rows.update(paused_until=None, pause_reason=""):
        _record("resume", account, now, before={"paused": account.pause_reason})


def _record(act: str, account: MarketplaceAccount, now: datetime, **change: Any) -> None:
    on = auditing.Thing(kind="account", id=account.pk, words=str(account))
    auditing.write(kind=AuditKind.ACCOUNT, act=act, user_id=account.user_id, on=on, now=now, **change)


@transaction.atomic
def rotate_secrets(*, now: datetime) -> int:
    """Encrypt all secrets with the first of the keys; how many rows. Raises :class:`vault.CannotOpen`, changes none."""
    count = sum(_rotated(rows) for rows in vault.sealed_rows()) + vault.rotate_elsewhere()
    told: dict[str, Any] = {"on": auditing.Thing(kind="secrets"), "after": {"rows": count}, "now": now}
    auditing.write(kind=AuditKind.SECURITY, act="rotate_secrets", user_id=None, **told)
    return count


def _rotated(sealed: QuerySet[Any]) -> int:
    rows = list(sealed.select_for_update())
    for row in rows:
        row.sealed = vault.rotate(row.sealed)
    sealed.bulk_update(rows, ["sealed"])
    return len(rows)
