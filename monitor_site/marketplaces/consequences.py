"""What follows from how a visit ended: the breaker or the account hears of it, and the operator, once an outage."""

import asyncio
import random
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable

import redis.asyncio
import structlog
from redis.exceptions import RedisError

from monitor_site.contract import MarketplaceError, Pauses, PluginFault, Tells, Throttled, Unavailable

from . import breaker
from .accounts import Account, Accounts

BULK_SECONDS = 1.0
JITTER_SECONDS = 30.0
# An outage that has been silent for so long is over: the next of its kind is told again.
OUTAGE_SECONDS = 900.0

log = structlog.get_logger(__name__)


class Consequences:
    """Draws them for one event loop. Losing Redis here costs nothing but a line in the log.

    Successes are told in bulk, at most once a second: there may be thousands, and they matter only as a share.
    ``chance`` gives a number from 0 to 1.
    """

    def __init__(
        self, redis: redis.asyncio.Redis, *, accounts: Accounts, chance: Callable[[], float] = random.random
    ) -> None:
        self._redis = redis
        self._accounts = accounts
        self._chance = chance
        self._untold: Counter[str] = Counter()
        self._told_at: dict[str, float] = {}
        self._outages: dict[object, float] = {}

    async def succeed(self, marketplace: str) -> None:
        """The marketplace answered as it should."""
        now = asyncio.get_running_loop().time()
        if now - self._told_at.get(marketplace, -BULK_SECONDS) < BULK_SECONDS:
            self._untold[marketplace] += 1
            return
        self._told_at[marketplace] = now
        await self._tell(marketplace, ok=True)

    async def fail(self, marketplace: str, error: MarketplaceError, *, account: Account | None = None) -> None:
        """Stop asking when the error says so; count it as a failure when the marketplace gave no answer.

        What would stand still for an account stands still for the whole marketplace where none was used.
        """
        self._tell_operator(marketplace, error)
        if error.pauses == Pauses.ACCOUNT and account is not None:
            await self._accounts.pause(marketplace, account, error)
        elif error.pauses in {Pauses.MARKETPLACE, Pauses.ACCOUNT}:
            await self._trip(marketplace, error)
        elif error.code == Unavailable.code:
            self._told_at.pop(marketplace, None)
            await self._tell(marketplace, ok=False)

    async def fail_account(self, marketplace: str, error: MarketplaceError, *, account: Account) -> None:
        """What was asked in a person's name concerns that account, and nobody else's questions."""
        self._tell_operator(marketplace, error)
        if error.pauses in {Pauses.ACCOUNT, Pauses.MARKETPLACE}:
            await self._accounts.pause(marketplace, account, error)

    async def _trip(self, marketplace: str, error: MarketplaceError) -> None:
        """For how long it says; where "too often" came without a hint, not as long as everybody else who got it now."""
        self._told_at.pop(marketplace, None)
        seconds, throttled = error.retry_after, error.code == Throttled.code
        hinted = throttled and seconds != Throttled.default_retry_after
        if throttled and not hinted:
            seconds = Throttled.default_retry_after + self._chance() * JITTER_SECONDS
        telling = breaker.trip(self._redis, marketplace=marketplace, seconds=seconds, reason=error.code, exact=hinted)
        await self._without_redis(marketplace, telling)

    async def _tell(self, marketplace: str, *, ok: bool) -> None:
        earlier = self._untold.pop(marketplace, 0)
        await self._without_redis(
            marketplace, breaker.note(self._redis, marketplace=marketplace, ok=ok, earlier=earlier)
        )

    async def _without_redis(self, marketplace: str, telling: Awaitable[None]) -> None:
        """What was found is found, whether or not Redis can hear of it."""
        try:
            await telling
        except RedisError as error:
            log.warning("breaker.redis_away", marketplace=marketplace, error=str(error))

    def _tell_operator(self, marketplace: str, error: MarketplaceError) -> None:
        """What an operator must hear of: one line for each outage, a plugin's fault with its traceback.

        What a person must hear of stands on the watch, by its code.
        """
        if error.tells != Tells.OPERATOR:
            return
        is_fault = error.code == PluginFault.code
        outage = (marketplace, error.code, *(_place(error) if is_fault else ()))
        now = asyncio.get_running_loop().time()
        is_new = now - self._outages.get(outage, -OUTAGE_SECONDS) >= OUTAGE_SECONDS
        self._outages[outage] = now
        if is_fault and is_new:
            log.error("plugin.fault", marketplace=marketplace, detail=error.detail, exc_info=error)
        elif is_new:
            log.error("marketplace.failing", marketplace=marketplace, error=error.code, detail=error.detail)


def _place(error: MarketplaceError) -> tuple[type[BaseException], str, int]:
    """What was raised, and the line it came from."""
    cause = error.__cause__ or error
    *_, (frame, line) = traceback.walk_tb(cause.__traceback__)
    return type(cause), frame.f_code.co_filename, line
