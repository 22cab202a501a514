"""Housekeeping runs through a schedule like everything else."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.connections import key
from monitor_site.contract import Condition, Status
from monitor_site.engine import upkeep
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
    upkeep.run_due("ticket")
    assert schedule.is_built()
    assert redis.zscore(key("due", UPKEEP), "audit") > schedule.now_ms()
    assert redis.hlen(key("lease", UPKEEP)) == 0


def test_a_task_of_another_release_is_left_to_it(redis: Any) -> None:
    schedule = Schedule(redis)
    schedule.put(marketplace=UPKEEP, moves=[("forgotten", "at", 0)])
    upkeep.run_due("ticket")
    assert redis.zscore(key("due", UPKEEP), "forgotten") > schedule.now_ms()


def test_old_checks_and_finished_facts_go_and_young_ones_stay(alice: Any, now: datetime, redis: Any) -> None:
    watch_of(alice, now)
    target = Target.objects.get()
    for days in (40, 31, 1):
        at = now - timedelta(days=days)
        record([result(target, at=at, fence=100 - days)], now=at)
    OutboxRow.objects.update(done_at=now - timedelta(days=3))
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
    upkeep.run_due("ticket")
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
