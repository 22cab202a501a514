"""How often a marketplace may be asked: one token bucket in Redis for all processes together."""

import redis.asyncio

from monitor_site.connections import key
from monitor_site.contract import Pace

from .scripts import run


def pace_key(marketplace: str) -> str:
    """The bucket: a hash with ``tokens`` (how many are left at ``at``) and ``at`` (server ms). Missing means full."""
    return key("pace", marketplace)


def capacity(pace: Pace) -> float:
    """How many requests may go out at once after a rest: a tenth of a minute's, at least one."""
    return max(1.0, pace.per_minute / 10)


async def take(redis: redis.asyncio.Redis, *, marketplace: str, pace: Pace) -> float:
    """Take the token for one request. Seconds to wait before trying again; 0 means it is taken."""
    waits_ms = await run(redis, "take", keys=[pace_key(marketplace)], args=[pace.per_minute])
    return int(waits_ms) / 1000
