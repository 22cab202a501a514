"""What was wrong with the installation is written down with its beginning, its worst and its end."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.connections import key
from monitor_site.engine import incidents, worker
from monitor_site.engine.models import Incident
from monitor_site.engine.schedule import Schedule
from monitor_site.marketplaces.breaker import breaker_key
from tests.engine.loads import say_load
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(redis: Any, settings: Any) -> Any:
    for lane in settings.LANES:
        worker.build(lane=lane, name=f"{lane}-1").register_birth()
    return redis


def told() -> list[tuple[str, str, str, bool]]:
    rows = Incident.objects.order_by("pk")
    return [(row.kind, row.subject, row.detail, row.closed_at is None) for row in rows]


def stop(redis: Any) -> None:
    redis.hset(breaker_key("mercari"), mapping={"state": "open", "until": 4_000_000_000_000, "reason": "blocked"})


def test_nothing_wrong_is_nothing_written(running: Any, now: datetime) -> None:
    incidents.watch(now)
    assert told() == []


def test_a_breaker_is_one_incident_from_its_opening_to_its_end(running: Any, now: datetime, alice: Any) -> None:
    watch_of(alice, now)
    stop(running)
    schedule = Schedule(running)
    schedule.put(marketplace="mercari", moves=[("1", "at", schedule.now_ms() - 60_000)])
    for seconds in (0, 5, 10):
        incidents.watch(now + timedelta(seconds=seconds))
    assert told() == [("breaker", "mercari", "blocked", True)], "its lateness is its own, no second incident"
    running.delete(breaker_key("mercari"), key("due", "mercari"))
    incidents.watch(now + timedelta(seconds=15))
    row = Incident.objects.get()
    assert (row.opened_at, row.closed_at) == (now, now + timedelta(seconds=15))
    assert row.watches == 1
    assert row.worst_ms is not None
    assert row.worst_ms >= 60_000


def test_a_second_outage_is_a_second_incident(running: Any, now: datetime) -> None:
    for minute in range(2):
        stop(running)
        incidents.watch(now + timedelta(minutes=2 * minute))
        running.delete(breaker_key("mercari"))
        incidents.watch(now + timedelta(minutes=2 * minute + 1))
    assert len(told()) == 2


def test_lateness_a_busy_machine_and_a_lane_that_nobody_serves_are_told(running: Any, now: datetime) -> None:
    say_load(running, "attic", level="careful", cpu=80, memory=50)
    schedule = Schedule(running)
    schedule.put(marketplace="mercari", moves=[("1", "at", schedule.now_ms() - 31_000)])
    running.hset("rq:worker:timed-1", "last_heartbeat", "2020-01-01T00:00:00.000000Z")
    incidents.watch(now)
    assert "lane" not in {kind for kind, *_ in told()}, "a start takes its time"
    running.hset(key("unserved"), "timed", running.time()[0] - 31)
    incidents.watch(now)
    assert sorted(told()) == [("lane", "timed", "", True), ("late", "", "", True), ("load", "attic", "careful", True)]


def beat(redis: Any, name: str, *, since: int, at: int) -> None:
    redis.hset(key("promoters"), name, f"{at}|{since}|host")


def test_a_time_without_a_promoter_is_told_when_the_next_one_lives(running: Any, now: datetime) -> None:
    beat(running, "first", since=1_000_000, at=2_000_000)
    incidents.watch(now)
    incidents.watch(now)
    assert told() == [], "while nobody beats nothing is known to be over"
    beat(running, "second", since=2_060_000, at=2_061_000)
    incidents.watch(now)
    incidents.watch(now)
    row = Incident.objects.get()
    assert (row.kind, row.worst_ms) == ("promoter", 60_000)
    assert row.closed_at - row.opened_at == timedelta(seconds=60)


def test_a_promoter_that_hands_over_to_another_leaves_no_gap(running: Any, now: datetime) -> None:
    beat(running, "first", since=1_000_000, at=2_000_000)
    incidents.watch(now)
    beat(running, "second", since=1_990_000, at=2_061_000)
    incidents.watch(now)
    assert told() == []
