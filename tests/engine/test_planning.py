"""What the plan decides reaches the schedule: nearer at once, later after the next check, never in a burst."""

import json
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor_site.alerts.models import WatchAlerts
from monitor_site.alerts.models.channels import Importance
from monitor_site.connections import key
from monitor_site.contract import Pace
from monitor_site.engine import jobs, machines, planning, ranking, settling, upkeep
from monitor_site.engine.schedule import UPKEEP, Schedule
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import planned, services
from monitor_site.watches.models import Check, Target, Watch
from monitor_site.watches.plan import Load
from monitor_site.watches.record import record
from tests.engine.test_changed_settings import FAR
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = pytest.mark.django_db


@pytest.fixture
def schedule(redis: Any) -> Schedule:
    return Schedule(redis)


def scores(redis: Any) -> dict[int, int]:
    return {int(name): int(due) for name, due in redis.zrange(key("due", "mercari"), 0, -1, withscores=True)}


def asked_by(user: Any, now: datetime, count: int, **changes: Any) -> None:
    for number in range(count):
        watch_of(user, now, **({"must": [f"w{number}"], "interval_seconds": 60} | changes))
    Target.objects.update(checked_at=now)


def test_what_is_asked_less_often_keeps_the_time_it_has_and_then_the_new_grid(
    alice: Any, schedule: Schedule, redis: Any
) -> None:
    now = datetime.now(UTC)
    asked_by(alice, now, 40)
    settling.rebuild(schedule)
    before = scores(redis)
    planning.plan_all(now)
    assert scores(redis) == before
    target = Target.objects.first()
    assert target is not None
    (standing,) = record([result(target, [sighting(1)], at=now)], now=now).standings
    assert standing.interval_seconds == target.planned_seconds == 134


def test_what_is_asked_more_often_again_moves_nearer_at_once_spread_over_its_interval(
    alice: Any, schedule: Schedule, redis: Any
) -> None:
    now = datetime.now(UTC)
    asked_by(alice, now, 15)
    Target.objects.update(planned_seconds=3600, planned_because="shared")
    settling.rebuild(schedule)
    planning.plan_all(now)
    dues = sorted(scores(redis).values())
    assert dues[-1] - schedule.now_ms() <= 60_000
    assert dues[-1] - dues[0] > 20_000
    assert Target.objects.filter(planned_seconds=None).count() == 15


def test_what_backs_off_after_a_failure_is_not_drawn_near(alice: Any, schedule: Schedule, redis: Any) -> None:
    now = datetime.now(UTC)
    asked_by(alice, now, 1)
    Target.objects.update(planned_seconds=3600, planned_because="shared", failures=3)
    settling.rebuild(schedule)
    before = scores(redis)
    planning.plan_all(now)
    assert scores(redis) == before


def test_what_was_lost_comes_back_on_the_planned_grid(alice: Any, schedule: Schedule, redis: Any) -> None:
    now = datetime.now(UTC)
    asked_by(alice, now, 30)
    Target.objects.update(planned_seconds=3600, planned_because="shared")
    redis.flushall()
    settling.rebuild(schedule)
    dues = sorted(scores(redis).values())
    assert dues[-1] - dues[0] > 1_200_000
    assert len(redis.hgetall(key("rank", "mercari"))) == 30


def test_a_change_has_the_plan_made_soon_and_a_crowd_of_changes_once(
    alice: Any, schedule: Schedule, redis: Any
) -> None:
    upkeep.plant(schedule)
    watch_of(alice, datetime.now(UTC))
    jobs.settle_targets([Target.objects.get().pk])
    soon = redis.zscore(key("due", UPKEEP), planning.TASK)
    assert soon <= schedule.now_ms() + planning.SOON_MS
    planning.soon(schedule)
    assert redis.zscore(key("due", UPKEEP), planning.TASK) == soon


def test_changed_hours_move_the_next_due_time_in_the_schedule_at_once(
    alice: Any, schedule: Schedule, redis: Any
) -> None:
    now = datetime.now(UTC)
    watch = watch_of(alice, now, **FAR)
    Target.objects.update(checked_at=now)
    watch.links.update(baselined_at=now)
    settling.settle(schedule, target_ids=[Target.objects.get().pk])
    (far,) = scores(redis).values()
    services.change_watch(watch=watch, wish=wish(cron="*/10 * * * *"), now=now)
    settling.settle(schedule, target_ids=[Target.objects.get().pk])
    (near,) = scores(redis).values()
    assert near <= schedule.now_ms() + 600_000 < far
    assert near % 600_000 == 0


def test_a_time_days_ahead_is_neither_pulled_in_nor_lost_by_the_audit(
    alice: Any, schedule: Schedule, redis: Any
) -> None:
    watch_of(alice, datetime.now(UTC), **FAR)
    Target.objects.update(checked_at=datetime.now(UTC))
    settling.rebuild(schedule)
    before = scores(redis)
    settling.rebuild(schedule)
    settling.prune(schedule)
    assert scores(redis) == before
    redis.flushall()
    settling.rebuild(schedule)
    assert scores(redis) == before


def test_a_planned_interval_counts_its_beats_and_not_those_it_wishes(alice: Any, now: datetime) -> None:
    watch_of(alice, now, interval_seconds=60)
    Target.objects.update(planned_seconds=600, planned_because="shared")
    target = Target.objects.get()
    late = result(target, [sighting(1)], at=now)
    record([late], now=now + timedelta(minutes=5))
    assert Check.objects.get().missed_beats == 0


def test_how_marketplaces_stand_is_told_to_the_pages(alice: Any, redis: Any) -> None:
    asked_by(alice, datetime.now(UTC), 3)
    planning.plan_all(datetime.now(UTC))
    assert planned.standings(redis, catalog().plugins)["mercari"].questions == 3


def test_what_people_find_important_goes_to_the_questions_of_their_watches(alice: Any, bob: Any, redis: Any) -> None:
    now = datetime.now(UTC)
    high, low, usual = (watch_of(alice, now, must=[word]) for word in ("a", "b", "c"))
    for watch, importance in ((high, Importance.HIGH), (low, Importance.LOW), (usual, Importance.NORMAL)):
        WatchAlerts.objects.create(watch=watch, importance=importance)
    planning.plan_all(now)
    assert [watch.links.get().target.importance for watch in (high, low, usual)] == [80, 30, None]
    others = watch_of(bob, now, must=["b"])
    planning.plan_all(now)
    assert others.links.get().target.importance is None
    services.pause_watch(watch=high, now=now)
    assert ranking.rank_questions() == 1
    assert not Target.objects.exclude(importance=None).exists()


def busy(redis: Any, level: str, *, cpu: float) -> None:
    """A machine with workers says so."""
    now = Schedule(redis).now_ms() / 1000
    state = machines.LoadState(level=machines.Level(level), cpu=cpu, memory=10.0, since=now, at=now)
    redis.hset(key("load"), "here", json.dumps(asdict(state)))


@pytest.mark.parametrize(
    ("level", "late", "load"),
    [
        ("normal", True, Load.NORMAL),
        ("careful", True, Load.CAREFUL),
        ("shedding", True, Load.SHEDDING),
        ("shedding", False, Load.NORMAL),
    ],
)
def test_a_busy_machine_stretches_intervals_only_where_something_is_late(
    redis: Any, level: str, late: bool, load: Load
) -> None:
    busy(redis, level, cpu=99.0)
    assert planning.load_of(redis, late=late) == load


def test_a_load_that_nobody_tells_is_no_reason_to_stretch(redis: Any) -> None:
    assert planning.load_of(redis, late=True) == Load.NORMAL


@pytest.mark.parametrize(("hour", "night"), [(16, False), (17, True), (18, True), (19, False)])
def test_the_night_is_that_of_the_marketplaces(hour: int, night: bool) -> None:
    assert upkeep.is_night(datetime(2026, 5, 1, hour, 0, tzinfo=UTC)) is night


def test_heavy_upkeep_runs_only_while_all_its_conditions_hold(redis: Any) -> None:
    night, day = datetime(2026, 5, 1, 17, 0, tzinfo=UTC), datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
    task = upkeep.TASKS["days-checks"]
    assert not task.may_run(night), "what nobody knows is not idle"
    busy(redis, "normal", cpu=20.0)
    assert (task.may_run(night), task.may_run(day)) == (True, False)
    busy(redis, "normal", cpu=60.0)
    assert not task.may_run(night)
    assert upkeep.TASKS["audit"].may_run(day)


def test_the_database_is_tidied(now: datetime, django_db_blocker: Any) -> None:
    upkeep.tidy(now)
    assert Watch.objects.count() == 0


def test_a_narrow_marketplace_is_planned_by_its_own_pace(
    alice: Any, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = Pace(per_minute=1, ceiling_per_minute=1, floor_seconds=5)
    monkeypatch.setattr(type(catalog()), "pace", lambda _self, _name: narrow)
    asked_by(alice, datetime.now(UTC), 2, interval_seconds=5)
    planning.plan_all(datetime.now(UTC))
    assert set(Target.objects.values_list("planned_seconds", flat=True)) == {134}
