"""The secret with which webhooks are signed: another one, while the former still signs too. Each one transaction."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from monitor_site.marketplaces import vault

from .models import Channel
from .ways.webhook import new_secret


@transaction.atomic
def rotate_secret(*, channel: Channel, now: datetime) -> str:
    """A new secret, to be shown once. Raises :class:`vault.CannotOpen`."""
    row, kept = _opened(channel)
    secret = new_secret()
    _keep(row, {**kept, "secret": secret, "former_secret": kept.get("secret", "")}, now)
    return secret


@transaction.atomic
def forget_former_secret(*, channel: Channel, now: datetime) -> None:
    """Sign with the newest secret alone. Raises :class:`vault.CannotOpen`."""
    row, kept = _opened(channel)
    _keep(row, {**kept, "former_secret": ""}, now)


def _opened(channel: Channel) -> tuple[Channel, dict[str, str]]:
    row = Channel.objects.select_for_update().get(pk=channel.pk)
    return row, vault.unseal(row.sealed, identity=row.identity)


def _keep(row: Channel, secrets: Mapping[str, str], now: datetime) -> None:
    row.sealed, row.updated_at = vault.seal(secrets, identity=row.identity), now
    row.save(update_fields=["sealed", "updated_at"])
