"""Every call is bounded, whatever waits: nobody holds Redis for long, and nobody asks it much while nothing is due."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

import monitor_site
from monitor_site.connections import async_redis_client, key
from monitor_site.contract import Pace
from monitor_site.engine import worker
from monitor_site.engine.flight import MOST_IN_FLIGHT
from monitor_site.engine.promoter import Promoter
from monitor_site.engine.schedule import MOST_IDS, UPKEEP, Lease, Leases, Return, Schedule

WIDE = Pace(per_minute=600_000, ceiling_per_minute=600_000, floor_seconds=1, concurrency=5_000)
MARKET = "market"
SCRIPTS = sorted(Path(monitor_site.__file__).parent.glob("*/lua/*.lua"))


@pytest.fixture
async def leases(redis: Any, stopped_clock: None) -> AsyncIterator[Leases]:
    async with async_redis_client() as client:
        yield Leases(client, worker="w1")


def fill(redis: Any, count: int) -> Schedule:
    schedule = Schedule(redis)
    schedule.put(marketplace=MARKET, moves=[(str(number), "at", 0) for number in range(count)])
    return schedule


async def lease_all(leases: Leases, count: int) -> list[Lease]:
    held: list[Lease] = []
    while len(held) < count:
        found = (await leases.lease(marketplace=MARKET, pace=WIDE, slots=count - len(held), idle=not held)).leases
        assert 0 < len(found) <= MOST_IDS
        held += found
    return held


async def test_all_that_a_worker_may_hold_is_extended_and_returned_in_one_call_each(redis: Any, leases: Leases) -> None:
    fill(redis, MOST_IN_FLIGHT)
    held = await lease_all(leases, MOST_IN_FLIGHT)
    assert await leases.extend(marketplace=MARKET, leases=held) == set()
    returns = [Return(lease=lease, how="release") for lease in held]
    back = await leases.give_back(marketplace=MARKET, returns=returns)
    assert (back.lost, redis.hlen(key("lease", MARKET))) == (frozenset(), 0)
    assert redis.zcard(key("due", MARKET)) == MOST_IN_FLIGHT


async def test_no_call_holds_the_server_for_long_however_many_are_overdue(redis: Any, leases: Leases) -> None:
    schedule = fill(redis, 20_000)
    before = worked_seconds(redis)
    for number in range(5):
        schedule.ask(marketplace=MARKET, pace=WIDE, ticket=str(number))
        await leases.lease(marketplace=MARKET, pace=WIDE, slots=100, idle=True)
    assert (worked_seconds(redis) - before) / 10 < 0.05


def worked_seconds(redis: Any) -> float:
    """What the server has worked itself; how long that took depends on who else worked."""
    told = redis.info("cpu")
    return float(told["used_cpu_user"] + told["used_cpu_sys"])


async def test_a_leased_id_that_lost_its_place_alone_is_put_back_and_leased_again(redis: Any, leases: Leases) -> None:
    schedule = fill(redis, 1)
    await lease_all(leases, 1)
    redis.delete(key("due", MARKET))  # as when a server evicts a key
    schedule.put(marketplace=MARKET, moves=[("0", "new", schedule.now_ms() - 1)])
    again = await leases.lease(marketplace=MARKET, pace=WIDE, slots=1, idle=True)
    assert [lease.id for lease in again.leases] == ["0"]


async def test_what_is_missing_is_added_beside_leases_that_go_on(redis: Any, leases: Leases) -> None:
    schedule = fill(redis, 1)
    held = await lease_all(leases, 1)
    before = redis.zscore(key("due", MARKET), "0")
    assert schedule.put(marketplace=MARKET, moves=[("0", "new", 1)]) == 0
    assert redis.zscore(key("due", MARKET), "0") == before
    assert await leases.extend(marketplace=MARKET, leases=held) == set()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_touches_only_keys_that_it_is_given(script: Path) -> None:
    named = re.findall(r"redis\.call\('[A-Z]+', ([\w]+)", script.read_text(encoding="utf-8"))
    assert set(named) <= {"KEYS", "set", "set_of", "look"}
    assert key("due", "a").startswith("{mm}:")


@pytest.mark.django_db(transaction=True)
def test_a_promoter_with_nothing_due_asks_redis_for_little(redis: Any) -> None:
    promoter = Promoter(client=redis)
    promoter.round()
    redis.delete(key("due", UPKEEP))
    before = redis.info("stats")["total_commands_processed"]
    assert promoter.round() == 1.0
    assert redis.info("stats")["total_commands_processed"] - before < 60


def test_a_worker_gives_up_a_server_that_says_nothing_within_half_a_minute(redis: Any) -> None:
    built = worker.build(lane="checks", name="w")
    assert built.dequeue_timeout < built.connection.connection_pool.connection_kwargs["socket_timeout"] <= 30


@pytest.mark.django_db(transaction=True)
def test_a_ticket_that_failed_is_forgotten_within_a_minute_and_one_that_ran_at_once(
    redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitor_site.engine.promoter.TICKET_TTL_MS", 600_000)  # it waits for a busy machine
    promoter = Promoter(client=redis)
    promoter.round()
    promoter.schedule.put(marketplace=UPKEEP, moves=[("audit", "at", 0)])
    promoter.round()
    (ticket,) = Queue(UPKEEP, connection=redis, serializer=JSONSerializer).jobs
    assert (ticket.result_ttl, ticket.failure_ttl) == (0, 60)
