"""How often a recording asks the database does not grow with the watches that want the answer."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from monitor_site.watches import follow
from monitor_site.watches.models import Match, Target
from monitor_site.watches.record import record
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
ROWS = 120


def questions_of(target: Target, rows: list[Any], at: datetime) -> int:
    """How many questions a recording of these rows takes."""
    with CaptureQueriesContext(
        connection,
    ) as caught:
        record([result(target, rows, at=at)], now=at)
    return len(caught)


def rows(first: int, created: datetime) -> list[Any]:
    return [sighting(first + number, created=created) for number in range(ROWS)]


def test_fifty_watches_want_what_another_question_has_found_already(alice: Any, now: datetime, redis: Any) -> None:
    other = Target.objects.get(links__watch=watch_of(alice, now, must=["カメラ"]))
    watch_of(alice, now)
    target = Target.objects.get(criteria__contains="ルミナ")
    for one in (other, target):
        record([result(one, at=now)], now=now)
    asked = []
    for first, watches in ((0, 0), (1_000, 49)):
        for _ in range(watches):
            watch = watch_of(alice, now - DAY)
            watch.links.update(baselined_at=now)
        at = now + (first + 1) * MINUTE
        record([result(other, rows(first, now - DAY), at=at)], now=at)
        asked.append(questions_of(target, rows(first, now - DAY), at + MINUTE))
    assert Match.objects.filter(watch__links__target=target).count() == ROWS * 51
    assert asked[1] - asked[0] < 300


def test_the_matches_of_fifty_watches_are_written_together(alice: Any, now: datetime, redis: Any) -> None:
    asked = []
    for word, watches in (("ルミナ", 1), ("カメラ", 50)):
        for _ in range(watches):
            watch_of(alice, now, must=[word], tell_existing=True)
        asked.append(questions_of(Target.objects.get(criteria__contains=word), rows(0, now), now))
    assert Match.objects.count() == ROWS * 51
    assert asked[1] < 200


def test_healing_holds_few_rows_at_a_time(
    alice: Any, now: datetime, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch, "mercari")
    monkeypatch.setattr(follow, "HEALED_AT_ONCE", 7)
    target = Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))
    record([result(target, rows(0, now)[:20], at=now)], now=now)
    settled: list[int] = []
    settle = follow.settle

    def counted(*, listing_ids: Any, now: datetime) -> None:
        settled.append(len(listing_ids))
        settle(listing_ids=listing_ids, now=now)

    monkeypatch.setattr(follow, "settle", counted)
    assert follow.heal(now=now) == 20
    assert (settled, Target.objects.looks().filter(active=True).count()) == ([7, 7, 6], 20)
