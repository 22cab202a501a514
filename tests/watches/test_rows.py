"""Rows written together stand there as if the model layer had written each."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from monitor_site.watches.models import Check, Target
from monitor_site.watches.record import record
from monitor_site.watches.rows import insert_all, update_each
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
WORDS = ("ルミナ", "カメラ", "レンズ", "時計", "椅子")


@pytest.fixture
def targets(alice: Any, now: datetime, redis: Any) -> list[Target]:
    for word in WORDS:
        watch_of(alice, now, must=[word])
    return list(Target.objects.order_by("pk"))


def test_each_row_gets_its_own_values_of_every_sort(targets: list[Target], now: datetime) -> None:
    told = {
        row.pk: {"fence": 9, "recent": {"m1": str(row.pk)}, "checked_at": now, "last_error": "%s'\""} for row in targets
    }
    told[targets[0].pk] = {"fence": 9, "due_at": None}

    assert update_each(Target, told, below="fence") == len(WORDS)

    rows = Target.objects.in_bulk()
    assert [rows[one.pk].recent for one in targets[1:]] == [{"m1": str(one.pk)} for one in targets[1:]]
    assert {rows[one.pk].checked_at for one in targets[1:]} == {now}
    assert rows[targets[1].pk].last_error == "%s'\""
    assert (rows[targets[0].pk].fence, rows[targets[0].pk].recent) == (9, {})


def test_a_row_that_is_further_already_stays_and_is_not_counted(targets: list[Target]) -> None:
    Target.objects.filter(pk=targets[0].pk).update(fence=10)

    changed = update_each(Target, {row.pk: {"fence": 9, "failures": 3} for row in targets}, below="fence")

    assert changed == len(WORDS) - 1
    assert Target.objects.get(pk=targets[0].pk).failures == 0


def test_nothing_to_write_asks_the_database_nothing() -> None:
    with CaptureQueriesContext(connection) as caught:
        assert update_each(Target, {}, below="fence") == 0
        insert_all(Check, [])
    assert len(caught) == 0


def test_what_the_database_refuses_is_refused(targets: list[Target], now: datetime) -> None:
    record([result(targets[0], [sighting(1)], at=now)], now=now)
    row = Check.objects.values().get()
    with pytest.raises(IntegrityError):
        insert_all(Check, [row | {"id": row["id"] + 1, "outcome": "odd"}])


def test_unchanged_answers_of_many_questions_cost_two_writes(targets: list[Target], now: datetime) -> None:
    rows = [sighting(number, created=now) for number in range(30)]
    record([result(target, rows, at=now) for target in targets], now=now)
    asked = []
    for number, some in ((2, targets[:1]), (3, targets)):
        at = now + number * MINUTE
        with CaptureQueriesContext(connection) as caught:
            record([result(target, rows, at=at) for target in some], now=at)
        asked.append([query["sql"] for query in caught])
    writes = [sql for sql in asked[1] if sql.lstrip("0123456789 times:").startswith(("UPDATE", "INSERT"))]
    assert len(asked[0]) == len(asked[1]), "however many questions there are"
    assert len(writes) == 2
    assert Check.objects.count() == len(WORDS) * 2 + 1
