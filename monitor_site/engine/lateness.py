"""How far the schedule is behind, over all marketplaces that are asked: one figure for alarms, pages and probes."""

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
    with client.pipeline(transaction=False) as pipe:
        pipe.time()
        for name in names:
            pipe.zrange(key("due", name), 0, 0, withscores=True)
        (seconds, micros), *first = pipe.execute()
    now_ms = seconds * 1000 + micros // 1000
    oldest = max((now_ms - int(rows[0][1]) for rows in first if rows), default=0)
    late = sum(int(client.zcount(key("due", name), "-inf", now_ms - LATE_MS)) for name in names)
    return Behind(overdue=late, oldest_ms=max(0, oldest))
