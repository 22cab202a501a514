"""Why a watch needs its user."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor_site.accounts.models import User
from monitor_site.watches import needs, services
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.needs import Need
from tests.web.watch_rows import make_match, make_target, make_watch

KNOWN = ["mercari"]
MOMENT = datetime(2026, 4, 30, tzinfo=UTC)


def need_of(watch: Watch, now: datetime, known: list[str] = KNOWN) -> Need:
    found: Any = needs.needing(Watch.objects.filter(pk=watch.pk), now=now, known=known).get()
    return Need(found.need)


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    return make_watch(alice, now)


@pytest.fixture
def target(watch: Watch, now: datetime) -> Target:
    return make_target(watch, now)


def change(target: Target, **values: Any) -> None:
    Target.objects.filter(pk=target.pk).update(**values)


def test_a_watch_that_is_checked_in_time_needs_nothing(watch: Watch, target: Target, now: datetime) -> None:
    assert need_of(watch, now) is Need.NONE


def test_a_marketplace_without_a_working_plugin_is_a_need(watch: Watch, target: Target, now: datetime) -> None:
    assert need_of(watch, now, known=[]) is Need.PLUGIN


def test_one_of_several_marketplaces_without_a_working_plugin_is_a_need_of_its_own(
    watch: Watch, target: Target, now: datetime
) -> None:
    make_target(watch, now, marketplace="gone")
    assert need_of(watch, now) is Need.PARTLY


@pytest.mark.parametrize("ill", [{"failures": 3}, {"quarantined_at": MOMENT}, {"checked_at": None, "recent": {}}])
def test_how_the_questions_to_a_marketplace_that_is_gone_are_does_not_matter(
    watch: Watch, target: Target, now: datetime, ill: dict[str, Any]
) -> None:
    make_target(watch, now, marketplace="gone", **ill)
    assert need_of(watch, now) is Need.PARTLY
    change(target, failures=1, last_error="unavailable")
    assert need_of(watch, now) is Need.FAILED


def test_a_failed_check_is_told_with_its_marketplace(watch: Watch, target: Target, now: datetime) -> None:
    make_target(watch, now, marketplace="other", failures=2, last_error="blocked")
    found: Any = needs.attention(user=watch.user, now=now, known=["mercari", "other"])[0]
    assert (found.error, found.failed_at) == ("blocked", "other")


def test_a_line_about_one_marketplace_covers_no_failure_and_no_lateness_at_another(
    watch: Watch, target: Target, now: datetime
) -> None:
    change(target, failures=1, last_error="blocked")
    other = make_target(watch, now, marketplace="other")
    known, asked = ["mercari", "other"], {"user": watch.user, "now": now}
    assert needs.attention(**asked, known=known, covered=["mercari"]) == []
    change(other, checked_at=now - timedelta(hours=1))
    assert needs.attention(**asked, known=known, covered=["mercari"]) == [watch]
    change(other, checked_at=now, failures=1)
    assert needs.summary(**asked, known=known, covered=["mercari"]).uncovered == 1
    assert needs.summary(**asked, known=known, covered=known).uncovered == 0


def test_the_summary_names_every_marketplace_that_is_watched(alice: User, bob: User, now: datetime) -> None:
    make_watch(alice, now, marketplaces=["mercari", "other"])
    make_watch(alice, now, marketplaces=["another"], paused_at=now)
    make_watch(bob, now, marketplaces=["his"])
    summary = needs.summary(user=alice, now=now, known=KNOWN)
    assert summary.marketplaces == ("another", "mercari", "other")


def test_a_quarantined_question_is_a_need_even_when_another_question_is_fine(
    watch: Watch, target: Target, now: datetime
) -> None:
    make_target(watch, now, quarantined_at=now)
    assert need_of(watch, now) is Need.QUARANTINED


def test_a_failed_check_is_a_need_and_says_how_it_failed(watch: Watch, target: Target, now: datetime) -> None:
    change(target, failures=2, last_error="blocked")
    found: Any = needs.attention(user=watch.user, now=now, known=KNOWN)[0]
    assert (found.need, found.error) == (Need.FAILED, "blocked")


@pytest.mark.parametrize(
    ("interval", "silent_for", "need"),
    [(60, 179, Need.NONE), (60, 181, Need.STALE), (5, 59, Need.NONE), (5, 61, Need.STALE), (3600, 10_000, Need.NONE)],
)
def test_more_than_three_intervals_and_a_minute_without_a_check_is_a_need(
    target: Target, now: datetime, interval: int, silent_for: int, need: Need
) -> None:
    change(target, interval_seconds=interval, checked_at=now - timedelta(seconds=silent_for))
    assert need_of(Watch.objects.get(), now) is need


def test_a_watch_that_was_never_checked_is_a_need_once_it_should_have_been(
    watch: Watch, target: Target, now: datetime
) -> None:
    change(target, checked_at=None)
    assert need_of(watch, now) is Need.STALE


def test_a_watch_that_was_resumed_a_moment_ago_is_not_late(watch: Watch, target: Target, now: datetime) -> None:
    change(target, checked_at=now - timedelta(days=3))
    services.pause_watch(watch=watch, now=now - timedelta(days=2))
    services.resume_watch(watch=watch, now=now)
    assert need_of(watch, now + timedelta(seconds=50)) is Need.NONE


def test_a_week_of_empty_answers_is_a_need(watch: Watch, target: Target, now: datetime) -> None:
    change(target, recent={})
    assert need_of(watch, now) is Need.SILENT


def test_an_empty_answer_is_no_need_while_matches_came_this_week(watch: Watch, target: Target, now: datetime) -> None:
    change(target, recent={})
    make_match(watch, now - timedelta(days=6))
    assert need_of(watch, now) is Need.NONE


def test_answers_with_rows_are_no_need_though_nothing_matched(watch: Watch, target: Target, now: datetime) -> None:
    assert need_of(watch, now) is Need.NONE


def test_an_empty_answer_is_no_need_for_a_watch_of_this_week(watch: Watch, target: Target, now: datetime) -> None:
    change(target, recent={})
    Watch.objects.update(created_at=now - timedelta(days=6))
    assert need_of(watch, now) is Need.NONE


def test_a_paused_watch_needs_nothing_until_it_is_forgotten(watch: Watch, target: Target, now: datetime) -> None:
    change(target, failures=3, last_error="blocked")
    services.pause_watch(watch=watch, now=now)
    assert need_of(watch, now + timedelta(days=29)) is Need.NONE
    assert need_of(watch, now + timedelta(days=31)) is Need.FORGOTTEN


def test_attention_names_the_most_severe_first_and_at_most_four(alice: User, now: datetime) -> None:
    for name, values in {
        "late": {"checked_at": now - timedelta(hours=1)},
        "failed": {"failures": 1, "last_error": "unavailable"},
        "crashing": {"quarantined_at": now},
        "silent": {"recent": {}},
        "late too": {"checked_at": now - timedelta(hours=1)},
    }.items():
        make_target(make_watch(alice, now, name=name), now, **values)
    make_target(make_watch(alice, now, name="foreign", marketplaces=["nowhere"]), now)
    found = [watch.name for watch in needs.attention(user=alice, now=now, known=KNOWN)]
    assert found[:3] == ["foreign", "crashing", "failed"]
    assert len(found) == 4
    assert found[3].startswith("late")


def test_what_one_line_about_a_marketplace_covers_is_not_said_again(alice: User, now: datetime) -> None:
    make_target(make_watch(alice, now, name="failed"), now, failures=1, last_error="blocked")
    make_target(make_watch(alice, now, name="crashing"), now, quarantined_at=now)
    found = needs.attention(user=alice, now=now, known=KNOWN, covered=["mercari"])
    assert [watch.name for watch in found] == ["crashing"]
    summary = needs.summary(user=alice, now=now, known=KNOWN, covered=["mercari"])
    assert (summary.needing, summary.uncovered) == (2, 1)


def test_the_summary_counts_every_watch_of_its_user_and_nobody_elses(alice: User, bob: User, now: datetime) -> None:
    make_target(make_watch(alice, now), now)
    make_target(make_watch(alice, now), now, failures=1, last_error="blocked")
    make_target(make_watch(alice, now, paused_at=now), now)
    make_target(make_watch(alice, now, paused_at=now - timedelta(days=40)), now)
    make_target(make_watch(bob, now), now)
    summary = needs.summary(user=alice, now=now, known=KNOWN)
    assert (summary.total, summary.ok, summary.needing, summary.paused) == (4, 1, 2, 2)


def test_the_attention_of_one_user_never_names_a_watch_of_another(alice: User, bob: User, now: datetime) -> None:
    make_target(make_watch(bob, now), now, failures=1, last_error="blocked")
    assert needs.attention(user=alice, now=now, known=KNOWN) == []
