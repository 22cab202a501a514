"""Housekeeping runs through a schedule like everything else."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.connections import async_redis_client, key
from monitor_site.contract import Condition, Status
from monitor_site.engine import housekeeping, rolling, task_log, upkeep
from monitor_site.engine.models import CheckDay, PriceDay
from monitor_site.engine.schedule import UPKEEP, Schedule
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow
from monitor_site.watches.models import Check, Doubt, Listing, Target
from monitor_site.watches.record import record
from monitor_site.watches.services import ignore_match
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db


def test_what_is_due_runs_and_goes_to_its_next_beat(redis: Any, now: datetime) -> None:
    schedule = Schedule(redis)
    upkeep.plant(schedule)
    schedule.put(marketplace=UPKEEP, moves=[("audit", "at", 0)])
    housekeeping.run_due("ticket")
    assert schedule.is_built()
    assert redis.zscore(key("due", UPKEEP), "audit") > schedule.now_ms()
    assert redis.hlen(key("lease", UPKEEP)) == 0


def test_tasks_are_due_in_steps_of_five_seconds_so_that_one_ticket_is_for_many(redis: Any) -> None:
    upkeep.plant(Schedule(redis))
    due = {name.decode(): int(at) for name, at in redis.zrange(key("due", UPKEEP), 0, -1, withscores=True)}
    assert {at % 5000 for at in due.values()} == {0}
    assert len({at for name, at in due.items() if upkeep.TASKS[name].every_seconds == 5}) <= 2
    assert len({at for name, at in due.items() if upkeep.TASKS[name].every_seconds == 60}) > 1


def test_all_that_a_ticket_runs_goes_through_one_client(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ran, made = [], []

    def client() -> Any:
        made.append(async_redis_client())
        return made[-1]

    monkeypatch.setattr(housekeeping, "async_redis_client", client)
    for name in ("outbox", "audit", "lanes"):
        task = upkeep.Task(run=lambda _now, name=name: ran.append(name), every_seconds=15)  # type: ignore[misc]
        monkeypatch.setitem(upkeep.TASKS, name, task)
    Schedule(redis).put(marketplace=UPKEEP, moves=[(name, "at", 0) for name in ("outbox", "audit", "lanes")])
    housekeeping.run_due("ticket")
    assert (sorted(ran), len(made)) == (["audit", "lanes", "outbox"], 1)


def test_quick_tasks_run_first_and_go_back_together_and_each_other_one_alone(
    redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[list[str]] = []
    real = housekeeping.Leases.give_back

    async def noted(self: Any, *, marketplace: str, returns: Any) -> Any:
        told.append(sorted(one.lease.id for one in returns))
        return await real(self, marketplace=marketplace, returns=returns)

    monkeypatch.setattr(housekeeping.Leases, "give_back", noted)
    names = ("audit", "channels", "orders", "retention", "outbox")
    Schedule(redis).put(marketplace=UPKEEP, moves=[(name, "at", 0) for name in names])
    housekeeping.run_due("ticket")
    assert told[0] == ["channels", "orders", "outbox"]
    assert sorted(told[1:]) == [["audit"], ["retention"]]


def test_what_waits_behind_a_long_task_keeps_its_lease_and_what_was_lost_meanwhile_is_not_run(
    redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule, ran, left = Schedule(redis), [], []

    def long(_now: datetime) -> None:
        """Nearly all the time of the others is over, and one of them is somebody else's by now."""
        ran.append("audit")
        nearly = schedule.now_ms() + 1000
        redis.zadd(key("due", UPKEEP), dict.fromkeys(("lanes", "retention"), nearly))
        redis.hset(key("lease", UPKEEP), "retention", f"999|another|{nearly}|0")

    def then(_now: datetime) -> None:
        ran.append("lanes")
        left.append(redis.zscore(key("due", UPKEEP), "lanes") - schedule.now_ms())

    tasks = {"audit": long, "lanes": then, "retention": lambda _now: ran.append("retention")}
    for at, (name, run) in enumerate(tasks.items()):
        monkeypatch.setitem(upkeep.TASKS, name, upkeep.Task(run=run, every_seconds=60 + at))
    schedule.put(marketplace=UPKEEP, moves=[(name, "at", 0) for name in tasks])
    housekeeping.run_due("ticket")
    assert ran == ["audit", "lanes"]
    assert left[0] > 100_000


def test_a_wish_is_not_lost_on_a_task_that_somebody_else_runs(redis: Any) -> None:
    task_log.wish(redis, "tidy")
    assert task_log.wished(redis, ["tidy", "audit"]) == {"tidy"}
    assert task_log.was_wished(redis, "tidy")
    assert not task_log.wished(redis, ["tidy", "audit"])


def test_where_no_order_is_under_way_its_housekeeping_asks_one_question(
    redis: Any, now: datetime, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        upkeep.keep_orders(now)


def test_a_task_of_another_release_is_left_to_it(redis: Any) -> None:
    schedule = Schedule(redis)
    schedule.put(marketplace=UPKEEP, moves=[("forgotten", "at", 0)])
    housekeeping.run_due("ticket")
    assert redis.zscore(key("due", UPKEEP), "forgotten") > schedule.now_ms()


def test_old_checks_and_finished_facts_go_and_young_ones_stay(alice: Any, now: datetime, redis: Any) -> None:
    watch_of(alice, now)
    target = Target.objects.get()
    for days in (40, 31, 1):
        at = now - timedelta(days=days)
        record([result(target, at=at, fence=100 - days)], now=at)
    OutboxRow.objects.update(done_at=now - timedelta(days=3))
    rolling.roll_up_checks(now)
    upkeep.prune(now)
    assert Check.objects.count() == 1
    assert not OutboxRow.objects.exists()


def test_looks_that_ended_long_ago_go_with_their_checks_and_others_stay(
    alice: Any, now: datetime, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch, "mercari")
    old, young = now - timedelta(days=40), now - timedelta(days=1)
    search = Target.objects.get(links__watch=watch_of(alice, old, tell_existing=True))
    record([result(search, [sighting(1), sighting(2), sighting(3)], at=old)], now=old)
    follow.settle(listing_ids=Listing.objects.values_list("pk", flat=True), now=old)
    ended, ended_lately, _open = Target.objects.looks().order_by("listing__external_id")
    for look, number, at in ((ended, 1, old), (ended_lately, 2, young)):
        gone = sighting(number, status=Status.SOLD)
        record([result(look, [gone], at=at + timedelta(minutes=20))], now=at)
    upkeep.prune(now)
    assert set(Target.objects.looks().values_list("criteria", flat=True)) == {
        sighting(number).external_id for number in (2, 3)
    }


def test_a_look_that_was_given_up_before_it_began_goes_too(
    alice: Any, now: datetime, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch, "mercari")
    for days in (40, 1):
        at = now - timedelta(days=days)
        search = Target.objects.get(links__watch=watch_of(alice, at, must=[f"ルミナ{days}"], tell_existing=True))
        record([result(search, [sighting(days, title=f"ルミナ{days}")], at=at)], now=at)
        listing = Listing.objects.get(external_id=sighting(days).external_id)
        follow.settle(listing_ids=[listing.pk], now=at)
        ignore_match(match=listing.matches.get(), now=at)
    upkeep.prune(now)
    assert list(Target.objects.looks().values_list("criteria", flat=True)) == [sighting(1).external_id]


def test_tasks_that_a_clock_set_back_left_far_ahead_are_pulled_in(redis: Any) -> None:
    schedule = Schedule(redis)
    upkeep.plant(schedule)
    redis.zadd(key("due", UPKEEP), dict.fromkeys(upkeep.TASKS, 10**14))
    upkeep.plant(schedule)
    for name, task in upkeep.TASKS.items():
        assert redis.zscore(key("due", UPKEEP), name) <= schedule.now_ms() + task.every_seconds * 1000


def test_a_task_that_fails_keeps_nobody_else_from_running(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_now: datetime) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setitem(upkeep.TASKS, "outbox", upkeep.Task(run=broken, every_seconds=15))
    schedule = Schedule(redis)
    upkeep.plant(schedule)
    schedule.put(marketplace=UPKEEP, moves=[("outbox", "sooner", 0), ("audit", "sooner", 0)])
    housekeeping.run_due("ticket")
    assert schedule.is_built()
    assert schedule.members(UPKEEP) == set(upkeep.TASKS)
    assert redis.hlen(key("lease", UPKEEP)) == 0


def test_a_target_whose_row_contradicts_its_watches_is_mended(alice: Any, now: datetime, redis: Any) -> None:
    watch_of(alice, now)
    Target.objects.update(active=False)
    upkeep.audit(now)
    assert Target.objects.get().active


def test_old_doubts_go_with_the_checks_that_raised_them(
    alice: Any, now: datetime, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch, "mercari")
    search = Target.objects.get(links__watch=watch_of(alice, now, conditions=["new"], tell_existing=True))
    for days in (40, 1):
        at = now - timedelta(days=days)
        record([result(search, [sighting(days, condition=Condition.UNKNOWN)], at=at)], now=at)
    upkeep.prune(now)
    assert [doubt.listing.external_id for doubt in Doubt.objects.all()] == [sighting(1).external_id]


# ---- the roll-up


def checked(alice: Any, *days: int, now: datetime, **figures: Any) -> None:
    watch_of(alice, now - timedelta(days=60))
    target = Target.objects.get()
    for number, days_ago in enumerate(days):
        at = now - timedelta(days=days_ago)
        record([result(target, at=at, fence=100 + number)], now=at)
    Check.objects.update(**figures)


def test_days_that_are_over_are_summed_once_and_today_waits(alice: Any, now: datetime, redis: Any) -> None:
    checked(alice, 2, 2, 1, 0, now=now, duration_ms=100, lateness_ms=7, missed_beats=1)
    for _ in range(2):
        rolling.roll_up_checks(now)
    rows = CheckDay.objects.order_by("day").values_list("marketplace", "kind", "checks", "took_ms", "late_ms")
    assert list(rows) == [("mercari", "search", 2, 200, 14), ("mercari", "search", 1, 100, 7)]
    assert CheckDay.objects.filter(missed_beats=2, worst_late_ms=7).count() == 1


def test_prices_of_days_that_are_over_are_counted(alice: Any, now: datetime, redis: Any) -> None:
    search = Target.objects.get(links__watch=watch_of(alice, now))
    day = now - timedelta(days=1)
    record([result(search, [sighting(1), sighting(2)], at=day)], now=day)
    rolling.roll_up_prices(now)
    assert list(PriceDay.objects.values_list("marketplace", "points", "listings")) == [("mercari", 2, 2)]


def test_checks_wait_a_week_for_a_roll_up_that_does_not_come(alice: Any, now: datetime, redis: Any) -> None:
    checked(alice, 40, 31, 1, now=now)
    upkeep.prune(now)
    assert Check.objects.count() == 2
    assert rolling.is_behind(now)
    rolling.roll_up_checks(now)
    upkeep.prune(now)
    assert (Check.objects.count(), CheckDay.objects.count(), rolling.is_behind(now)) == (1, 2, False)


# ---- how tasks went


def test_how_a_task_went_is_told_with_its_failures_in_a_row(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ways = iter([ValueError("secret words"), None, ValueError("again"), ValueError("again")])

    def sometimes(_now: datetime) -> None:
        if (way := next(ways)) is not None:
            raise way

    monkeypatch.setitem(upkeep.TASKS, "outbox", upkeep.Task(run=sometimes, every_seconds=15))
    told = []
    for _ in range(4):
        upkeep.run_soon("outbox")
        housekeeping.run_due("ticket")
        told.append(task_log.states(redis)["outbox"])
    assert [(state.failed, state.error) for state in told] == [
        (1, "ValueError"),
        (0, ""),
        (1, "ValueError"),
        (2, "ValueError"),
    ]
    assert told[0].well_at is None
    assert told[3].well_at == told[1].well_at


def test_a_task_runs_by_day_when_a_person_wants_it_and_only_once(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[datetime] = []
    task = upkeep.Task(run=ran.append, every_seconds=300, only=(lambda _now: False,))
    monkeypatch.setitem(upkeep.TASKS, "tidy", task)
    assert upkeep.run_soon("tidy")
    housekeeping.run_due("ticket")
    Schedule(redis).put(marketplace=UPKEEP, moves=[("tidy", "sooner", 0)])
    housekeeping.run_due("ticket")
    assert len(ran) == 1
    assert not upkeep.run_soon("no such task")
