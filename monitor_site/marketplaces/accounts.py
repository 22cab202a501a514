"""Accounts as the gateway uses them: read from the database aside of the event loop, opened, kept for half a minute."""

import asyncio
import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import MISSING, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import structlog
from django.db import DatabaseError, connection

from monitor_site.contract import (
    AccountSettings,
    MarketplaceError,
    NoPace,
    NotSent,
    OutcomeUnknown,
    Pauses,
    RefusalKind,
    Refused,
    SignInNeeded,
    errors,
)

from . import breaker, services, vault
from .models import BY_HAND, FOR_GOOD, MarketplaceAccount

T = TypeVar("T")

FRESH_SECONDS = 30.0
USUAL_PAUSE = 600.0

# What can pause an account, by code: while it is paused, whoever asks hears the same again.
PAUSING = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, MarketplaceError) and kind.pauses == Pauses.ACCOUNT
}

# These stop spending, and no question: what became of an order must be found out meanwhile.
STOPS_ONLY_SPENDING = {BY_HAND, OutcomeUnknown.code, *RefusalKind} - {
    RefusalKind.AUTH_EXPIRED,
    RefusalKind.VERIFICATION_REQUIRED,
}

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account with its secrets open. ``version`` changes when its values or secrets do.

    ``user_id`` is its person's, ``None`` for the installation's own; ``spends``: an operator lets it spend for real.
    """

    id: int
    version: str
    settings: AccountSettings = field(repr=False)
    paused_until: datetime | None = None
    pause_reason: str = ""
    user_id: int | None = None
    spends: bool = False

    def refuse_spending(self, now: datetime, *, real: bool) -> None:
        """Raise :class:`NotSent` while it is paused, for whatever reason, and where it must not spend for real."""
        if self.paused_until and self.paused_until > now:
            raise NotSent(f"the account is paused: {self.pause_reason}")
        if real and not self.spends:
            raise NotSent("nobody has allowed this account to spend for real")

    def refuse_cancelling(self, now: datetime, *, real: bool) -> None:
        """Raise while it may not be asked or its person has paused it, and where it must not write for real."""
        if real and not self.spends:
            raise NotSent("nobody has allowed this account to write for real")
        if self.pause_reason == BY_HAND and self.paused_until and self.paused_until > now:
            raise NotSent("its person has paused the account")
        self.refuse_reading(now)

    def refuse_reading(self, now: datetime) -> None:
        """Raise what paused it, while it is paused for a reason that concerns questions, too."""
        if self.pause_reason not in STOPS_ONLY_SPENDING:
            self.refuse_paused(now)

    def refuse_paused(self, now: datetime) -> None:
        """Raise what paused it, while it is paused: nothing is asked in its name."""
        if self.paused_until and self.paused_until > now:
            kind = PAUSING.get(self.pause_reason, SignInNeeded)
            raise kind(f"the account is paused until {self.paused_until:%Y-%m-%d %H:%M:%S} UTC")


@dataclass(slots=True, kw_only=True)
class _Kept:
    account: Account | None
    read_at: float


class Accounts:
    """The installation's own accounts, for one event loop. ``now`` gives aware UTC times.

    ``database`` is a thread that keeps its connection; without one each question has a thread that keeps none.
    """

    def __init__(
        self,
        *,
        fresh_seconds: float = FRESH_SECONDS,
        now: Callable[[], datetime] | None = None,
        database: Executor | None = None,
    ) -> None:
        self._database = database
        self._fresh_seconds = fresh_seconds
        self._now = now or (lambda: datetime.now(UTC))
        self._kept: dict[str, _Kept] = {}
        self._reading = asyncio.Lock()

    async def of(self, marketplace: str, shape: type[AccountSettings] | None) -> Account | None:
        """The account to read with, ``None`` when there is none.

        Raises the error that paused it, :class:`SignInNeeded` when it is incomplete or cannot be opened, and
        :class:`NoPace` when the database does not answer: in each case nothing was sent.
        """
        if shape is None:
            return None
        async with self._reading:
            kept = self._kept.get(marketplace)
            # That there is none is not kept: whoever connects one waits for an answer.
            if (
                kept is None
                or kept.account is None
                or asyncio.get_running_loop().time() - kept.read_at > self._fresh_seconds
            ):
                kept = self._kept[marketplace] = await self._read(marketplace, shape)
        if kept.account is not None:
            kept.account.refuse_paused(self._now())
        return kept.account

    async def by_id(self, marketplace: str, account_id: int, shape: type[AccountSettings]) -> Account:
        """A person's account, read now and not kept.

        Raises :class:`NotSent` when there is no such account of a person at this marketplace, else as :meth:`of`.
        """
        try:
            account = await self._aside(_load_one, marketplace, account_id, shape)
        except DatabaseError as error:
            raise NoPace(f"the account could not be read: {type(error).__name__}") from error
        if account is None:
            raise NotSent(f"no account {account_id} of a person at {marketplace}")
        return account

    async def reread(self, marketplace: str, account: Account) -> AccountSettings:
        """Its settings as they are now. Raises :class:`NotSent` when it is gone, or another account by now."""
        shape = type(account.settings)
        self._kept.pop(marketplace, None)
        if account.user_id:
            found: Account | None = await self.by_id(marketplace, account.id, shape)
        else:
            found = await self.of(marketplace, shape)
        if found is None or (found.id, found.version) != (account.id, account.version):
            raise NotSent("the account was changed meanwhile")
        return found.settings

    async def keep_secrets(
        self, account: Account, known: AccountSettings, secrets: Mapping[str, str], until: datetime | None
    ) -> bool:
        """Seal renewed secrets, unless others than ``known`` are there by now; whether they are kept.

        Losing them costs a renewal, so a database that is away is only noted.
        """
        told = {"secrets": secrets, "known": known, "until": until, "now": self._now()}
        try:
            kept = await self._aside(_keep, account.id, told)
        except (DatabaseError, vault.CannotOpen, vault.BadKeys) as trouble:
            log.warning("account.secrets_not_kept", account=account.id, error=type(trouble).__name__)
            return False
        if not kept:
            log.warning("account.secrets_not_kept", account=account.id, error="changed_meanwhile")
        return kept

    async def pause(self, marketplace: str, account: Account, error: MarketplaceError) -> None:
        """Ask nothing more in its name, for as long as the error says."""
        now = self._now()
        until = _until(error, now)
        self._kept.pop(marketplace, None)
        try:
            await self._aside(_pause, account.id, until, error.reason, now)
        except DatabaseError as trouble:
            log.warning("account.not_paused", marketplace=marketplace, error=type(trouble).__name__)
            return
        log.warning("account.paused", marketplace=marketplace, account=account.id, reason=error.reason, until=until)

    async def _aside(self, work: Callable[..., T], *about: Any) -> T:
        if self._database is None:
            return await asyncio.to_thread(_keeping_none, work, *about)
        return await asyncio.get_running_loop().run_in_executor(self._database, work, *about)

    async def _read(self, marketplace: str, shape: type[AccountSettings]) -> _Kept:
        try:
            account = await self._aside(_load, marketplace, shape)
        except DatabaseError as error:
            raise NoPace(f"the account could not be read: {type(error).__name__}") from error
        return _Kept(account=account, read_at=asyncio.get_running_loop().time())


def _keeping_none(work: Callable[..., T], *about: Any) -> T:
    try:
        return work(*about)
    finally:
        connection.close()


def _load(marketplace: str, shape: type[AccountSettings]) -> Account | None:
    row = MarketplaceAccount.objects.filter(marketplace=marketplace, user=None).first()
    return None if row is None else opened(row, shape)


def _load_one(marketplace: str, account_id: int, shape: type[AccountSettings]) -> Account | None:
    rows = MarketplaceAccount.objects.filter(pk=account_id, marketplace=marketplace, removed_at=None)
    row = rows.exclude(user=None).first()
    return None if row is None else opened(row, shape)


def _until(error: MarketplaceError, now: datetime) -> datetime:
    asked = USUAL_PAUSE if error.retry_after is None else error.retry_after
    if math.isinf(asked):
        return FOR_GOOD
    longest = asked if isinstance(error, Refused) else breaker.LONGEST
    return now + timedelta(seconds=min(longest, max(breaker.SHORTEST, asked)))


def opened(row: MarketplaceAccount, shape: type[AccountSettings]) -> Account:
    """A row with its secrets open. Raises :class:`SignInNeeded` when that cannot be done or something is missing."""
    try:
        given = row.values | vault.unseal(row.sealed, identity=row.identity)
    except (vault.CannotOpen, vault.BadKeys) as error:
        log.error("account.cannot_open", marketplace=row.marketplace, account=row.pk, reason=str(error))  # noqa: TRY400
        raise SignInNeeded(str(error)) from error
    return Account(
        id=row.pk,
        version=row.updated_at.isoformat(),
        settings=_filled(shape, given),
        paused_until=row.paused_until,
        pause_reason=row.pause_reason,
        user_id=row.user_id,
        spends=row.spends_since is not None,
    )


def _filled(shape: type[AccountSettings], given: Mapping[str, str]) -> AccountSettings:
    known = {spec.name: given[spec.name] for spec in fields(shape) if spec.name in given}
    try:
        return shape(**known)
    except Exception as error:  # noqa: BLE001  whatever a plugin's own check raises
        # Its text may show what was given.
        missing = sorted(spec.name for spec in fields(shape) if spec.name not in given and spec.default is MISSING)
        lacks = f"the account lacks {', '.join(missing)}"
        refused = f"the plugin does not take the account's settings ({type(error).__name__})"
        raise SignInNeeded(lacks if missing else refused) from None


def _keep(account_id: int, told: dict[str, Any]) -> bool:
    return services.keep_renewed(account_id=account_id, **told)


def _pause(account_id: int, until: datetime, reason: str, now: datetime) -> None:
    services.pause_account(account_id=account_id, until=until, reason=reason, now=now)
