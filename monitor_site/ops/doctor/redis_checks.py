"""Redis: there, near, new enough, and never throwing a key away."""

import re
import statistics
import time
from collections.abc import Iterable, Mapping
from typing import Any

import redis

from .finding import Finding, fail, ok, warn

PINGS = 7
SLOW_MS = 2.0
OLDEST, RECOMMENDED = (6, 2), (7, 0)
FULL = 0.9


def reachable(client: redis.Redis) -> Iterable[Finding]:
    """It answers, and within two milliseconds."""
    try:
        took = statistics.median(_ping_ms(client) for _ in range(PINGS))
    except redis.RedisError as error:
        yield fail("redis", f"does not answer: {error}", "Start it, or correct REDIS_URL; nothing runs without it.")
        return
    words = f"answers in {took:.2f} ms"
    if took > SLOW_MS:
        yield warn("redis", words, "Above 2 ms checks start late: bring Redis and workers closer to each other.")
    else:
        yield ok("redis", words)


def _ping_ms(client: redis.Redis) -> float:
    started = time.perf_counter()
    client.ping()
    return (time.perf_counter() - started) * 1000


def version(info: Mapping[str, Any]) -> Iterable[Finding]:
    """The scripts need commands of Redis 6.2."""
    told = str(info.get("valkey_version") or info.get("redis_version", ""))
    numbers = tuple(int(part) for part in re.findall(r"\d+", str(info.get("redis_version", "")))[:2])
    if not numbers:
        yield warn("redis version", "the server does not say", "Redis 7 or newer, or any Valkey, is needed.")
    elif numbers < OLDEST:
        yield fail("redis version", told, "Use Redis 7 or newer, or any Valkey.")
    elif numbers < RECOMMENDED:
        yield warn("redis version", told, "Redis 7 or newer is what this is tested with.")
    else:
        yield ok("redis version", told)


def eviction(info: Mapping[str, Any]) -> Iterable[Finding]:
    """A server that evicts throws parts of the schedule away."""
    policy = str(info.get("maxmemory_policy", ""))
    if policy == "noeviction":
        yield ok("redis eviction", "noeviction")
    elif policy:
        yield warn("redis eviction", policy, "Set maxmemory-policy to noeviction: jobs and schedules may vanish.")
    else:
        yield warn("redis eviction", "the server does not say", "See to it that maxmemory-policy is noeviction.")


def memory(info: Mapping[str, Any]) -> Iterable[Finding]:
    """A full server refuses writes."""
    used, most = int(info.get("used_memory", 0)), int(info.get("maxmemory", 0))
    words = f"{used / 2**20:.0f} MiB used" + (f" of {most / 2**20:.0f}" if most else "")
    if most and used > FULL * most:
        yield warn("redis memory", words, "Give it more: when it is full, nothing can be put on a lane.")
    else:
        yield ok("redis memory", words)


def persistence(info: Mapping[str, Any]) -> Iterable[Finding]:
    """All of Redis may be lost; a server that cannot save stops taking writes, though."""
    if info.get("loading"):
        yield warn("redis persistence", "still loading its data", "Wait until it has.")
    elif info.get("rdb_last_bgsave_status", "ok") != "ok" or info.get("aof_last_write_status", "ok") != "ok":
        yield fail("redis persistence", "its last save failed", "Is its disk full? It may refuse writes.")
    elif info.get("aof_enabled"):
        yield ok("redis persistence", "keeps an append-only file")
    else:
        yield ok("redis persistence", "may forget at a restart; the schedule is then built anew from the database")
