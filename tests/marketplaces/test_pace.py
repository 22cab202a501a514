"""One token bucket for all processes together, on the clock of the server."""

import asyncio

import pytest
import redis as redis_library
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from monitor_site.contract import Pace
from monitor_site.marketplaces.pace import capacity, left, pace_key, take
from monitor_site.marketplaces.tokens import Tokens
from tests.nowhere import closed_port

HOUR_MS = 3_600_000


async def test_a_missing_bucket_is_full(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    began = clock(redis)
    waits = [await take(aredis, marketplace="bazaar", pace=every(20)) for _ in range(3)]

    assert waits[:2] == [0, 0]
    assert 2 <= waits.count(0) <= most(redis, since=began)
    assert waits[2] <= 3


async def test_a_burst_from_many_sides_takes_no_token_twice(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    began = clock(redis)
    waits = await asyncio.gather(*(take(aredis, marketplace="bazaar", pace=every(20)) for _ in range(16)))

    assert 2 <= waits.count(0) <= most(redis, since=began)


async def test_a_heavy_request_takes_all_of_its_tokens_or_none(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    fill(redis, tokens=2, ago_ms=-HOUR_MS)

    waits = [await take(aredis, marketplace="bazaar", pace=every(30), weight=weight) for weight in (3, 2)]

    assert 0 < waits[0] <= 2
    assert waits[1] == 0


async def test_one_heavier_than_the_bucket_goes_when_it_is_full_and_the_next_wait_it_out(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    began = clock(redis)
    waits = [await take(aredis, marketplace="bazaar", pace=every(1), weight=weight) for weight in (5, 1)]
    debt, kept = left(redis, marketplace="bazaar", pace=every(1)), redis.pttl(pace_key("bazaar")) / 1000
    passed = clock(redis) - began

    assert waits[0] == 0
    assert 300 - passed <= waits[1] <= 300
    assert -4 <= debt <= -4 + passed / 60
    assert kept > 300 - passed, "a debt is not forgotten"


async def test_a_persons_account_does_not_take_from_the_marketplaces_bucket(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    assert await take(aredis, marketplace="bazaar", pace=every(1), account=7) == 0
    assert await take(aredis, marketplace="bazaar", pace=every(1), account=7) > 0
    assert await take(aredis, marketplace="bazaar", pace=every(1), account=8) == 0

    assert left(redis, marketplace="bazaar", pace=every(1)) == 1


async def test_what_is_left_grows_with_time_up_to_the_cap(redis: redis_library.Redis) -> None:
    began = clock(redis)
    fill(redis, tokens=0, ago_ms=3_000)
    found = left(redis, marketplace="bazaar", pace=every(20))
    assert 1 <= found <= min(2, 1 + (clock(redis) - began + 0.001) / 3)

    fill(redis, tokens=0, ago_ms=HOUR_MS)
    assert left(redis, marketplace="bazaar", pace=every(20)) == 2


async def test_buckets_of_marketplaces_are_their_own(aredis: redis.asyncio.Redis) -> None:
    await take(aredis, marketplace="bazaar", pace=every(1))

    assert await take(aredis, marketplace="flea", pace=every(1)) == 0


async def test_tokens_come_back_with_time(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    fill(redis, tokens=0, ago_ms=3_000)

    assert await take(aredis, marketplace="bazaar", pace=every(20)) == 0


async def test_a_long_rest_saves_up_no_more_than_the_cap(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    began = clock(redis)
    fill(redis, tokens=0, ago_ms=HOUR_MS)

    waits = [await take(aredis, marketplace="bazaar", pace=every(20)) for _ in range(4)]

    assert 2 <= waits.count(0) <= most(redis, since=began)


async def test_a_server_clock_set_back_neither_drains_nor_fills_the_bucket(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    began = clock(redis)
    fill(redis, tokens=1, ago_ms=-HOUR_MS)

    waits = [await take(aredis, marketplace="bazaar", pace=every(1)) for _ in range(2)]

    assert waits[0] == 0
    assert 60 - (clock(redis) - began) <= waits[1] <= 60


async def test_the_fields_are_what_the_schedule_reads(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    began = clock(redis)
    await take(aredis, marketplace="bazaar", pace=every(20))

    bucket = redis.hgetall(pace_key("bazaar"))

    assert set(bucket) == {b"tokens", b"at"}
    assert float(bucket[b"tokens"]) == 1
    assert began - 0.001 <= int(bucket[b"at"]) / 1000 <= clock(redis)


async def test_a_bucket_that_would_be_full_again_goes_by_itself(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await take(aredis, marketplace="bazaar", pace=every(1))

    assert 0 < redis.pttl(pace_key("bazaar")) <= 61_000


async def test_the_script_survives_a_redis_that_forgot_it(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await take(aredis, marketplace="bazaar", pace=every(20))
    redis.script_flush()

    assert await take(aredis, marketplace="bazaar", pace=every(20)) == 0


@pytest.mark.parametrize(("per_minute", "cap"), [(1, 1), (10, 1), (20, 2), (600, 60)])
def test_a_tenth_of_a_minute_may_go_out_at_once(per_minute: int, cap: float) -> None:
    assert capacity(every(per_minute)) == cap


def every(per_minute: int) -> Pace:
    return Pace(per_minute=per_minute, ceiling_per_minute=per_minute, floor_seconds=1)


def fill(redis: redis_library.Redis, *, tokens: float, ago_ms: int) -> None:
    redis.hset(pace_key("bazaar"), mapping={"tokens": tokens, "at": int(clock(redis) * 1000) - ago_ms})


def clock(redis: redis_library.Redis) -> float:
    """Seconds by the clock that buckets go by."""
    seconds, micros = redis.time()
    return seconds + micros / 1e6


def most(redis: redis_library.Redis, *, since: float) -> float:
    """How many tokens a bucket of twenty a minute may have given since then: the two it holds, and what came back."""
    return 2 + (clock(redis) - since) / 3


async def test_requests_of_one_moment_take_their_tokens_in_one_call_and_never_more_than_there_are(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    tokens = Tokens(aredis)
    await tokens.take(marketplace="flea", pace=every(50))  # the first call may have to bring the script
    before = _calls(redis)

    waits = await asyncio.gather(*(tokens.take(marketplace="bazaar", pace=every(50)) for _ in range(16)))

    assert waits.count(0) == 5
    assert all(0 < wait <= 1.2 for wait in waits[5:])
    assert _calls(redis) == before + 1


async def test_of_requests_of_one_moment_a_light_one_passes_the_heavy_one_that_must_wait(
    aredis: redis.asyncio.Redis,
) -> None:
    tokens = Tokens(aredis)

    waits = await asyncio.gather(*(tokens.take(marketplace="bazaar", pace=every(20), weight=w) for w in (1, 2, 1)))

    assert (waits[0], waits[2]) == (0, 0)
    assert 0 < waits[1] <= 3


async def test_of_requests_of_one_moment_each_bucket_gives_its_own(aredis: redis.asyncio.Redis) -> None:
    tokens = Tokens(aredis)

    waits = await asyncio.gather(*(tokens.take(marketplace="bazaar", pace=every(10), account=a) for a in (None, 7, 7)))

    assert waits[:2] == [0, 0]
    assert waits[2] > 0


async def test_who_gives_up_waiting_takes_nobody_elses_turn(aredis: redis.asyncio.Redis) -> None:
    tokens = Tokens(aredis)
    asked = [asyncio.ensure_future(tokens.take(marketplace="bazaar", pace=every(20))) for _ in range(2)]
    await asyncio.sleep(0)
    asked[0].cancel()

    assert await asked[1] == 0
    await tokens.close()


async def test_all_that_wait_in_vain_hear_that_redis_is_away() -> None:
    away = redis.asyncio.Redis(port=closed_port(), retry=Retry(NoBackoff(), 0))
    tokens = Tokens(away)

    found = await asyncio.gather(
        *(tokens.take(marketplace="bazaar", pace=every(20)) for _ in range(2)), return_exceptions=True
    )

    assert [type(one) for one in found] == [redis_library.ConnectionError] * 2
    await away.aclose()


def _calls(client: redis_library.Redis) -> int:
    """How many scripts the server has run."""
    told = client.info("commandstats")
    return sum(int(told.get(f"cmdstat_{name}", {"calls": 0})["calls"]) for name in ("evalsha", "eval"))
