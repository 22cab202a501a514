"""Ten thousand looks at once, and a clock that is set back: what the scripts do over half an hour, in a moment."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from monitor_site.connections import async_redis_client, key
from monitor_site.contract import Pace
from tests.engine.clockwork import MARKET, START_MS, Clockwork, tell_the_time

SLOW = Pace(per_minute=20, ceiling_per_minute=45, floor_seconds=5, concurrency=4)
HOUR_MS = 3_600_000


@pytest.fixture
async def works(redis: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Clockwork]:
    tell_the_time(monkeypatch)
    async with async_redis_client() as client:
        yield Clockwork(redis=redis, client=client, pace=SLOW)


def crowd(count: int) -> list[str]:
    return [f"look:{number}" for number in range(1_000, 1_000 + count)]


async def test_behind_ten_thousand_looks_every_search_is_on_time_and_the_looks_use_what_is_left(
    works: Clockwork,
) -> None:
    works.put(crowd(10_000), due=START_MS)
    for number in range(6):
        works.put([str(number)], due=START_MS + number * 10_007)
    await works.run(seconds=30 * 60)
    searches, looks = works.lateness(looks=False), works.lateness(looks=True)
    assert 6 * 29 <= len(searches) <= 6 * 31
    assert max(searches) <= 3_500
    assert len(looks) + len(searches) >= 0.9 * 20 * 30


async def test_where_searches_alone_are_too_many_one_request_in_five_is_a_look(works: Clockwork) -> None:
    works.put(crowd(10_000), due=START_MS)
    works.put(map(str, range(40)), due=START_MS)
    await works.run(seconds=30 * 60)
    searches, looks = works.lateness(looks=False), works.lateness(looks=True)
    assert len(searches) + len(looks) >= 0.9 * 20 * 30
    assert 0.15 <= len(looks) / len(works.ran) <= 0.25
    assert {name for name, _ in works.ran if not name.startswith("look:")} == set(map(str, range(40)))


async def test_the_oldest_look_comes_first(works: Clockwork) -> None:
    for place, name in enumerate(crowd(50)):
        works.put([name], due=START_MS - HOUR_MS + place)
    await works.run(seconds=60)
    assert [name for name, _ in works.ran] == crowd(50)[: len(works.ran)]
    assert len(works.ran) > 15


@pytest.mark.parametrize("name", ["1", "look:1"])
async def test_a_clock_set_back_by_an_hour_after_an_outage_makes_nothing_wait_for_that_hour(
    works: Clockwork, redis: Any, name: str
) -> None:
    redis.set(key("resumed", MARKET), START_MS)
    works.set(START_MS - HOUR_MS)
    works.put([name], due=START_MS - HOUR_MS - 500)
    await works.run(seconds=1)
    (found,) = works.ran
    assert (found[0], 0 <= found[1] <= 500) == (name, True)


@pytest.mark.parametrize("name", ["1", "look:1"])
async def test_after_a_clock_set_back_an_empty_bucket_fills_again(works: Clockwork, redis: Any, name: str) -> None:
    redis.hset(key("pace", MARKET), mapping={"tokens": "0.1", "at": START_MS})
    works.set(START_MS - HOUR_MS)
    works.put([name], due=START_MS - HOUR_MS)
    await works.run(seconds=10)
    assert [ran for ran, _ in works.ran] == [name]


async def test_tickets_of_a_time_taken_back_keep_none_from_going_out(works: Clockwork) -> None:
    works.put(map(str, range(200)), due=START_MS - HOUR_MS - 1)
    asked = [works.schedule.ask(marketplace=MARKET, pace=SLOW, ticket=ticket).ticket for ticket in ("a", "b", "c")]
    assert asked == [True, True, False]
    works.set(START_MS - HOUR_MS)
    assert works.schedule.ask(marketplace=MARKET, pace=SLOW, ticket="d").ticket


async def test_a_dead_lease_whose_due_time_is_in_a_future_taken_back_is_not_leased_before_it(
    works: Clockwork, redis: Any
) -> None:
    works.put(["1"], due=START_MS)
    await works.leases.lease(marketplace=MARKET, pace=SLOW, slots=1, idle=True)
    works.set(START_MS - HOUR_MS)
    redis.zadd(key("due", MARKET), {"1": START_MS - HOUR_MS - 1})
    leased = await works.leases.lease(marketplace=MARKET, pace=SLOW, slots=1, idle=True)
    assert leased.leases == ()
    assert redis.zscore(key("due", MARKET), "1") == START_MS


async def test_looks_save_up_no_places_while_none_of_them_is_due(works: Clockwork) -> None:
    works.put(map(str, range(40)), due=START_MS)
    await works.run(seconds=10 * 60)
    works.ran.clear()
    works.put(crowd(100), due=works.now_ms)
    await works.run(seconds=60)
    assert 3 <= len(works.lateness(looks=True)) <= 6
