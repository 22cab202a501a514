"""Schedules, breakers, pace and promoters as they stand in Redis: a few calls, however much is due."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import redis

from monitor_site.connections import key
from monitor_site.contract import Pace
from monitor_site.engine.heartbeat import HEARTBEAT_SECONDS, PROMOTERS
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.breaker import BreakerView
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.pace import capacity, pace_key

OVERDUE_MS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """One marketplace in the schedule.

    ``searches`` and ``looks`` stand in it, ``leased`` of them at workers; ``due`` could run now, ``overdue`` and
    ``looks_overdue`` are late by more than a second, ``oldest_ms`` is the lateness of the latest search, 0 when none
    is due. ``tokens`` are left of ``capacity``. ``suspects`` are questions under suspicion of killing workers.
    """

    name: str
    searches: int
    looks: int
    leased: int
    due: int
    overdue: int
    looks_overdue: int
    oldest_ms: int
    tickets: int
    suspects: int
    tokens: float
    pace: Pace
    breaker: BreakerView
    last_success: datetime | None

    @property
    def capacity(self) -> float:
        """How many requests may go out at once after a rest."""
        return capacity(self.pace)

    @property
    def used(self) -> float:
        """Which share of its bucket is used, 0 to 1; a debt counts as all."""
        return min(1.0, max(0.0, 1 - self.tokens / self.capacity))


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoter:
    """One promoter that was heard of in the last minutes; moments are server ms."""

    name: str
    host: str
    since_ms: int
    beat_ms: int
    alive: bool


def markets(client: redis.Redis, *, now_ms: int) -> list[Market]:
    """Every marketplace that has a plugin, by name."""
    names = sorted(catalog().plugins)
    breakers, successes = breaker.read_all(client, names), breaker.last_successes(client, names)
    with client.pipeline(transaction=False) as pipe:
        for name in names:
            _ask(pipe, name, now_ms)
        replies = pipe.execute()
    size = len(replies) // len(names) if names else 0
    rows = [replies[index * size : (index + 1) * size] for index in range(len(names))]
    return [_market(name, row, now_ms, breakers[name], successes[name]) for name, row in zip(names, rows, strict=True)]


def _ask(pipe: Any, name: str, now_ms: int) -> None:
    due, looks = key("due", name), key("looks", name)
    pipe.zcard(due)
    pipe.zcard(looks)
    pipe.hlen(key("lease", name))
    pipe.zcount(due, "-inf", now_ms)
    pipe.zcount(due, "-inf", now_ms - OVERDUE_MS)
    pipe.zcount(looks, "-inf", now_ms - OVERDUE_MS)
    pipe.zrange(due, 0, 0, withscores=True)
    pipe.zcount(key("tickets", name), now_ms, "+inf")
    pipe.hlen(key("suspects", name))
    pipe.hmget(pace_key(name), "tokens", "at")


def _market(name: str, row: list[Any], now_ms: int, view: BreakerView, success: datetime | None) -> Market:
    searches, looks, leased, due, overdue, looks_overdue, first, tickets, suspects, bucket = row
    pace = catalog().pace(name)
    return Market(
        name=name,
        searches=searches,
        looks=looks,
        leased=leased,
        due=due,
        overdue=overdue,
        looks_overdue=looks_overdue,
        oldest_ms=max(0, now_ms - int(first[0][1])) if first else 0,
        tickets=tickets,
        suspects=suspects,
        tokens=_tokens(bucket, pace, now_ms),
        pace=pace,
        breaker=view,
        last_success=success,
    )


def _tokens(bucket: list[Any], pace: Pace, now_ms: int) -> float:
    tokens, at = bucket
    if tokens is None or at is None:
        return capacity(pace)
    return min(capacity(pace), float(tokens) + max(0.0, now_ms - float(at)) * pace.per_minute / 60_000)


def promoters(client: redis.Redis, *, now_ms: int) -> list[Promoter]:
    """Those that were heard of in the last minutes, the living ones first."""
    told: Mapping[Any, Any] = client.hgetall(key(PROMOTERS))
    found = [_promoter(name.decode(), text.decode(), now_ms) for name, text in told.items()]
    return sorted(found, key=lambda one: (not one.alive, one.name))


def _promoter(name: str, text: str, now_ms: int) -> Promoter:
    beat, since, host = text.split("|", 2)
    alive = now_ms - int(beat) < HEARTBEAT_SECONDS * 1000
    return Promoter(name=name, host=host, since_ms=int(since), beat_ms=int(beat), alive=alive)


def is_built(client: redis.Redis) -> bool:
    """Whether the schedule is complete."""
    return bool(client.exists(key("built")))
