"""How busy a machine is, and what gives way for that."""

import asyncio
from typing import Any

import pytest

from monitor_site.connections import async_redis_client
from monitor_site.contract import Pace
from monitor_site.engine import machines
from monitor_site.engine.machines import Level, LoadState, Reading, Scales, eased, load_state, next_state
from tests.engine.loads import say_load


def state(level: Level = Level.NORMAL, *, cpu: float = 50, since: float = 0, at: float = 100) -> LoadState:
    return LoadState(level=level, cpu=cpu, memory=50, since=since, at=at)


STEPS = [
    # before, what is seen a minute later (so that nothing is smoothed), the level that follows
    (state(), Reading(cpu=74, memory=50), Level.NORMAL),
    (state(), Reading(cpu=76, memory=50), Level.CAREFUL),
    (state(), Reading(cpu=10, memory=81), Level.CAREFUL),
    (state(), Reading(cpu=99, memory=50), Level.SHEDDING),
    (state(), Reading(cpu=10, memory=95), Level.SHEDDING),
    (state(Level.CAREFUL), Reading(cpu=70, memory=50), Level.CAREFUL),
    (state(Level.CAREFUL), Reading(cpu=60, memory=75), Level.CAREFUL),
    (state(Level.CAREFUL), Reading(cpu=60, memory=60), Level.NORMAL),
    (state(Level.SHEDDING), Reading(cpu=85, memory=50), Level.SHEDDING),
    (state(Level.SHEDDING), Reading(cpu=80, memory=50), Level.CAREFUL),
    (state(Level.SHEDDING), Reading(cpu=10, memory=50), Level.NORMAL),
]


@pytest.mark.parametrize(("before", "seen", "level"), STEPS)
def test_the_level_goes_up_at_a_threshold_and_down_only_well_below_it(
    before: LoadState, seen: Reading, level: Level
) -> None:
    assert next_state(before, seen, at=160).level == level


def test_a_first_look_counts_in_full() -> None:
    assert next_state(None, Reading(cpu=99, memory=10), at=5).level == Level.SHEDDING


def test_a_short_peak_is_smoothed_away_and_a_lasting_one_is_not() -> None:
    now = state(cpu=20)
    now = next_state(now, Reading(cpu=100, memory=50), at=102)
    assert now.level == Level.NORMAL
    for moment in range(104, 130, 2):
        now = next_state(now, Reading(cpu=100, memory=50), at=moment)
    assert now.level == Level.SHEDDING


def test_a_level_lasts_at_least_half_a_minute_before_it_goes_down() -> None:
    before = state(Level.CAREFUL, since=95)
    quiet = Reading(cpu=5, memory=5)
    assert next_state(before, quiet, at=124).level == Level.CAREFUL
    assert next_state(before, quiet, at=125).level == Level.NORMAL


def test_a_clock_set_back_changes_no_figure() -> None:
    assert next_state(state(cpu=20), Reading(cpu=100, memory=50), at=50).cpu == 20


@pytest.mark.parametrize(
    ("concurrency", "level", "left"),
    [(4, "normal", 4), (4, "careful", 2), (4, "shedding", 1), (1, "careful", 1), (1, "shedding", 1)],
)
def test_concurrency_is_halved_and_one_request_is_always_left(concurrency: int, level: str, left: int) -> None:
    pace = Pace(per_minute=60, ceiling_per_minute=60, floor_seconds=1, concurrency=concurrency)
    assert eased(pace, Level(level)).concurrency == left


def test_the_busiest_machine_speaks_for_all(redis: Any) -> None:
    say_load(redis, "a", level="normal", cpu=70)
    say_load(redis, "b", level="careful", cpu=50)
    say_load(redis, "c", level="shedding", age=60)
    found = load_state(redis)
    assert found is not None
    assert found.level == Level.CAREFUL


def test_nothing_is_known_of_machines_that_never_told_or_told_nonsense(redis: Any) -> None:
    assert load_state(redis) is None
    redis.hset("{mm}:load", mapping={"a": "nonsense", "b": "[]", "c": '{"level": "odd"}'})
    assert load_state(redis) is None


async def weighed(scales: Scales, *moments: float) -> None:
    async with async_redis_client() as client:
        for moment in moments:
            await scales.weigh(client, at=moment)


def test_workers_of_one_machine_share_a_state_and_tell_of_a_change_once(
    redis: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOAD_GUARD = True
    told: list[Any] = []
    monkeypatch.setattr(machines, "level_changed", lambda host, state: told.append(state.level))
    monkeypatch.setattr(machines.psutil, "cpu_percent", lambda interval: 99.0)
    first, second = Scales(), Scales()
    now = float(redis.time()[0])
    asyncio.run(weighed(first, now))
    asyncio.run(weighed(second, now + 1, now + 2))
    assert told == [Level.SHEDDING]
    assert first.state is not None
    assert second.state is not None
    assert second.state.since == first.state.since
    pace = Pace(per_minute=60, ceiling_per_minute=60, floor_seconds=1, concurrency=32)
    assert second.eased(pace).concurrency == 8


def test_without_the_guard_nothing_gives_way(redis: Any) -> None:
    scales = Scales()
    asyncio.run(weighed(scales, 5))
    assert scales.state is None
    pace = Pace(per_minute=60, ceiling_per_minute=60, floor_seconds=1, concurrency=32)
    assert scales.eased(pace) == pace
    assert not redis.exists("{mm}:load")
