"""How often a marketplace may be asked: one token bucket in Redis for all processes together."""

import redis
import redis.asyncio

from monitor_site.connections import key
from monitor_site.contract import Pace

from .scripts import run


def pace_key(marketplace: str, account: int | None = None) -> str:
    """The bucket: a hash with ``tokens`` (how many are left at ``at``) and ``at`` (server ms). Missing means full.

    The installation reads from the marketplace's own bucket, the one by which the schedule leases; a person's account
    has one of its own. A heavy request may leave a debt: then ``tokens`` is below zero for a while.
    """
    return key("pace", marketplace) if account is None else key("pace", marketplace, account)


def capacity(pace: Pace) -> float:
    """How many requests may go out at once after a rest: a tenth of a minute's, at least one."""
    return max(1.0, pace.per_minute / 10)


async def take(
    redis: redis.asyncio.Redis, *, marketplace: str, pace: Pace, account: int | None = None, weight: int = 1
) -> float:
    """Take the tokens of one request, all or none. Seconds to wait before trying again; 0 means they are taken."""
    waits_ms = await run(redis, "take", keys=[pace_key(marketplace, account)], args=[pace.per_minute, weight])
    return int(waits_ms) / 1000


def left(client: redis.Redis, *, marketplace: str, pace: Pace) -> float:
    """How many requests could go out now, for pages and ``status``; below zero after a heavy one."""
    tokens, at = client.hmget(pace_key(marketplace), "tokens", "at")
    if tokens is None or at is None:
        return capacity(pace)
    seconds, micros = client.time()
    gone_ms = max(0.0, seconds * 1000 + micros / 1000 - float(at))
    return min(capacity(pace), float(tokens) + gone_ms * pace.per_minute / 60_000)
