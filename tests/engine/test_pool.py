"""How many workers the waiting work asks for, and when the pool adds or retires one."""

import asyncio
import os
import socket
import time
from types import SimpleNamespace
from typing import Any

import pytest

from monitor_site.engine import patience
from monitor_site.engine.pool import CALM_LOOKS, Facts, Pool, wanted_workers
from tests.engine.loads import say_load

CASES = [
    ({"waiting": 0, "late": 0, "present": 1, "least": 1, "most": 20}, 1),
    ({"waiting": 49, "late": 0, "present": 1, "least": 1, "most": 20}, 1),
    ({"waiting": 50, "late": 0, "present": 1, "least": 1, "most": 20}, 2),
    ({"waiting": 10, "late": 3, "present": 2, "least": 1, "most": 20}, 3),
    ({"waiting": 5_000, "late": 3, "present": 2, "least": 1, "most": 20}, 20),
    ({"waiting": 5_000, "late": 3, "present": 1, "least": 1, "most": 1}, 1),
    ({"waiting": 0, "late": 0, "present": 9, "least": 4, "most": 20}, 4),
]


@pytest.mark.parametrize(("facts", "wanted"), CASES)
def test_workers_follow_the_waiting_work_between_least_and_most(facts: dict[str, int], wanted: int) -> None:
    assert wanted_workers(**facts) == wanted


def a_pool(redis: Any, *, workers: int = 1) -> tuple[Pool, "FakeSupervisor"]:
    supervisor = FakeSupervisor()
    pool = Pool(supervisor=supervisor, client=redis, least=1, most=4)  # type: ignore[arg-type]
    for _ in range(workers):
        pool._add("checks")
    return pool, supervisor


class FakeSupervisor:
    """Takes note of parts instead of starting processes."""

    def __init__(self) -> None:
        self.added: list[Any] = []
        self.retired: list[Any] = []

    def add(self, part: Any) -> Any:
        child = SimpleNamespace(part=part, alive=True, age=100.0, ends=0, pid=os.getpid(), kills=[])
        child.kill = lambda: child.kills.append(part.name)
        self.added.append(child)
        return child

    async def retire(self, child: Any) -> None:
        self.retired.append(child)


def facts(pool: Pool, *, waiting: int = 0, late: int = 0, busy: bool = False) -> Facts:
    return Facts(alive=frozenset(pool.workers), waiting=waiting, late=late, busy=busy)


async def test_the_pool_grows_by_one_a_look_and_never_above_the_most(redis: Any) -> None:
    pool, supervisor = a_pool(redis)
    for _ in range(6):
        await pool._act(facts(pool, waiting=5_000, late=9))
    assert len(supervisor.added) == 4


async def test_a_worker_leaves_only_after_a_minute_in_which_fewer_would_have_done(redis: Any) -> None:
    pool, supervisor = a_pool(redis, workers=3)
    for _ in range(CALM_LOOKS - 1):
        await pool._act(facts(pool))
    await pool._act(facts(pool, late=1))
    for _ in range(CALM_LOOKS - 1):
        await pool._act(facts(pool))
    assert not pool.leaving
    await pool._act(facts(pool))
    await asyncio.gather(*pool.leaving)
    assert [child.part.name for child in supervisor.retired] == ["checks 4"]  # the newest leaves


async def test_on_a_busy_machine_the_pool_does_not_grow(redis: Any) -> None:
    pool, supervisor = a_pool(redis, workers=2)
    await pool._act(facts(pool, waiting=5_000, late=9, busy=True))
    assert len(supervisor.added) == 2


async def test_the_pool_waits_for_a_newcomer_before_it_adds_another(redis: Any) -> None:
    """On a machine where a start takes long it would add more and more, and none would ever get to work."""
    pool, supervisor = a_pool(redis)
    newcomer = supervisor.added[0]
    newcomer.age = 5.0
    unheard = Facts(alive=frozenset(), waiting=5_000, late=9)
    await pool._act(unheard)
    assert len(supervisor.added) == 1
    newcomer.ends = 1  # one that dies again and again keeps nobody from coming
    await pool._act(unheard)
    assert len(supervisor.added) == 2


@pytest.mark.parametrize(("starved", "kills"), [(False, ["checks 1"]), (True, [])])
async def test_a_silent_worker_is_ended_unless_it_waits_for_a_processor(
    redis: Any, monkeypatch: pytest.MonkeyPatch, starved: bool, kills: list[str]
) -> None:
    waited = {"1": lambda: 2 * time.monotonic()} if starved else {}
    monkeypatch.setattr(patience, "waited_by_thread", lambda _: {name: tell() for name, tell in waited.items()})
    monkeypatch.setattr("monitor_site.engine.pool.ALIVE_SECONDS", 0)
    pool, supervisor = a_pool(redis)
    await pool._act(Facts(alive=frozenset(), waiting=0, late=0))
    assert supervisor.added[0].kills == kills


def test_the_pool_knows_when_its_own_machine_is_busy(redis: Any) -> None:
    pool, _ = a_pool(redis)
    assert not pool._facts().busy
    say_load(redis, socket.gethostname(), level="careful")
    assert pool._facts().busy
