"""What a check ends when it brings results again: a time without, or one with a gap."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from redis import Redis

from monitor_site.watches import lapses
from monitor_site.watches.models import Target
from monitor_site.watches.record import record
from monitor_site.watches.results import Lapse
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture
def target(alice: Any, now: datetime, redis: Any) -> Target:
    """Asked every two minutes, and answered once."""
    watch = watch_of(alice, now, interval_seconds=120)
    target = Target.objects.get(links__watch=watch)
    record([result(target, [sighting(1)], at=now)], now=now)
    return target


def check(target: Target, at: datetime, *, gap: bool = False, error: str = "") -> list[tuple[datetime, datetime, bool]]:
    done = replace(result(target, [] if error else [sighting(1)], at=at, error=error), gap=gap, finished_at=at)
    return [(one.since, one.until, one.gap) for one in record([done], now=at).lapses]


def test_the_first_answer_and_one_in_time_end_nothing(alice: Any, target: Target, now: datetime) -> None:
    assert check(target, now + 2 * MINUTE) == []
    other = Target.objects.get(links__watch=watch_of(alice, now, must=["カメラ"]))
    assert check(other, now + 9 * MINUTE, gap=True) == []


def test_three_beats_and_five_minutes_without_an_answer_are_missing(target: Target, now: datetime) -> None:
    check(target, now)
    began = Target.objects.get(pk=target.pk).succeeded_at
    assert check(target, now + 2 * MINUTE, error="unavailable") == []
    assert check(target, now + 6 * MINUTE + SECOND) == [(began, now + 6 * MINUTE + SECOND, False)]
    assert check(target, now + 12 * MINUTE) == []


def test_a_gap_is_told_however_short_the_time_was(target: Target, now: datetime) -> None:
    check(target, now + 2 * MINUTE)
    assert check(target, now + 4 * MINUTE, gap=True) == [(now + 2 * MINUTE, now + 4 * MINUTE, True)]


def test_a_result_that_does_not_count_ends_nothing(target: Target, now: datetime) -> None:
    late = result(target, [sighting(1)], at=now + 30 * MINUTE, fence=1)
    assert record([late], now=now + 30 * MINUTE).lapses == []


def test_the_last_few_of_a_target_are_kept_for_a_while(redis: Redis, now: datetime) -> None:
    for number in range(7):
        since = now + number * MINUTE
        lapses.keep(redis, [Lapse(target_id=5, since=since, until=since + SECOND, gap=number == 6)])
    found = lapses.read(redis, [5, 6])
    assert [one.since for one in found[5]] == [now + number * MINUTE for number in range(2, 7)]
    assert [one.gap for one in found[5]] == [False] * 4 + [True]
    assert list(found) == [5]
    assert 0 < redis.ttl(lapses.key("lapses", 5)) <= 3 * 3600


def test_nothing_to_keep_asks_redis_nothing() -> None:
    lapses.keep(None, [])  # type: ignore[arg-type]
    assert lapses.read(None, []) == {}  # type: ignore[arg-type]
