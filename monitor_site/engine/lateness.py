"""How far the schedule is behind, over all marketplaces that are asked: one figure for alarms, pages and probes."""

from collections.abc import Collection
from dataclasses import dataclass

import redis

from monitor_site.connections import key
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.catalog import catalog

from .schedule import LATE_MS

MOST_OVERDUE, OLDEST_MS = 1000, 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """So many searches are late by over a second, the latest by so many milliseconds."""

    overdue: int = 0
    oldest_ms: int = 0

    @property
    def is_bad(self) -> bool:
        """More than is to be borne for long."""
        return self.overdue > MOST_OVERDUE or self.oldest_ms > OLDEST_MS


def behind(client: redis.Redis) -> Behind:
    """What is late now where the breaker is closed. Raises ``RedisError``."""
    names = [name for name, view in breaker.read_all(client, catalog().plugins).items() if view["state"] == "closed"]
    return together(by_marketplace(client, names).values())


def by_marketplace(client: redis.Redis, names: Collection[str]) -> dict[str, Behind]:
    """What is late now at each of them. Raises ``RedisError``."""
    seconds, micros = client.time()
    now_ms = seconds * 1000 + micros // 1000
    with client.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.zcount(key("due", name), "-inf", now_ms - LATE_MS)
            pipe.zrange(key("due", name), 0, 0, withscores=True)
        told = pipe.execute()
    return {name: _behind(late, first, now_ms) for name, late, first in zip(names, told[::2], told[1::2], strict=True)}


def together(parts: Collection[Behind]) -> Behind:
    """Several of them as one."""
    overdue, oldest = sum(one.overdue for one in parts), max((one.oldest_ms for one in parts), default=0)
    return Behind(overdue=overdue, oldest_ms=oldest)


def _behind(late: int, first: list[tuple[bytes, float]], now_ms: int) -> Behind:
    return Behind(overdue=late, oldest_ms=max(0, now_ms - int(first[0][1])) if first else 0)
