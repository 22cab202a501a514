"""The schedule's scripts on a real server: who may run what, when, and what happens when nobody returns."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import redis.asyncio

from monitor_site.connections import async_redis_client, key
from monitor_site.contract import Pace
from monitor_site.engine.schedule import AHEAD_MS, LONE_CRASHES, Leased, Leases, Return, Schedule
from monitor_site.watches.results import Standing

pytestmark = pytest.mark.usefixtures("stopped_clock")

PACE = Pace(per_minute=6_000, ceiling_per_minute=6_000, floor_seconds=1, concurrency=50)
MARKET = "market"


@pytest.fixture
def schedule(redis: Any) -> Schedule:
    return Schedule(redis)


@pytest.fixture
async def client(redis: Any) -> AsyncIterator[redis.asyncio.Redis]:
    async with async_redis_client() as client:
        yield client


class Worker:
    """A worker by its name, with everything in its favour unless a story says otherwise."""

    def __init__(self, client: Any, name: str = "w1") -> None:
        self.leases = Leases(client, worker=name)

    async def lease(self, **changes: Any) -> Leased:
        asked = {"marketplace": MARKET, "pace": PACE, "slots": 100, "idle": True} | changes
        return await self.leases.lease(**asked)

    async def back(self, *leases: Any, how: str = "beat", seconds: int = 5, delay_ms: int = 0) -> frozenset[str]:
        returns = [
            Return(lease=lease, how=how, standing=standing(lease.id, seconds=seconds, delay_ms=delay_ms))
            for lease in leases
        ]
        return (await self.leases.give_back(marketplace=MARKET, returns=returns)).lost


def standing(name: str, *, seconds: int = 5, delay_ms: int = 0) -> Standing:
    return Standing(target_id=1, key="0" * 64, active=True, interval_seconds=seconds, delay_ms=delay_ms)


def put(schedule: Schedule, *names: str, how: str = "at", due: int = 0) -> int:
    return schedule.put(marketplace=MARKET, moves=[(name, how, due) for name in names])


def score(redis: Any, name: str) -> int | None:
    found = redis.zscore(key("due", MARKET), name)
    return None if found is None else int(found)


def end_leases(redis: Any, *names: str) -> None:
    """As if ten seconds had passed."""
    redis.zadd(key("due", MARKET), dict.fromkeys(names, 1))


async def test_what_is_due_is_leased_once(schedule: Schedule, client: Any) -> None:
    put(schedule, "1", "2", "3")
    first, second = await Worker(client).lease(), await Worker(client, "w2").lease()
    assert {lease.id for lease in first.leases} == {"1", "2", "3"}
    assert second.leases == ()


async def test_what_is_due_later_than_the_look_ahead_waits(schedule: Schedule, client: Any) -> None:
    put(schedule, "soon", due=schedule.now_ms() + 30)
    put(schedule, "later", due=schedule.now_ms() + 60_000)
    leased = await Worker(client).lease()
    assert [lease.id for lease in leased.leases] == ["soon"]


async def test_the_most_overdue_come_first(schedule: Schedule, client: Any) -> None:
    for name, late in (("a", 100), ("b", 5_000), ("c", 1_000)):
        put(schedule, name, due=schedule.now_ms() - late)
    leased = await Worker(client).lease(slots=2)
    assert [lease.id for lease in leased.leases] == ["b", "c"]


async def test_concurrency_holds_over_all_workers(schedule: Schedule, client: Any) -> None:
    narrow = Pace(per_minute=6_000, ceiling_per_minute=6_000, floor_seconds=1, concurrency=3)
    put(schedule, *map(str, range(10)))
    first = await Worker(client).lease(pace=narrow, slots=2)
    second = await Worker(client, "w2").lease(pace=narrow)
    assert (len(first.leases), len(second.leases)) == (2, 1)


async def test_a_lease_call_says_how_long_nothing_else_is_due(schedule: Schedule, client: Any) -> None:
    put(schedule, "a")
    put(schedule, "b", due=schedule.now_ms() + 5_000)
    rest_ms = (await Worker(client).lease()).rest_ms
    assert AHEAD_MS < rest_ms <= 5_000


async def test_a_lease_call_that_left_something_says_so(schedule: Schedule, client: Any) -> None:
    put(schedule, "a", "b", due=1)
    assert (await Worker(client).lease(slots=1)).rest_ms == 0
    assert (await Worker(client).lease(slots=0)).rest_ms == 0


async def test_without_tokens_nothing_is_leased(schedule: Schedule, client: Any, redis: Any) -> None:
    slow = Pace(per_minute=20, ceiling_per_minute=45, floor_seconds=5, concurrency=4)
    put(schedule, "1", "2", "3")
    redis.hset(key("pace", MARKET), mapping={"tokens": 1.5, "at": schedule.now_ms()})
    assert len((await Worker(client).lease(pace=slow)).leases) == 1
    redis.hset(key("pace", MARKET), mapping={"tokens": 0.2, "at": schedule.now_ms()})
    assert (await Worker(client).lease(pace=slow)).leases == ()


async def test_an_open_breaker_lets_nothing_pass_and_a_half_open_one_a_single_probe(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    put(schedule, "1", "2", "3")
    redis.hset(key("breaker", MARKET), mapping={"state": "open", "until": schedule.now_ms() + 60_000})
    assert (await Worker(client).lease()).leases == ()
    redis.hset(key("breaker", MARKET), mapping={"state": "open", "until": schedule.now_ms() - 1})
    assert len((await Worker(client).lease()).leases) == 1
    assert (await Worker(client, "w2").lease()).leases == ()


async def test_a_returned_lease_is_due_at_the_next_beat_of_its_grid(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    worker = Worker(client)
    put(schedule, "1")
    (lease,) = (await worker.lease()).leases
    assert await worker.back(lease) == set()
    due = score(redis, "1")
    assert due is not None
    assert due % 5_000 == 0
    assert 0 < due - schedule.now_ms() <= 5_000
    assert redis.hlen(key("lease", MARKET)) == 0


async def test_a_lease_served_before_its_time_does_not_serve_the_same_beat_twice(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    worker = Worker(client)
    beat = (schedule.now_ms() // 5_000 + 1) * 5_000
    put(schedule, "1", due=schedule.now_ms())
    (lease,) = (await worker.lease()).leases
    from dataclasses import replace

    await worker.back(replace(lease, due_ms=beat))
    assert score(redis, "1") == beat + 5_000


async def test_a_failed_check_comes_back_with_its_delay(schedule: Schedule, client: Any, redis: Any) -> None:
    worker = Worker(client)
    put(schedule, "1")
    (lease,) = (await worker.lease()).leases
    await worker.back(lease, delay_ms=60_000)
    assert (score(redis, "1") or 0) > schedule.now_ms() + 59_000


async def test_released_and_removed_leases_go_where_they_should(schedule: Schedule, client: Any, redis: Any) -> None:
    worker = Worker(client)
    put(schedule, "stays", "goes")
    leases = {lease.id: lease for lease in (await worker.lease()).leases}
    await worker.back(leases["stays"], how="release")
    await worker.back(leases["goes"], how="remove")
    assert score(redis, "stays") == leases["stays"].due_ms
    assert score(redis, "goes") is None


async def test_a_lease_is_not_taken_before_its_end_whatever_the_look_ahead(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    put(schedule, "1")
    await Worker(client).lease()
    redis.zadd(key("due", MARKET), {"1": schedule.now_ms() + 40})
    assert (await Worker(client, "w2").lease()).leases == ()


async def test_an_old_lease_neither_extends_nor_returns(schedule: Schedule, client: Any, redis: Any) -> None:
    old, new = Worker(client), Worker(client, "w2")
    put(schedule, "1")
    (stale,) = (await old.lease()).leases
    end_leases(redis, "1")
    (fresh,) = (await new.lease()).leases
    assert fresh.fence > stale.fence
    assert await old.leases.extend(marketplace=MARKET, leases=[stale, fresh]) == {stale}
    assert await old.back(stale) == {"1"}
    assert await new.back(fresh) == set()


async def test_extending_moves_the_end_of_the_lease(schedule: Schedule, client: Any, redis: Any) -> None:
    worker = Worker(client)
    put(schedule, "1")
    (lease,) = (await worker.lease()).leases
    end_leases(redis, "1")
    assert await worker.leases.extend(marketplace=MARKET, leases=[lease]) == set()
    assert (score(redis, "1") or 0) > schedule.now_ms() + 9_000


async def test_after_everything_was_lost_an_old_lease_puts_nothing_back(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    worker = Worker(client)
    put(schedule, "1")
    (lease,) = (await worker.lease()).leases
    redis.flushall()
    assert await worker.back(lease) == {"1"}
    assert score(redis, "1") is None


async def test_what_nobody_returned_runs_alone_and_is_cleared_when_it_returns(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    worker = Worker(client)
    due = schedule.now_ms() - 500
    put(schedule, "poison", due=due)
    await worker.lease()
    end_leases(redis, "poison")
    put(schedule, "good")
    (lone,) = (await worker.lease()).leases
    assert (lone.id, lone.alone, lone.due_ms) == ("poison", True, due)
    await worker.back(lone)
    assert redis.hlen(key("suspects", MARKET)) == 0


async def test_a_busy_worker_empties_itself_for_a_suspect_while_the_other_goes_on(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    one, two = Worker(client), Worker(client, "w2")
    put(schedule, "poison")
    await one.lease()
    end_leases(redis, "poison")
    put(schedule, "a", "b")
    first = await one.lease(idle=False, slots=1)
    second = await two.lease(idle=False)
    assert (first.drain, second.drain) == (True, False)
    assert {lease.id for lease in (*first.leases, *second.leases)} == {"a", "b"}
    (lone,) = (await one.lease(idle=True)).leases
    assert lone.alone


async def test_an_emptied_worker_takes_the_suspect_before_anything_else_however_late(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    worker = Worker(client)
    put(schedule, "poison")
    await worker.lease()
    end_leases(redis, "poison")
    await worker.lease(idle=False)
    put(schedule, "older", due=schedule.now_ms() - 60_000)
    assert [lease.id for lease in (await worker.lease(idle=True)).leases] == ["poison"]


async def test_five_lone_crashes_quarantine_a_target(schedule: Schedule, client: Any, redis: Any) -> None:
    worker = Worker(client)
    put(schedule, "poison", "good")
    await worker.back(*[lease for lease in (await worker.lease()).leases if lease.id == "good"], how="remove")
    for _ in range(LONE_CRASHES):
        end_leases(redis, "poison")
        (lone,) = (await worker.lease()).leases
        assert lone.alone
    end_leases(redis, "poison")
    last = await worker.lease()
    assert (last.quarantined, last.leases) == (("poison",), ())
    assert score(redis, "poison") is None


@pytest.mark.parametrize("comes_back", ["extending", "returning"])
async def test_a_worker_that_only_came_late_takes_the_blame_off_what_it_ran(
    schedule: Schedule, client: Any, redis: Any, comes_back: str
) -> None:
    """Starved or stopped for longer than a lease, again and again: nothing killed it."""
    late, other = Worker(client), Worker(client, "w2")
    put(schedule, "slow")
    (held,) = (await late.lease()).leases
    for _ in range(2 * LONE_CRASHES):
        end_leases(redis, "slow")
        (lone,) = (await other.lease()).leases
        if comes_back == "extending":
            assert await late.leases.extend(marketplace=MARKET, leases=[held]) == {held}
        else:
            assert await late.back(held) == {"slow"}
        assert lone.alone
        late, other, held = other, late, lone
    assert redis.hget(key("suspects", MARKET), "slow") == b"0"


async def test_dead_leases_do_not_use_up_concurrency(schedule: Schedule, client: Any, redis: Any) -> None:
    narrow = Pace(per_minute=6_000, ceiling_per_minute=6_000, floor_seconds=1, concurrency=2)
    put(schedule, "1", "2")
    await Worker(client).lease(pace=narrow)
    end_leases(redis, "1", "2")
    assert len((await Worker(client, "w2").lease(pace=narrow)).leases) == 1


async def test_dead_leases_are_found_behind_any_number_of_overdue_ids(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    narrow = Pace(per_minute=6_000, ceiling_per_minute=6_000, floor_seconds=1, concurrency=4)
    put(schedule, *"abcd")
    await Worker(client).lease(pace=narrow)
    redis.zadd(key("due", MARKET), {name: schedule.now_ms() - 1 for name in "abcd"})
    put(schedule, *map(str, range(500)), due=schedule.now_ms() - 60_000)
    assert len((await Worker(client, "w2").lease(pace=narrow)).leases) == 4


async def test_a_half_open_breaker_probes_though_a_dead_lease_lies_behind_many(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    put(schedule, "dead")
    await Worker(client).lease()
    redis.zadd(key("due", MARKET), {"dead": schedule.now_ms() - 1})
    put(schedule, *map(str, range(500)), due=schedule.now_ms() - 60_000)
    redis.hset(key("breaker", MARKET), mapping={"state": "open", "until": schedule.now_ms() - 1})
    assert len((await Worker(client, "w2").lease()).leases) == 1


async def test_a_clock_set_back_stops_nobody(schedule: Schedule, client: Any, redis: Any) -> None:
    slow = Pace(per_minute=20, ceiling_per_minute=45, floor_seconds=5, concurrency=4)
    put(schedule, "1")
    redis.hset(key("pace", MARKET), mapping={"tokens": 1, "at": schedule.now_ms() + 3_600_000})
    assert ask(schedule, "a", slow).ticket
    assert len((await Worker(client).lease(pace=slow)).leases) == 1


async def test_what_was_edited_while_it_was_leased_is_settled_at_its_return(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    worker = Worker(client)
    put(schedule, "1", "2")
    leases = (await worker.lease()).leases
    put(schedule, "1", due=10**13)
    returns = [Return(lease=lease, how="beat", standing=standing(lease.id)) for lease in leases]
    back = await worker.leases.give_back(marketplace=MARKET, returns=returns)
    assert (back.lost, back.edited) == (frozenset(), frozenset({"1"}))
    assert redis.scard(key("edited", MARKET)) == 0


def test_an_edit_does_not_send_what_is_overdue_to_the_end_of_the_queue(schedule: Schedule, redis: Any) -> None:
    put(schedule, "1", due=5)
    put(schedule, "1", due=10**13)
    assert score(redis, "1") == 5


def test_a_bound_pulls_in_what_lies_too_far_ahead_and_adds_nothing(schedule: Schedule, redis: Any) -> None:
    put(schedule, "far", due=10**14)
    put(schedule, "far", "absent", how="bound", due=10**13)
    assert (score(redis, "far"), score(redis, "absent")) == (10**13, None)


def test_more_workers_are_wanted_only_for_what_they_could_lease(schedule: Schedule, redis: Any) -> None:
    put(schedule, *map(str, range(80)), due=schedule.now_ms() - 5_000)
    found = schedule.waiting(marketplace=MARKET, pace=PACE)
    assert (found.due, found.late) == (50, 50)
    redis.hset(key("breaker", MARKET), mapping={"state": "open", "until": schedule.now_ms() + 60_000})
    assert schedule.waiting(marketplace=MARKET, pace=PACE).due == 0
    redis.delete(key("breaker", MARKET))
    slow = Pace(per_minute=1, ceiling_per_minute=1, floor_seconds=1, concurrency=50)
    redis.hset(key("pace", MARKET), mapping={"tokens": 0, "at": schedule.now_ms()})
    assert schedule.waiting(marketplace=MARKET, pace=slow).due == 0


def test_an_edit_leaves_a_leased_id_alone_and_moves_a_waiting_one(schedule: Schedule, redis: Any) -> None:
    put(schedule, "waiting", "leased", due=10**14)
    redis.hset(key("lease", MARKET), "leased", "1|w|1|0")
    assert put(schedule, "waiting", "leased", due=10**13) == 1
    assert (score(redis, "waiting"), score(redis, "leased")) == (10**13, 10**14)
    assert put(schedule, "waiting", "leased", how="remove") == 1


def test_adding_what_is_missing_moves_nothing_that_is_there(schedule: Schedule, redis: Any) -> None:
    put(schedule, "1", due=10**12)
    assert put(schedule, "1", "2", how="new", due=10**13) == 1
    assert score(redis, "1") == 10**12


def test_sooner_never_makes_later(schedule: Schedule, redis: Any) -> None:
    put(schedule, "1", due=1_000)
    put(schedule, "1", how="sooner")
    assert score(redis, "1") == 1_000
    put(schedule, "2", due=10**13)
    put(schedule, "2", how="sooner")
    assert (score(redis, "2") or 0) <= schedule.now_ms()


def ask(schedule: Schedule, ticket: str, pace: Pace = PACE) -> Any:
    return schedule.ask(marketplace=MARKET, pace=pace, ticket=ticket)


def test_one_ticket_is_live_at_a_time_and_a_second_only_for_a_hundred(schedule: Schedule) -> None:
    put(schedule, *map(str, range(99)))
    assert [ask(schedule, name).ticket for name in ("a", "b")] == [True, False]
    put(schedule, "one more")
    assert [ask(schedule, name).ticket for name in ("c", "d")] == [True, False]


def test_nothing_due_means_waiting_until_shortly_before_it_is(schedule: Schedule) -> None:
    assert ask(schedule, "a").again_ms is None
    put(schedule, "1", due=schedule.now_ms() + 5_000)
    asked = ask(schedule, "b")
    assert not asked.ticket
    assert 4_000 < asked.again_ms <= 4_900


async def test_a_ticket_ends_soon_after_its_first_lease(schedule: Schedule, client: Any, redis: Any) -> None:
    put(schedule, "1")
    ask(schedule, "a")
    untaken = redis.zscore(key("tickets", MARKET), "a")
    await Worker(client).lease(tickets=["a"])
    taken = redis.zscore(key("tickets", MARKET), "a")
    assert untaken - schedule.now_ms() > 8_000
    assert taken - schedule.now_ms() <= 800


async def test_nothing_is_late_for_the_time_in_which_nobody_might_ask(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    now, worker = schedule.now_ms(), Worker(client)
    schedule.put(marketplace=MARKET, moves=[("1", "new", now - 50_000), ("2", "new", now - 50_000)])
    redis.hset(key("breaker", MARKET), mapping={"state": "open", "until": now - 900})
    (probe,) = (await worker.lease()).leases
    assert probe.due_ms == now - 900
    redis.delete(key("breaker", MARKET))
    redis.set(key("resumed", MARKET), now - 100)
    (other,) = (await worker.lease()).leases
    assert other.due_ms == now - 100


def test_no_ticket_goes_out_while_the_breaker_is_open_or_tokens_are_out(schedule: Schedule, redis: Any) -> None:
    put(schedule, "1")
    redis.hset(key("breaker", MARKET), mapping={"state": "open", "until": schedule.now_ms() + 7_000})
    asked = ask(schedule, "a")
    assert (asked.ticket, asked.again_ms > 6_000) == (False, True)
    redis.delete(key("breaker", MARKET))
    slow = Pace(per_minute=20, ceiling_per_minute=45, floor_seconds=5, concurrency=4)
    redis.hset(key("pace", MARKET), mapping={"tokens": 0, "at": schedule.now_ms()})
    asked = ask(schedule, "b", slow)
    assert (asked.ticket, 2_000 < asked.again_ms <= 3_000) == (False, True)


async def test_a_thousand_ids_are_leased_in_bounded_calls(schedule: Schedule, client: Any) -> None:
    wide = Pace(per_minute=600_000, ceiling_per_minute=600_000, floor_seconds=1, concurrency=5_000)
    put(schedule, *map(str, range(1_000)))
    sizes = [len((await Worker(client).lease(pace=wide, slots=2_000)).leases) for _ in range(11)]
    assert sizes == [100] * 10 + [0]
