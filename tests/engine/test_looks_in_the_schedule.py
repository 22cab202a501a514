"""Looks in the schedule: at their very time, behind the searches, and never lost."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis.asyncio

from monitor_site.connections import async_redis_client, key
from monitor_site.contract import Condition, ListingGone, Pace
from monitor_site.engine import jobs, recording, settling, upkeep
from monitor_site.engine.checking import Checker
from monitor_site.engine.flight import Landed
from monitor_site.engine.members import member
from monitor_site.engine.schedule import Lease, Leased, Leases, Return, Schedule
from monitor_site.marketplaces.gateway import Found
from monitor_site.ops import status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow
from monitor_site.watches.models import Check, Listing, Target
from monitor_site.watches.record import record, standing_of
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db(transaction=True)

PACE = Pace(per_minute=1_000, ceiling_per_minute=1_000, floor_seconds=1, concurrency=50)
SLOW = Pace(per_minute=20, ceiling_per_minute=45, floor_seconds=5, concurrency=4)
MARKET = "market"


@pytest.fixture
def schedule(redis: Any) -> Schedule:
    return Schedule(redis)


@pytest.fixture
async def client(redis: Any) -> AsyncIterator[redis.asyncio.Redis]:
    async with async_redis_client() as client:
        yield client


@pytest.fixture
def _looking(monkeypatch: pytest.MonkeyPatch) -> None:
    let_look(monkeypatch, "mercari")


async def lease(client: Any, *, pace: Pace = PACE, worker: str = "w1", **changes: Any) -> Leased:
    asked = {"marketplace": MARKET, "pace": pace, "slots": 100, "idle": True} | changes
    return await Leases(client, worker=worker).lease(**asked)


def put(schedule: Schedule, names: Any, *, due: int = 0, how: str = "at") -> int:
    return schedule.put(marketplace=MARKET, moves=[(name, how, due) for name in names])


def looks(count: int) -> list[str]:
    return [f"look:{number}" for number in range(1_000, 1_000 + count)]


def kinds(leased: Leased) -> tuple[int, int]:
    """How many searches and looks."""
    found = [one.id.startswith("look:") for one in leased.leases]
    return found.count(False), found.count(True)


def tokens(redis: Any, count: float, schedule: Schedule) -> None:
    redis.hset(key("pace", MARKET), mapping={"tokens": count, "at": schedule.now_ms()})


@pytest.mark.usefixtures("stopped_clock")
async def test_however_many_looks_are_overdue_searches_come_first(schedule: Schedule, client: Any) -> None:
    put(schedule, looks(3_000), due=schedule.now_ms() - 3_600_000)
    put(schedule, map(str, range(30)))
    leased = await lease(client)
    assert kinds(leased) == (30, 19)


@pytest.mark.usefixtures("stopped_clock")
async def test_looks_leave_a_token_and_a_slot_to_the_search_that_is_due_next(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    put(schedule, looks(10))
    assert kinds(await lease(client, pace=SLOW)) == (0, 1)
    redis.delete(key("pace", MARKET))
    wide = Pace(per_minute=1_000, ceiling_per_minute=1_000, floor_seconds=1, concurrency=4)
    assert kinds(await lease(client, pace=wide)) == (0, 2)
    put(schedule, ["1"])
    assert kinds(await lease(client, pace=wide)) == (1, 0)


@pytest.mark.usefixtures("stopped_clock")
async def test_one_slot_or_one_token_at_most_is_shared_as_it_comes(schedule: Schedule, client: Any) -> None:
    put(schedule, looks(2))
    single = Pace(per_minute=10, ceiling_per_minute=10, floor_seconds=1, concurrency=1)
    assert kinds(await lease(client, pace=single)) == (0, 1)


@pytest.mark.usefixtures("stopped_clock")
async def test_while_searches_wait_neither_they_nor_looks_wait_for_ever(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    put(schedule, looks(100), due=schedule.now_ms() - 3_600_000)
    put(schedule, map(str, range(100)))
    got = []
    for _ in range(50):
        tokens(redis, 1, schedule)
        got.append(kinds(await lease(client, pace=Pace(**_fields(SLOW) | {"concurrency": 90}))))
    assert (sum(searches for searches, _ in got), sum(found for _, found in got)) == (40, 10)


def _fields(pace: Pace) -> dict[str, Any]:
    return {name: getattr(pace, name) for name in ("per_minute", "ceiling_per_minute", "floor_seconds", "concurrency")}


@pytest.mark.usefixtures("stopped_clock")
async def test_a_look_comes_back_at_its_very_time(schedule: Schedule, client: Any, redis: Any) -> None:
    put(schedule, ["look:1"])
    (mine,) = (await lease(client)).leases
    assert redis.zscore(key("looks", MARKET), "look:1") > schedule.now_ms() + 9_000
    due = schedule.now_ms() + 1_234_567
    standing = standing_of(Target(pk=1, key="0" * 64, interval_seconds=60, due_at=_moment(due)), delay_ms=0)
    back = Return(lease=mine, how="at", standing=standing)
    await Leases(client, worker="w1").give_back(marketplace=MARKET, returns=[back])
    assert redis.zscore(key("looks", MARKET), "look:1") == due
    assert redis.hlen(key("lease", MARKET)) == redis.zcard(key("due", MARKET)) == 0


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, tz=UTC)


@pytest.mark.usefixtures("stopped_clock")
async def test_a_look_whose_worker_was_killed_is_leased_again_alone_and_the_old_one_counts_no_more(
    schedule: Schedule, client: Any, redis: Any
) -> None:
    due = schedule.now_ms() - 500
    put(schedule, ["look:1"], due=due)
    (dead,) = (await lease(client)).leases
    redis.zadd(key("looks", MARKET), {"look:1": 1})
    (lone,) = (await lease(client, worker="w2")).leases
    assert (lone.id, lone.alone, lone.due_ms) == ("look:1", True, due)
    leases = Leases(client, worker="w1")
    assert await leases.extend(marketplace=MARKET, leases=[dead, lone]) == {dead}
    assert (await leases.give_back(marketplace=MARKET, returns=[Return(lease=dead, how="release")])).lost == {"look:1"}
    await leases.give_back(marketplace=MARKET, returns=[Return(lease=lone, how="release")])
    assert redis.zscore(key("looks", MARKET), "look:1") == due


@pytest.mark.usefixtures("stopped_clock")
async def test_dead_looks_do_not_use_up_concurrency(schedule: Schedule, client: Any, redis: Any) -> None:
    narrow = Pace(per_minute=6_000, ceiling_per_minute=6_000, floor_seconds=1, concurrency=2)
    put(schedule, ["look:1"])
    await lease(client, pace=narrow)
    put(schedule, ["1"])
    await lease(client, pace=narrow)
    redis.zadd(key("looks", MARKET), {"look:1": schedule.now_ms() - 1})
    put(schedule, ["2"])
    assert [one.id for one in (await lease(client, pace=narrow, worker="w2", idle=False)).leases] == ["2"]


@pytest.mark.usefixtures("stopped_clock")
def test_a_ticket_goes_out_for_looks_when_they_may_run(schedule: Schedule, redis: Any) -> None:
    put(schedule, ["look:1"], due=schedule.now_ms() + 5_000)
    asked = schedule.ask(marketplace=MARKET, pace=SLOW, ticket="a")
    assert asked.again_ms is not None
    assert not asked.ticket
    assert 4_000 < asked.again_ms <= 4_900
    put(schedule, ["look:1"], due=schedule.now_ms())
    tokens(redis, 1, schedule)
    asked = schedule.ask(marketplace=MARKET, pace=SLOW, ticket="b")
    assert asked.again_ms is not None
    assert (asked.ticket, 2_000 < asked.again_ms <= 3_000) == (False, True)
    put(schedule, ["1"], due=schedule.now_ms() + 1_000)
    asked = schedule.ask(marketplace=MARKET, pace=SLOW, ticket="c")
    assert asked.again_ms is not None
    assert asked.again_ms <= 900
    tokens(redis, 2, schedule)
    assert schedule.ask(marketplace=MARKET, pace=SLOW, ticket="d").ticket


def followed(user: Any, now: datetime, *, count: int = 1) -> list[Target]:
    """Looks at matched listings."""
    search = Target.objects.get(links__watch=watch_of(user, now, tell_existing=True))
    record([result(search, [sighting(n) for n in range(count)], at=now)], now=now)
    follow.settle(listing_ids=Listing.objects.values_list("pk", flat=True), now=now)
    return list(Target.objects.looks().order_by("pk"))


def score(redis: Any, target: Target) -> int | None:
    found = redis.zscore(key("looks", target.marketplace), member(target))
    return None if found is None else int(found)


@pytest.mark.usefixtures("_looking")
def test_after_redis_was_lost_every_look_is_back_at_its_time(alice: Any, schedule: Schedule, redis: Any) -> None:
    targets = followed(alice, datetime.now(UTC), count=50)
    redis.flushall()
    assert settling.rebuild(schedule) == 51
    times = {score(redis, target) for target in targets}
    assert times == {round(target.due_at.timestamp() * 1000) for target in targets if target.due_at}
    assert min(filter(None, times)) > schedule.now_ms() + 500_000
    assert (settling.rebuild(schedule), settling.prune(schedule)) == (0, 0)


@pytest.mark.usefixtures("_looking")
def test_the_audit_pulls_in_a_look_that_stands_too_late_and_takes_out_one_that_ended(
    alice: Any, schedule: Schedule, redis: Any
) -> None:
    one, two = followed(alice, datetime.now(UTC), count=2)
    settling.rebuild(schedule)
    redis.zadd(key("looks", "mercari"), {member(one): 10**14})
    Target.objects.filter(pk=two.pk).update(active=False, due_at=None)
    settling.rebuild(schedule)
    assert settling.prune(schedule) == 1
    assert one.due_at is not None
    assert (score(redis, one), score(redis, two)) == (round(one.due_at.timestamp() * 1000), None)


@pytest.mark.usefixtures("_looking")
def test_a_look_asked_for_now_is_due_now(alice: Any, schedule: Schedule, redis: Any) -> None:
    (look,) = followed(alice, datetime.now(UTC))
    settling.settle(schedule, target_ids=[look.pk])
    assert (score(redis, look) or 0) > schedule.now_ms() + 500_000
    follow.look_now(listing=Listing.objects.get(), now=datetime.now(UTC))
    settling.hurry(schedule, target_ids=[look.pk])
    assert (score(redis, look) or 0) <= schedule.now_ms()


@pytest.mark.usefixtures("_looking", "stopped_clock")
def test_the_figures_of_searches_leave_looks_out(alice: Any, schedule: Schedule, redis: Any) -> None:
    now = datetime.now(UTC)
    (look,) = followed(alice, now - timedelta(hours=1))
    settling.rebuild(schedule)
    record([result(look, [sighting(0)], at=now)], now=now)
    figures = status.snapshot(redis, now=now + timedelta(seconds=1))
    wanted = {"targets": 1, "looks": 1, "due": 1, "overdue": 0, "looks_overdue": 1, "checks": 0}
    assert {name: figures[name] for name in wanted} == wanted


@pytest.mark.usefixtures("_looking")
def test_upkeep_follows_what_is_not_followed(alice: Any, redis: Any) -> None:
    now = datetime.now(UTC)
    followed(alice, now)
    Target.objects.looks().delete()
    upkeep.TASKS["follow"].run(now)
    assert Target.objects.looks().get().active


class Shop:
    """A gateway whose marketplace answers every look with the story's own sighting or error."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, []

    async def look(self, *, marketplace: str, external_id: str, within: float) -> Found:
        self.asked.append((marketplace, external_id))
        if isinstance(self.answer, Exception):
            raise self.answer
        return Found(sightings=(self.answer,), pages=1, gap=False, bytes=10, bad_rows=0, padding=0)


@pytest.mark.usefixtures("_looking")
@pytest.mark.parametrize(
    ("answer", "outcome", "price"), [(sighting(0, price=4_000), "ok", 4_000), (ListingGone("404"), "failed", 5_000)]
)
async def test_a_leased_look_asks_for_its_listing_and_goes_back_to_its_next_time(
    alice: Any, redis: Any, answer: Any, outcome: str, price: int
) -> None:
    from asgiref.sync import sync_to_async

    (look,) = await sync_to_async(followed)(alice, datetime.now(UTC))
    shop = Shop(answer)
    checker = Checker(gateway=shop, worker="w1", server_now=lambda: datetime.now(UTC).timestamp())  # type: ignore[arg-type]
    mine = Lease(marketplace="mercari", id=member(look), fence=1, due_ms=1)
    row = (await sync_to_async(recording.load_targets)([mine.id]))[mine.id]
    landed = Landed(lease=mine, result=await checker.check(mine, row), target=row)
    (back,) = await sync_to_async(recording.write)([landed])
    await sync_to_async(look.refresh_from_db)()
    assert shop.asked == [("mercari", sighting(0).external_id)]
    assert look.due_at is not None
    assert (back.how, back.args()[6]) == ("at", round(look.due_at.timestamp() * 1000))
    assert (await Check.objects.aget(target=look)).outcome == outcome
    assert (await Listing.objects.aget()).price == price


@pytest.mark.usefixtures("_looking")
def test_what_a_watch_doubts_is_due_at_once(alice: Any, now: datetime, redis: Any) -> None:
    search = Target.objects.get(links__watch=watch_of(alice, now, conditions=["new"]))
    record([result(search, at=now)], now=now)
    search.refresh_from_db()
    untold = sighting(1, condition=Condition.UNKNOWN)
    record([result(search, [untold], at=now + timedelta(minutes=1))], now=now)
    jobs.look_at_listings([Listing.objects.get().pk])
    look = Target.objects.looks().get()
    jobs.settle_targets([look.pk])
    assert look.due_at is not None
    assert redis.zscore(key("looks", "mercari"), member(look)) == round(look.due_at.timestamp() * 1000)
    assert look.due_at <= datetime.now(UTC)
    assert not OutboxRow.objects.filter(topic="doubt", done_at=None).exists()
