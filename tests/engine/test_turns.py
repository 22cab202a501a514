"""Where not everything that is due can run at once: what goes first, and that nothing waits for ever."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
import redis.asyncio

from monitor_site.connections import async_redis_client, key
from monitor_site.contract import Pace
from monitor_site.engine import schedule as scheduling
from monitor_site.engine.schedule import Leases, Return, Schedule
from monitor_site.watches.models import Target
from monitor_site.watches.record import rank_of, standing_of
from tests.engine.clockwork import MARKET, START_MS, Clockwork, tell_the_time

PACE = Pace(per_minute=60_000, ceiling_per_minute=60_000, floor_seconds=1, concurrency=4)


@pytest.fixture
async def client(redis: Any) -> AsyncIterator[redis.asyncio.Redis]:
    async with async_redis_client() as client:
        yield client


@pytest.fixture
def clock(redis: Any, client: Any, monkeypatch: pytest.MonkeyPatch) -> Clockwork:
    tell_the_time(monkeypatch)
    return Clockwork(redis=redis, client=client, pace=PACE)


def row(pk: int, *, importance: int = 50, seconds: int = 60, took_ms: int = 0) -> Target:
    return Target(
        pk=pk,
        key=f"{pk * 10_007:012x}{0:052}",
        interval_seconds=seconds,
        importance=importance,
        spent=[[took_ms, 1]] * 5 if took_ms else [],
    )


def due(clock: Clockwork, rows: list[Target], *, late_ms: int) -> None:
    clock.put([str(one.pk) for one in rows], due=clock.now_ms - late_ms)
    clock.schedule.rank(MARKET, {str(one.pk): rank_of(one) for one in rows})


async def leased(clock: Clockwork, count: int = 4) -> list[str]:
    found = await clock.leases.lease(marketplace=MARKET, pace=PACE, slots=count, idle=True)
    return [lease.id for lease in found.leases]


async def test_of_what_is_equally_late_the_important_goes_first(clock: Clockwork) -> None:
    due(clock, [row(pk) for pk in range(1, 9)], late_ms=1000)
    due(clock, [row(50, importance=80)], late_ms=1000)
    assert (await leased(clock))[0] == "50"


async def test_of_what_is_equally_important_the_one_goes_first_that_has_waited_more_of_its_deadline(
    clock: Clockwork,
) -> None:
    due(clock, [row(1, seconds=300), row(2, seconds=60), row(3, seconds=5), row(4, seconds=120)], late_ms=5000)
    due(clock, [row(5, seconds=600)], late_ms=5000)
    assert await leased(clock, 3) == ["3", "2", "4"]


async def test_of_what_is_equal_the_quick_goes_first(clock: Clockwork) -> None:
    due(clock, [row(1, took_ms=9_000), row(2, took_ms=50), row(3, took_ms=3_000)], late_ms=1000)
    assert await leased(clock, 2) == ["2", "3"]


async def test_what_nobody_has_ranked_goes_by_its_time(clock: Clockwork) -> None:
    for name, late in (("1", 100), ("2", 5_000), ("3", 1_000)):
        clock.put([name], due=clock.now_ms - late)
    assert await leased(clock, 2) == ["2", "3"]


async def test_when_all_can_run_all_run_whatever_their_rank(clock: Clockwork) -> None:
    due(clock, [row(pk, importance=pk * 10) for pk in range(1, 5)], late_ms=1000)
    assert set(await leased(clock)) == {"1", "2", "3", "4"}


async def test_hot_and_important_questions_never_starve_a_low_one(clock: Clockwork, redis: Any) -> None:
    """Two dozen hot ones want more than there is, for ever; the low one runs all the same, again and again."""
    rows = {str(pk): row(pk, importance=100, seconds=1) for pk in range(1, 25)}
    rows["99"] = row(99, importance=0, seconds=30, took_ms=9_999)
    due(clock, list(rows.values()), late_ms=0)
    ran: Counter[str] = Counter()
    for _ in range(1500):
        found = await clock.leases.lease(marketplace=MARKET, pace=PACE, slots=4, idle=True)
        ran.update(lease.id for lease in found.leases)
        clock.set(clock.now_ms + 250)
        returns = [
            Return(lease=lease, how="beat", standing=standing_of(rows[lease.id], delay_ms=0)) for lease in found.leases
        ]
        await clock.leases.give_back(marketplace=MARKET, returns=returns)
    assert clock.now_ms - START_MS == 375_000
    assert ran["99"] >= 2
    assert min(ran[name] for name in rows if name != "99") > 100


async def test_a_return_brings_its_rank_and_what_leaves_takes_it_along(clock: Clockwork, redis: Any) -> None:
    clock.put(["1", "2"], due=clock.now_ms)
    found = await clock.leases.lease(marketplace=MARKET, pace=PACE, slots=4, idle=True)
    returns = [
        Return(lease=lease, how="beat", standing=standing_of(row(int(lease.id), importance=70), delay_ms=0))
        for lease in found.leases
    ]
    await clock.leases.give_back(marketplace=MARKET, returns=returns)
    assert redis.hgetall(key("rank", MARKET)) == {b"1": b"70|60000|0", b"2": b"70|60000|0"}
    clock.schedule.put(marketplace=MARKET, moves=[("1", "remove", 0)])
    assert redis.hkeys(key("rank", MARKET)) == [b"2"]


@pytest.mark.usefixtures("stopped_clock")
async def test_a_thousand_that_wait_are_leased_each_once(redis: Any, client: Any) -> None:
    schedule, leases = Schedule(redis), Leases(client, worker="w1")
    wide = Pace(per_minute=600_000, ceiling_per_minute=600_000, floor_seconds=1, concurrency=2000)
    names = [str(number) for number in range(1000)]
    schedule.put(marketplace=MARKET, moves=[(name, "at", 1) for name in names])
    schedule.rank(MARKET, {name: f"{int(name) % 100}|60000|{int(name) % 7}" for name in names})
    ran: Counter[str] = Counter()
    for _ in range(10):
        found = await leases.lease(marketplace=MARKET, pace=wide, slots=100, idle=True)
        assert len(found.leases) == scheduling.MOST_IDS
        ran.update(lease.id for lease in found.leases)
    assert set(ran) == set(names)
    assert set(ran.values()) == {1}


@pytest.mark.parametrize("kind", ["search", "listing", "sold"])
def test_every_kind_has_an_importance_of_its_own_unless_somebody_says_otherwise(kind: str) -> None:
    usual = {"search": 50, "listing": 20, "sold": 10}[kind]
    assert rank_of(Target(pk=1, kind=kind, interval_seconds=3600)) == f"{usual}|300000|0"
    assert rank_of(Target(pk=1, kind=kind, interval_seconds=10, importance=0)) == "0|10000|0"
