"""What happens to accounts. Secrets go in here and come out nowhere but in a worker that asks a marketplace."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from monitor_site.contract import AccountSettings

from . import vault
from .models import MarketplaceAccount


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
    return account


@transaction.atomic
def change_account(*, account: MarketplaceAccount, label: str, values: Mapping[str, str], now: datetime) -> None:
    """Another label, other values; its secrets stay."""
    account.label, account.values, account.updated_at = label, dict(values), now
    account.save(update_fields=["label", "values", "updated_at"])


@transaction.atomic
def replace_secrets(*, account: MarketplaceAccount, secrets: Mapping[str, str], now: datetime) -> None:
    """Put these in the place of the old ones; those not named stay. A pause ends: it was about the old ones.

    Raises :class:`vault.CannotOpen` when the old ones cannot be opened and would be lost.
    """
    kept = vault.unseal(account.sealed, identity=account.identity)
    account.sealed = vault.seal(kept | dict(secrets), identity=account.identity)
    account.paused_until, account.pause_reason, account.updated_at = None, "", now
    account.save(update_fields=["sealed", "paused_until", "pause_reason", "updated_at"])


@transaction.atomic
def keep_renewed(*, account_id: int, secrets: Mapping[str, str]) -> None:
    """Seal what a marketplace renewed itself; those not named stay, and so does a pause. It is no other account by it.

    Raises :class:`vault.CannotOpen`.
    """
    account = MarketplaceAccount.objects.select_for_update().filter(pk=account_id).first()
    if account is None:
        return
    kept = vault.unseal(account.sealed, identity=account.identity)
    account.sealed = vault.seal(kept | dict(secrets), identity=account.identity)
    account.save(update_fields=["sealed"])


def remove_account(*, account: MarketplaceAccount) -> None:
    """Forget an account and its secrets."""
    account.delete()


def pause_account(*, account_id: int, until: datetime, reason: str) -> None:
    """Ask nothing in its name until then; ``reason`` is the code of the error that says so."""
    MarketplaceAccount.objects.filter(pk=account_id).update(paused_until=until, pause_reason=reason)


def resume_account(*, account: MarketplaceAccount) -> None:
    """End a pause: an operator's act."""
    MarketplaceAccount.objects.filter(pk=account.pk).update(paused_until=None, pause_reason="")


@transaction.atomic
def rotate_secrets() -> int:
    """Encrypt all secrets with the first of the keys; how many rows. Raises :class:`vault.CannotOpen`, changes none."""
    return sum(_rotated(rows) for rows in vault.sealed_rows()) + vault.rotate_elsewhere()


def _rotated(sealed: QuerySet[Any]) -> int:
    rows = list(sealed.select_for_update())
    for row in rows:
        row.sealed = vault.rotate(row.sealed)
    sealed.bulk_update(rows, ["sealed"])
    return len(rows)
