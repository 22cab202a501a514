"""A marketplace that ignores the words of a question is noticed, and is never taken for an error."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Sighting
from monitor_site.watches import needs
from monitor_site.watches.models import Check, Match, Outcome, Target, Watch
from monitor_site.watches.needs import STRANGE_AFTER, Need
from monitor_site.watches.record import record
from monitor_site.watches.strangers import READ, are_strange
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def rows(good: int, strange: int) -> list[Sighting]:
    fitting = [sighting(number) for number in range(good)]
    return fitting + [sighting(500 + number, title=f"食器 {number}点") for number in range(strange)]


def run(now: datetime, minute: int, *found: Sighting, **changes: Any) -> Target:
    at = now + minute * MINUTE
    record([result(Target.objects.searches().get(), found, at=at, **changes)], now=at)
    return Target.objects.searches().get()


def need(now: datetime) -> tuple[Need, str]:
    found: Any = needs.needing(Watch.objects.all(), now=now, known={"mercari"}).get()
    return Need(found.need), found.strange_at


@pytest.mark.parametrize(
    ("worded", "fetched", "strange"),
    [
        (0, 10, True), (1, 11, True), (1, 10, False), (2, 30, True), (3, 30, False), (2, 500, True), (3, 500, False),
        (0, 9, None), (0, 0, None), (1, 3, False), (None, 50, None),
    ],
)  # fmt: skip
def test_hardly_any_is_less_than_a_tenth_of_at_least_ten_rows(
    worded: int | None, fetched: int, strange: bool | None
) -> None:
    assert are_strange(worded, fetched) is strange


def test_each_check_counts_the_rows_that_have_a_word_of_its_question(alice: Any, now: datetime) -> None:
    watch_of(alice, now, must=["ルミナ", "カメラ"])
    run(now, 0, *rows(3, 20), sighting(900, title="るみな レンズ"), sighting(901, title="ＣＡＭＥＲＡ"))
    check = Check.objects.get()
    assert (check.worded, check.fetched, check.outcome) == (4, 25, Outcome.OK)


def test_only_the_first_rows_are_read(alice: Any, now: datetime) -> None:
    watch_of(alice, now)
    run(now, 0, *rows(READ + 20, 0))
    assert Check.objects.get().worded == READ


def test_after_some_checks_in_a_row_it_is_said_and_all_of_them_succeeded(alice: Any, now: datetime) -> None:
    watch_of(alice, now, tell_existing=True)
    for minute in range(STRANGE_AFTER):
        assert need(now + minute * MINUTE) == (Need.NONE, "")
        run(now, minute, *rows(0, 20))
    assert need(now + STRANGE_AFTER * MINUTE) == (Need.STRANGE, "mercari")
    assert not Check.objects.exclude(outcome=Outcome.OK).exists()
    assert (Target.objects.searches().get().failures, Match.objects.count()) == (0, 0)


def test_one_answer_as_it_should_be_takes_it_back(alice: Any, now: datetime) -> None:
    watch_of(alice, now)
    for minute in range(STRANGE_AFTER + 2):
        run(now, minute, *rows(0, 20))
    run(now, 9, *rows(5, 20))
    assert need(now + 10 * MINUTE)[0] == Need.NONE


@pytest.mark.parametrize("between", [{"error": "unavailable"}, {}])
def test_a_failed_check_and_too_few_rows_say_nothing_either_way(alice: Any, now: datetime, between: Any) -> None:
    watch_of(alice, now)
    run(now, 0, *rows(0, 20))
    assert run(now, 1, **between).strange_streak == 1
    assert run(now, 2, *rows(0, 5)).strange_streak == 1
    assert run(now, 3, *rows(0, 20)).strange_streak == 2
    assert Check.objects.filter(worded=None).count() == ("error" in between)


def test_a_question_without_words_is_not_judged_by_them(alice: Any, now: datetime) -> None:
    watch_of(alice, now)
    Target.objects.update(criteria='{"keyword": ""}')
    assert run(now, 0, *rows(0, 20)).strange_streak == 0
    assert Check.objects.get().worded is None


def test_whoever_looks_into_descriptions_is_not_told(alice: Any, now: datetime) -> None:
    watch_of(alice, now, in_description=True)
    for minute in range(STRANGE_AFTER):
        run(now, minute, *rows(0, 20))
    assert need(now + STRANGE_AFTER * MINUTE)[0] == Need.NONE


def test_an_error_is_said_first(alice: Any, now: datetime) -> None:
    watch_of(alice, now)
    for minute in range(STRANGE_AFTER):
        run(now, minute, *rows(0, 20))
    run(now, 5, error="unavailable")
    assert need(now + 6 * MINUTE)[0] == Need.FAILED
