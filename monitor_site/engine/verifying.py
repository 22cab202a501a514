"""Tries people's accounts with a harmless read, in the loop beside the lane, so that nothing waits for it."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial

import structlog
from django.db import connection

from monitor_site.contract import AccountInfo, MarketplaceError, PluginFault, Unavailable
from monitor_site.marketplaces import services
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.models import MarketplaceAccount

from . import previews

log = structlog.get_logger(__name__)

CUT_SECONDS = 12.0


def verify(account_ids: Iterable[int]) -> None:
    """Begin to try these, and return at once."""
    rows = MarketplaceAccount.objects.filter(pk__in=list(account_ids), removed_at=None).exclude(user=None)
    for row in rows:
        gateway = previews.asker().gateway
        previews.asker().begin((row.pk, "account"), partial(try_account, gateway, row))


async def try_account(gateway: Gateway, row: MarketplaceAccount) -> None:
    """Ask the marketplace whose account it is, and note what it said."""
    error, info = await _asked(gateway, row)
    log.info("account.tested", marketplace=row.marketplace, account=row.pk, error=error)
    await asyncio.to_thread(_note, row, error, info.label)


async def _asked(gateway: Gateway, row: MarketplaceAccount) -> tuple[str, AccountInfo]:
    """The code of an error, empty when it worked, and what was told."""
    try:
        async with asyncio.timeout(CUT_SECONDS):
            return "", await gateway.verify(marketplace=row.marketplace, account_id=row.pk)
    except TimeoutError:
        return Unavailable.code, AccountInfo()
    except MarketplaceError as error:
        return error.reason, AccountInfo()
    except Exception:
        log.exception("account.test_fault", marketplace=row.marketplace, account=row.pk)
        return PluginFault.code, AccountInfo()


def _note(row: MarketplaceAccount, error: str, known_as: str) -> None:
    """In a thread of its own, which keeps no connection."""
    try:
        services.note_test(account=row, error=error, known_as=known_as, now=datetime.now(UTC))
    finally:
        connection.close()
