"""The schedule follows the database, also after Redis has lost everything."""

from datetime import datetime
from typing import Any

import pytest

from monitor_site.connections import key
from monitor_site.engine import jobs, settling, upkeep
from monitor_site.engine.schedule import UPKEEP, Schedule
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import services
from monitor_site.watches.models import Target
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def schedule(redis: Any) -> Schedule:
    return Schedule(redis)


def due(redis: Any, target: Target) -> int | None:
    found = redis.zscore(key("due", target.marketplace), str(target.pk))
    return None if found is None else int(found)


def test_a_new_target_is_due_at_once_and_its_fact_is_done(
    alice: Any, now: datetime, schedule: Schedule, redis: Any
) -> None:
    watch_of(alice, now)
    target = Target.objects.get()
    jobs.settle_targets([target.pk])
    assert (due(redis, target) or 0) <= schedule.now_ms()
    assert OutboxRow.objects.get(topic="target").done_at is not None


@pytest.mark.usefixtures("stopped_clock")
def test_a_checked_target_goes_to_its_grid_and_a_paused_one_leaves(
    alice: Any, now: datetime, schedule: Schedule, redis: Any
) -> None:
    watch = watch_of(alice, now, interval_seconds=600)
    Target.objects.update(checked_at=now)
    watch.links.update(baselined_at=now)
    target = Target.objects.get()
    settling.settle(schedule, target_ids=[target.pk])
    assert due(redis, target) == settling.beat_after(target, schedule.now_ms())
    services.pause_watch(watch=watch, now=now)
    settling.settle(schedule, target_ids=[target.pk])
    assert due(redis, target) is None


def test_a_fact_noted_again_while_its_job_ran_stays_open(alice: Any, now: datetime, redis: Any) -> None:
    from monitor_site.outbox import services as outbox

    watch = watch_of(alice, now)
    taken = outbox.take(topic="target", object_ids=[Target.objects.get().pk])
    services.pause_watch(watch=watch, now=now)
    outbox.finish(topic="target", taken=taken, now=now)
    assert OutboxRow.objects.get(topic="target").done_at is None


def test_a_lost_schedule_is_rebuilt_spread_over_the_interval(
    alice: Any, now: datetime, schedule: Schedule, redis: Any
) -> None:
    for number in range(40):
        watch_of(alice, now, must=[f"w{number}"], interval_seconds=3600)
    redis.flushall()
    assert settling.rebuild(schedule) == 40
    assert schedule.is_built()
    scores = [score for _, score in redis.zrange(key("due", "mercari"), 0, -1, withscores=True)]
    assert max(scores) - min(scores) > 1_200_000
    assert settling.rebuild(schedule) == 0


def test_the_audit_takes_out_strays_and_leaves_upkeep_alone(
    alice: Any, now: datetime, schedule: Schedule, redis: Any
) -> None:
    watch_of(alice, now)
    upkeep.plant(schedule)
    schedule.put(marketplace="mercari", moves=[("999999", "at", 0)])
    settling.rebuild(schedule)
    assert settling.prune(schedule) == 1
    assert schedule.members("mercari") == {str(Target.objects.get().pk)}
    assert schedule.members(UPKEEP) == set(upkeep.TASKS)


def test_a_check_asked_for_now_is_due_now(alice: Any, now: datetime, schedule: Schedule, redis: Any) -> None:
    watch = watch_of(alice, now, interval_seconds=3600)
    Target.objects.update(checked_at=now)
    watch.links.update(baselined_at=now)
    target = Target.objects.get()
    settling.settle(schedule, target_ids=[target.pk])
    services.check_now(watch=watch, now=now)
    jobs.hurry_targets([target.pk])
    assert (due(redis, target) or 0) <= schedule.now_ms()


def test_every_job_may_run_twice(alice: Any, now: datetime, schedule: Schedule, redis: Any) -> None:
    watch_of(alice, now)
    target = Target.objects.get()
    for _ in range(2):
        jobs.settle_targets([target.pk])
        jobs.hurry_targets([target.pk])
        jobs.announce_matches([12345])
    assert schedule.members("mercari") == {str(target.pk)}
