"""How often a marketplace may be asked: one token bucket in Redis for all processes together."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import redis
import redis.asyncio
from redis.exceptions import RedisError

from monitor_site.connections import key
from monitor_site.contract import Pace

from .scripts import run

SLICE, HOUR, DAY = 600, 3600, 86_400


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
    (wait,) = await take_each(redis, marketplace=marketplace, pace=pace, account=account, weights=[weight])
    return wait


async def take_each(
    redis: redis.asyncio.Redis, *, marketplace: str, pace: Pace, account: int | None, weights: Sequence[int]
) -> list[float]:
    """The same for several requests, one after the other in one step."""
    waits = await run(redis, "take", keys=[pace_key(marketplace, account)], args=[pace.per_minute, *weights])
    taken = sum(weight for weight, wait in zip(weights, waits, strict=True) if not wait)
    if account is not None and taken:
        with suppress(RedisError):
            await _count(redis, marketplace, account, taken)
    return [int(wait) / 1000 for wait in waits]


async def _count(redis: redis.asyncio.Redis, marketplace: str, account: int, weight: int) -> None:
    """What an account asked for, by slices of ten minutes, for its person to see."""
    seconds, _ = await redis.time()
    name = key("asked", marketplace, account, seconds // DAY)
    async with redis.pipeline(transaction=False) as pipe:
        pipe.hincrby(name, str(seconds // SLICE), weight)
        pipe.expire(name, 2 * DAY)
        await pipe.execute()


def asked(client: redis.Redis, *, marketplace: str, account: int, now: float) -> tuple[int, int]:
    """How many requests went out in an account's name in the last hour and the last day, to ten minutes."""
    slices: dict[int, int] = {}
    for day in (int(now) // DAY, int(now) // DAY - 1):
        found: Any = client.hgetall(key("asked", marketplace, account, day))
        slices |= {int(name): int(count) for name, count in found.items()}
    last_hour, last_day = ((now - seconds) // SLICE for seconds in (HOUR, DAY))
    hour = sum(count for name, count in slices.items() if name > last_hour)
    return hour, sum(count for name, count in slices.items() if name > last_day)


def left(client: redis.Redis, *, marketplace: str, pace: Pace) -> float:
    """How many requests could go out now, for pages and ``status``; below zero after a heavy one."""
    tokens, at = client.hmget(pace_key(marketplace), "tokens", "at")
    if tokens is None or at is None:
        return capacity(pace)
    seconds, micros = client.time()
    gone_ms = max(0.0, seconds * 1000 + micros / 1000 - float(at))
    return min(capacity(pace), float(tokens) + gone_ms * pace.per_minute / 60_000)
