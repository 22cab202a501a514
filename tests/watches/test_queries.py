"""Reads for the pages about watches."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from monitor_site.accounts.models import User
from monitor_site.watches import beat, queries
from monitor_site.watches.models import Check, Watch, WatchTarget
from monitor_site.watches.queries import Filters, Row
from tests.web.watch_rows import make_checks, make_listing, make_match, make_target, make_watch, make_watches

TOKYO = ZoneInfo("Asia/Tokyo")
KNOWN = ["mercari"]


def rows_of(user: User, now: datetime, **filters: Any) -> list[Row]:
    found = queries.watches_of(user, now=now, known=KNOWN, filters=Filters(**filters))
    return queries.rows(found, now=now, zone=TOKYO)


def row_of(watch: Watch, now: datetime) -> Row:
    return next(row for row in rows_of(watch.user, now) if row.watch.pk == watch.pk)


def names(rows: list[Row]) -> list[str]:
    return [row.watch.name for row in rows]


def test_a_page_of_rows_costs_the_same_few_queries_for_one_watch_and_for_thirty(
    alice: User, now: datetime, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    make_watches(alice, now, 30)
    with django_assert_max_num_queries(6):
        assert len(rows_of(alice, now)) == 30


def test_no_watches_are_no_rows(alice: User, now: datetime) -> None:
    assert rows_of(alice, now) == []


def test_a_user_sees_rows_of_own_watches_only(alice: User, bob: User, now: datetime) -> None:
    make_watch(bob, now)
    assert rows_of(alice, now) == []


def test_ticks_are_the_last_sixteen_runs_oldest_first(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    make_checks(make_target(watch, now), now, ["failed"] * 10 + ["ok"] * 14 + ["failed", "empty"])
    assert row_of(watch, now).ticks == ("ok",) * 14 + ("fail", "ok")


def test_a_run_is_late_after_a_second_or_when_beats_went_by(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    target = make_target(watch, now)
    make_checks(target, now, ["ok"], lateness_ms=1001)
    make_checks(target, now, ["ok"], lateness_ms=1000)
    make_checks(target, now, ["empty"], missed_beats=2)
    assert row_of(watch, now).ticks[-3:] == ("late", "ok", "late")


def test_a_watch_without_runs_has_sixteen_empty_ticks(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    assert row_of(watch, now).ticks == ("none",) * 16


def test_a_watch_with_several_questions_shows_the_last_runs_of_all_of_them(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    make_checks(make_target(watch, now), now, ["ok"] * 20)
    make_checks(make_target(watch, now), now, ["failed"] * 2)
    assert row_of(watch, now).ticks == ("ok",) * 14 + ("fail",) * 2


def test_two_watches_that_share_a_question_show_the_same_runs(alice: User, bob: User, now: datetime) -> None:
    hers, his = make_watch(alice, now), make_watch(bob, now)
    target = make_target(hers, now)
    WatchTarget.objects.create(watch=his, target=target, began_at=his.created_at)
    make_checks(target, now, ["failed", "ok"])
    assert row_of(hers, now).ticks == row_of(his, now).ticks


def test_the_last_runs_are_read_from_the_index_by_target(alice: User, now: datetime) -> None:
    for number in range(3):
        make_checks(make_target(make_watch(alice, now, name=str(number)), now), now, ["ok"] * 20)
    since = dict.fromkeys(Check.objects.values_list("target_id", flat=True).distinct(), 1)
    found = queries._runs_since(since)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    # Which index that begins with the target PostgreSQL takes is up to its statistics.
    plan = found.explain()
    assert "check_by_target" in plan or "target_id_" in plan
    assert "SCAN watches_check" not in plan
    assert "Seq Scan" not in plan


def test_today_begins_at_midnight_of_the_user(alice: User) -> None:
    now = datetime(2026, 5, 1, 1, 30, tzinfo=TOKYO)
    watch = make_watch(alice, now)
    make_match(watch, now - timedelta(hours=2))
    make_match(watch, now - timedelta(hours=1))
    make_match(watch, now)
    row = row_of(watch, now)
    assert row.today == 2
    assert row.hours == (*[0] * 21, 1, 1, 1)
    assert queries.matches_today(user=alice, now=now, zone=TOKYO) == 2


def test_the_sparkline_counts_the_last_24_hours_by_the_hour(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    for back in (0, 0, 1, 23, 25):
        make_match(watch, now - timedelta(hours=back))
    assert row_of(watch, now).hours == (1, *[0] * 21, 1, 2)


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "Asia/Kathmandu", "America/New_York", "UTC"])
def test_hours_fall_into_place_in_every_zone(alice: User, now: datetime, zone: str) -> None:
    watch = make_watch(alice, now)
    make_match(watch, now)
    found = queries.watches_of(alice, now=now, known=KNOWN)
    row = queries.rows(found, now=now, zone=ZoneInfo(zone))[0]
    assert (sum(row.hours), row.hours[-1], row.today) == (1, 1, 1)


def test_what_was_there_before_the_watch_is_not_counted(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    make_match(watch, now, silent=True, cause="existing")
    row = row_of(watch, now)
    assert (row.today, sum(row.hours)) == (0, 0)
    assert queries.matches_today(user=alice, now=now, zone=TOKYO) == 0


def test_the_low_is_the_cheapest_match_of_thirty_days_and_never_an_unknown_price(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    for days, price in ((31, 100), (29, 900), (1, 1200), (0, None)):
        make_match(watch, now - timedelta(days=days), make_listing(now, price=price))
    assert row_of(watch, now).low == 900


def test_what_an_auction_stands_at_is_no_low(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    make_match(watch, now, make_listing(now, price=1, kind="auction"))
    make_match(watch, now, make_listing(now, price=900))
    assert row_of(watch, now).low == 900


def test_a_watch_without_matches_has_no_low_and_no_picture(alice: User, now: datetime) -> None:
    row = row_of(make_watch(alice, now), now)
    assert (row.low, row.picture) == (None, "")


def test_the_picture_is_the_newest_matchs_first_one(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    for name in ("old", "new"):
        make_match(watch, now, make_listing(now, images=[f"https://static.mercdn.net/{name}.jpg", "second"]))
    assert row_of(watch, now).picture == "https://static.mercdn.net/new.jpg"


def test_a_newest_match_without_pictures_is_no_picture(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    make_match(watch, now, make_listing(now, images=[]))
    assert row_of(watch, now).picture == ""


def test_the_next_check_lies_on_the_grid_of_its_question(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    target = make_target(watch, now)
    row = row_of(watch, now)
    assert row.next_at is not None
    assert now < row.next_at <= now + timedelta(seconds=60)
    due = int(row.next_at.timestamp() * 1000)
    assert (due - beat.phase_ms(target.key, 60)) % 60_000 == 0
    assert row.every == 60


def test_a_question_asked_faster_by_somebody_else_is_next_sooner(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    make_target(watch, now, interval_seconds=5)
    row = row_of(watch, now)
    assert row.every == 5
    assert row.next_at is not None
    assert row.next_at <= now + timedelta(seconds=5)


def test_nobody_says_when_a_paused_or_failing_watch_is_next(alice: User, now: datetime) -> None:
    paused = make_watch(alice, now, paused_at=now)
    failing = make_watch(alice, now)
    make_target(paused, now)
    make_target(failing, now, failures=2, last_error="unavailable")
    assert row_of(paused, now).next_at is None
    assert row_of(failing, now).next_at is None


def test_the_last_check_is_the_latest_of_all_questions(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    make_target(watch, now, checked_at=now - timedelta(minutes=5))
    make_target(watch, now, checked_at=now - timedelta(seconds=9))
    make_target(watch, now, checked_at=None)
    assert row_of(watch, now).checked_at == now - timedelta(seconds=9)


def test_the_list_begins_with_what_needs_attention_then_the_newest(alice: User, now: datetime) -> None:
    make_target(make_watch(alice, now, name="old"), now)
    make_target(make_watch(alice, now, name="new", created_at=now - timedelta(days=1)), now)
    make_target(make_watch(alice, now, name="failed"), now, failures=1, last_error="blocked")
    assert names(rows_of(alice, now)) == ["failed", "new", "old"]
    assert names(rows_of(alice, now, order="name")) == ["failed", "new", "old"]
    assert names(rows_of(alice, now, order="newest"))[0] == "new"


def test_the_list_shows_only_paused_ones_or_those_with_a_need(alice: User, now: datetime) -> None:
    make_target(make_watch(alice, now, name="fine"), now)
    make_target(make_watch(alice, now, name="failed"), now, failures=1, last_error="blocked")
    make_target(make_watch(alice, now, name="paused", paused_at=now), now)
    assert names(rows_of(alice, now, state="needing")) == ["failed"]
    assert names(rows_of(alice, now, state="paused")) == ["paused"]


@pytest.mark.parametrize("text", ["lumina", "ＬＵＭＩＮＡ", "ルミナ", "帯付き", "T2"])
def test_a_watch_is_found_by_its_name_and_by_its_words_in_any_width(alice: User, now: datetime, text: str) -> None:
    make_watch(alice, now, name="Lumina T2", must=["ルミナ"], any_of=["帯付き"])
    make_watch(alice, now, name="clock", must=["時計"])
    assert names(rows_of(alice, now, text=text)) == ["Lumina T2"]


@pytest.mark.parametrize("text", ["100%", "_", '"', "\\", "'; --", "u30"])
def test_signs_with_a_meaning_for_databases_are_ordinary_text(alice: User, now: datetime, text: str) -> None:
    make_watch(alice, now, name="camera", must=["ルミナ"])
    assert rows_of(alice, now, text=text) == []


def test_runs_come_newest_first_and_can_be_paged(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    runs = make_checks(make_target(watch, now), now, ["ok"] * 5)
    first = queries.runs_of(watch, limit=3)
    assert [run.pk for run in first] == [run.pk for run in reversed(runs)][:3]
    assert [run.pk for run in queries.runs_of(watch, before=first[-1].pk)] == [runs[1].pk, runs[0].pk]


def test_runs_of_several_questions_are_told_in_one_order(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    first, second = make_target(watch, now), make_target(watch, now)
    runs = [make_checks(target, now, ["ok"])[0].pk for target in (first, second, first)]
    assert [run.pk for run in queries.runs_of(watch)] == runs[::-1]


@pytest.mark.parametrize(("result", "count"), [("", 4), ("ok", 2), ("empty", 1), ("failed", 1), ("late", 1)])
def test_runs_are_filtered_by_how_they_ended(alice: User, now: datetime, result: str, count: int) -> None:
    watch = make_watch(alice, now)
    target = make_target(watch, now)
    make_checks(target, now, ["ok", "empty", "failed"])
    make_checks(target, now, ["ok"], lateness_ms=5000)
    assert len(queries.runs_of(watch, result=result)) == count


def test_matches_of_a_watch_are_told_apart_from_what_was_there_before(alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    before = make_match(watch, now, silent=True, cause="existing")
    told = make_match(watch, now)
    assert list(queries.matches_of(watch)) == [told]
    assert list(queries.matches_of(watch, silent=True)) == [before]


def test_midnight_is_the_users(now: datetime) -> None:
    assert queries.midnight(datetime(2026, 5, 1, 16, 0, tzinfo=UTC), TOKYO) == datetime(2026, 5, 2, tzinfo=TOKYO)


def test_what_was_asked_before_a_watch_began_is_not_told(alice: User, bob: User, now: datetime) -> None:
    """It would say that somebody else watches the same words."""
    target = make_target(make_watch(alice, now), now)
    make_checks(target, now, ["ok"] * 3)
    later = make_watch(bob, now, created_at=now + timedelta(days=1))
    WatchTarget.objects.create(watch=later, target=target, began_at=now + timedelta(days=1))

    assert queries.runs_of(later) == []
    assert row_of(later, now + timedelta(days=1)).ticks == ("none",) * queries.TICKS
