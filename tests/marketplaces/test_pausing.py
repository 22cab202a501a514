"""An operator's pause holds whatever happens to Redis; a probe lets one request try."""

from datetime import datetime
from typing import Any

import pytest
import redis as redis_library

from monitor_site.marketplaces import breaker, pausing
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.marketplaces.models import MarketplacePause

pytestmark = pytest.mark.django_db(transaction=True)


def state(redis: Any) -> tuple[str, str | None, str]:
    view = breaker.read_all(redis, ["mercari"])["mercari"]
    return view["state"], view["until"], view["reason"]


def paused(now: datetime) -> bool:
    return pausing.pause(marketplace="mercari", by="carol", reason="their word", now=now)


def stop(redis: Any, *, seconds: int) -> None:
    until = redis.time()[0] * 1000 + seconds * 1000
    fields = {"state": "open", "until": until, "reason": "blocked", "opened": until, "length": 60_000}
    redis.hset(breaker_key("mercari"), mapping=fields)


def test_a_paused_marketplace_is_asked_nothing_until_it_is_resumed(redis: Any, now: datetime) -> None:
    assert paused(now)
    assert not paused(now), "a second pause keeps the first"
    assert state(redis) == ("open", None, "paused")
    assert pausing.resume(marketplace="mercari")
    assert not pausing.resume(marketplace="mercari")
    assert state(redis) == ("closed", None, "")


async def test_neither_success_nor_failure_nor_a_reset_ends_it(redis: Any, now: datetime) -> None:
    from monitor_site.connections import async_redis_client

    redis.hset(breaker_key("mercari"), mapping={"state": "open", "until": 9_999_999_999_999, "reason": "paused"})
    async with async_redis_client() as client:
        await breaker.note(client, marketplace="mercari", ok=True)
        await breaker.trip(client, marketplace="mercari", seconds=60, reason="blocked")
    assert not breaker.reset(redis, marketplace="mercari")
    assert state(redis) == ("open", None, "paused")


def test_redis_lost_hears_of_it_again_and_of_its_end(redis: Any, now: datetime) -> None:
    paused(now)
    redis.flushall()
    pausing.apply(redis)
    assert state(redis)[2] == "paused"
    MarketplacePause.objects.all().delete()
    pausing.apply(redis)
    assert state(redis)[0] == "closed"


def test_without_redis_the_row_stands_all_the_same(redis: Any, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr(pausing, "redis_client", lambda: nowhere)
    assert paused(now)
    assert MarketplacePause.objects.get().reason == "their word"


def test_a_probe_half_opens_what_is_open_and_nothing_else(redis: Any, now: datetime) -> None:
    assert not pausing.probe(redis, marketplace="mercari")
    assert not redis.exists(breaker_key("mercari"))
    stop(redis, seconds=600)
    assert pausing.probe(redis, marketplace="mercari")
    assert state(redis)[0] == "half_open"
    assert not pausing.probe(redis, marketplace="mercari")
    redis.delete(breaker_key("mercari"))
    paused(now)
    assert not pausing.probe(redis, marketplace="mercari")
    assert state(redis) == ("open", None, "paused")
