"""What checks did, in numbers."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor_site.connections import async_redis_client
from monitor_site.engine.counting import Counts, class_of, fields_of, hour_key, minute_key, totals_key
from monitor_site.engine.flight import Landed
from monitor_site.engine.schedule import Lease
from monitor_site.watches.models import Target
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db(transaction=True)
AT = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)


@pytest.fixture
def target(alice: Any) -> Target:
    watch_of(alice, AT)
    return Target.objects.searches().get()


def landed(target: Target | None, done: Any) -> Landed:
    lease = Lease(marketplace="mercari", id="1", fence=1, due_ms=0)
    return Landed(lease=lease, result=done, target=target)


@pytest.mark.parametrize(
    ("seconds", "name"), [(1, "fast"), (59, "fast"), (60, "normal"), (600, "normal"), (601, "relaxed")]
)
def test_searches_are_told_apart_by_how_much_they_hurry(seconds: int, name: str) -> None:
    assert class_of(seconds) == name


def test_a_check_counts_its_outcome_its_lateness_and_how_long_it_took(target: Target) -> None:
    fields = fields_of(result(target, [sighting(1)], at=AT), target)
    assert fields["checks|mercari|search|ok"] == 1
    assert sum(n for name, n in fields.items() if name.startswith(f"late|{class_of(target.interval_seconds)}|")) == 1
    assert sum(n for name, n in fields.items() if name.startswith("took|mercari|")) == 1


def test_an_error_is_counted_by_its_code_and_an_empty_answer_is_none(target: Target) -> None:
    failed = fields_of(result(target, at=AT, error="blocked"), target)
    assert (failed["checks|mercari|search|failed"], failed["error|mercari|blocked"]) == (1, 1)
    empty = fields_of(result(target, at=AT), target)
    assert empty["checks|mercari|search|empty"] == 1
    assert not [name for name in empty if name.startswith("error")]


def test_a_listing_that_is_gone_is_an_answer_and_no_failure(target: Target) -> None:
    fields = fields_of(result(target, at=AT, error="listing_gone"), target)
    assert fields["checks|mercari|search|gone"] == 1
    assert not [name for name in fields if name.startswith("error") or name.endswith("failed")]


def test_what_landed_without_a_result_counts_nothing(target: Target, redis: Any) -> None:
    counts = Counts()
    counts.count([landed(None, None), landed(target, None)])
    asyncio.run(handed_in(counts, 60.0))
    assert not redis.keys("*counts*")


async def handed_in(counts: Counts, now: float) -> None:
    async with async_redis_client() as client:
        await counts.hand_in(client, now=now)


def test_counts_are_added_since_ever_by_minute_and_by_hour_and_only_once(target: Target, redis: Any) -> None:
    counts, now = Counts(), AT.timestamp()
    counts.count([landed(target, result(target, [sighting(1)], at=AT + timedelta(seconds=n))) for n in range(3)])
    asyncio.run(handed_in(counts, now))
    asyncio.run(handed_in(counts, now))
    for name in (totals_key(), minute_key(int(now // 60)), hour_key(int(now // 3600))):
        assert redis.hget(name, "checks|mercari|search|ok") == b"3"
    assert redis.ttl(totals_key()) == -1
    assert 0 < redis.ttl(minute_key(int(now // 60))) <= 90 * 60
