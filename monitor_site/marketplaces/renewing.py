"""Renewing an account's secrets: one visit at a time over all processes, as a token may be good for one renewal."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

import redis.asyncio
from redis.exceptions import LockError, RedisError

from monitor_site.connections import key
from monitor_site.contract import AccountSettings, NoPace

from .accounts import Account, Accounts

# Whoever holds it makes one request or two, each with a deadline; a killed one keeps others waiting for so long.
HELD_DEADLINES = 3
LOOK_SECONDS = 0.05


@dataclass(slots=True, kw_only=True)
class Keeper:
    """Keeps what a visit in an account's name renews. ``known`` are the settings as this visit has last read them."""

    redis: redis.asyncio.Redis
    accounts: Accounts
    marketplace: str
    account: Account
    known: AccountSettings = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.known = self.account.settings

    @asynccontextmanager
    async def alone(self, seconds: float) -> AsyncIterator[AccountSettings]:
        """The settings as they are, which nobody else renews meanwhile.

        Waits ``seconds``, then raises :class:`NoPace`. Raises :class:`NotSent` when it is another account by now.
        """
        name = key("renewing", self.marketplace, self.account.id)
        lock = self.redis.lock(name, timeout=HELD_DEADLINES * seconds, sleep=LOOK_SECONDS, blocking_timeout=seconds)
        await _taken(lock)
        try:
            self.known = await self.accounts.reread(self.marketplace, self.account)
            yield self.known
        finally:
            with suppress(LockError, RedisError):
                await lock.release()

    async def keep(self, secrets: Mapping[str, str], until: datetime | None) -> None:
        """Seal them, unless somebody has changed the account's secrets since this visit read them."""
        if await self.accounts.keep_secrets(self.account, self.known, secrets, until):
            shown = {name: value for name, value in secrets.items() if hasattr(self.known, name)}
            self.known = replace(self.known, **shown)


async def _taken(lock: "redis.asyncio.lock.Lock") -> None:
    try:
        taken = await lock.acquire()
    except RedisError as error:
        raise NoPace(f"nothing is renewed without Redis: {error}") from error
    if not taken:
        raise NoPace("somebody else is renewing the account's secrets")
