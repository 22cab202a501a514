"""Hours, weekdays, cron and jitter on a person's clock, over midnight and when the clock is changed."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.watches.beat import next_beat, phase_ms
from monitor_site.watches.times import Trigger, is_cron, next_time, shortest_gap, trigger_of, worth_telling

TOKYO, NEW_YORK, PARIS = "Asia/Tokyo", "America/New_York", "Europe/Paris"
KEY = "3f7a91c2d4e8" + "0" * 52
MINUTE, HOUR = 60_000, 3_600_000


def ms(zone: str, *parts: int) -> int:
    return round(datetime(*parts, tzinfo=ZoneInfo(zone)).timestamp() * 1000)  # type: ignore[arg-type, misc]


def local(at_ms: int, zone: str) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, tz=ZoneInfo(zone))


def following(trigger: Trigger, after_ms: int, count: int, **more: float) -> list[int]:
    found = []
    for _ in range(count):
        after_ms = next_time([trigger.told()], key=KEY, after_ms=after_ms, **more)  # type: ignore[arg-type]
        found.append(after_ms)
    return found


def test_within_its_hours_a_question_keeps_to_the_grid_of_its_interval():
    trigger = Trigger(every=300, zone=TOKYO, start=9 * 60, end=18 * 60)
    noon = ms(TOKYO, 2026, 5, 1, 12, 0)
    plain = next_beat(phase=phase_ms(KEY, 300), interval_seconds=300, after_ms=noon)
    assert following(trigger, noon, 3) == [plain, plain + 300_000, plain + 600_000]


def test_after_its_hours_it_waits_for_the_next_day():
    trigger = Trigger(every=300, zone=TOKYO, start=9 * 60, end=18 * 60)
    (due,) = following(trigger, ms(TOKYO, 2026, 5, 1, 18, 0), 1)
    assert ms(TOKYO, 2026, 5, 2, 9, 0) <= due < ms(TOKYO, 2026, 5, 2, 9, 5)


@pytest.mark.parametrize(
    ("hour", "minute", "inside"), [(22, 30, True), (23, 59, True), (1, 30, True), (2, 0, False), (12, 0, False)]
)
def test_hours_go_over_midnight(hour, minute, inside):
    trigger = Trigger(every=60, zone=TOKYO, start=22 * 60, end=2 * 60)
    moment = ms(TOKYO, 2026, 5, 1, hour, minute)
    (due,) = following(trigger, moment, 1)
    assert (due - moment <= MINUTE) is inside


def test_a_weekday_is_the_one_on_which_the_hours_begin():
    """Friday night lasts until Saturday at two; Saturday night is not asked."""
    trigger = Trigger(every=60, zone=TOKYO, start=22 * 60, end=2 * 60, days=(4,))
    for after, near in (
        (ms(TOKYO, 2026, 5, 2, 1, 0), True),
        (ms(TOKYO, 2026, 5, 2, 22, 30), False),
        (ms(TOKYO, 2026, 5, 1, 1, 0), False),
    ):
        (due,) = following(trigger, after, 1)
        assert (due - after <= MINUTE) is near


def test_weekdays_without_hours_are_whole_days_of_the_persons_clock():
    trigger = Trigger(every=3600, zone=NEW_YORK, days=(5, 6))
    dues = following(trigger, ms(NEW_YORK, 2026, 5, 4, 0, 0), 48)
    assert {local(due, NEW_YORK).weekday() for due in dues} == {5, 6}
    assert len(dues) == len(set(dues)) == 48


def test_hours_shorter_than_the_interval_are_asked_in_once_at_a_place_of_their_own():
    trigger = Trigger(every=24 * 3600, zone=TOKYO, start=3 * 60, end=3 * 60 + 10)
    dues = following(trigger, ms(TOKYO, 2026, 5, 1, 0, 0), 3)
    assert all(local(due, TOKYO).hour == 3 and local(due, TOKYO).minute < 10 for due in dues)
    assert [later - sooner for sooner, later in pairwise(dues)] == [24 * HOUR, 24 * HOUR]


@pytest.mark.parametrize(("day", "hours"), [((2026, 3, 29), 23), ((2026, 10, 25), 25), ((2026, 6, 1), 24)])
def test_a_day_on_which_the_clock_is_changed_is_asked_in_all_of_its_hours(day, hours):
    trigger = Trigger(every=3600, zone=PARIS, days=(local(ms(PARIS, *day), PARIS).weekday(),))
    start = ms(PARIS, *day)
    dues = following(trigger, start - 1, 30)
    assert sum(local(due, PARIS).date() == local(start, PARIS).date() for due in dues) == hours


def test_hours_that_begin_in_the_lost_hour_begin_right_after_it():
    trigger = Trigger(every=60, zone=NEW_YORK, start=2 * 60 + 30, end=4 * 60)
    (due,) = following(trigger, ms(NEW_YORK, 2026, 3, 8, 1, 0), 1)
    assert ms(NEW_YORK, 2026, 3, 8, 3, 0) <= due <= ms(NEW_YORK, 2026, 3, 8, 3, 31)


def test_cron_is_on_the_persons_clock():
    trigger = Trigger(every=86_400, zone=TOKYO, cron="30 7 * * mon-fri")
    dues = following(trigger, ms(TOKYO, 2026, 5, 1, 8, 0), 2)
    assert dues == [ms(TOKYO, 2026, 5, 4, 7, 30), ms(TOKYO, 2026, 5, 5, 7, 30)]


def test_cron_and_hours_must_both_hold():
    trigger = Trigger(every=1200, zone=TOKYO, cron="*/20 * * * *", start=9 * 60, end=10 * 60, days=(0,))
    dues = following(trigger, ms(TOKYO, 2026, 5, 1, 0, 0), 4)
    monday = [ms(TOKYO, 2026, 5, 4, 9, minute) for minute in (0, 20, 40)]
    assert dues == [*monday, ms(TOKYO, 2026, 5, 11, 9, 0)]


def test_cron_goes_on_through_the_hour_that_comes_twice():
    trigger = Trigger(every=1800, zone=NEW_YORK, cron="*/30 * * * *")
    dues = following(trigger, ms(NEW_YORK, 2026, 11, 1, 0, 30), 6)
    assert [later - sooner for sooner, later in pairwise(dues)] == [30 * MINUTE] * 5


def test_a_stretched_cron_leaves_out_what_comes_too_soon_after_the_last_time():
    trigger = Trigger(every=600, zone=TOKYO, cron="*/10 * * * *")
    served = ms(TOKYO, 2026, 5, 1, 9, 0)
    due = next_time([trigger.told()], key=KEY, after_ms=served, stretch=3.0, served_ms=served)
    assert due == ms(TOKYO, 2026, 5, 1, 9, 30)


def test_a_time_that_never_comes_within_the_hours_is_far_away_and_ends_the_search():
    trigger = Trigger(every=60, zone=TOKYO, cron="0 3 * * *", start=9 * 60, end=10 * 60)
    (due,) = following(trigger, ms(TOKYO, 2026, 5, 1, 0, 0), 1)
    assert due > ms(TOKYO, 2027, 4, 30, 0, 0)


@given(st.integers(5, 86_400), st.integers(0, 10**12))
def test_jitter_moves_each_beat_by_a_tenth_at_most_and_never_the_grid(every, after):
    dues = following(Trigger(every=every, jitter=True), after, 20)
    phase, interval = phase_ms(KEY, every), every * 1000
    assert dues == sorted(set(dues))
    for due in dues:
        off = (due - phase) % interval
        assert min(off, interval - off) <= interval * 0.1 + 1
    assert abs((dues[-1] - dues[0]) - 19 * interval) <= interval * 0.2 + 2


@given(st.integers(1, 3600), st.sampled_from([TOKYO, NEW_YORK, PARIS]), st.integers(0, 1439), st.integers(0, 1439),
       st.sets(st.integers(0, 6)), st.integers(1_767_225_600_000, 1_798_761_600_000))  # fmt: skip
def test_every_time_is_later_than_asked_and_inside_the_hours(every, zone, start, end, days, after):
    hours = {} if start == end else {"start": start, "end": end}
    trigger = Trigger(every=every, zone=zone, days=tuple(sorted(days)), **hours)
    (due,) = following(trigger, after, 1)
    assert after < due <= after + 9 * 24 * HOUR
    moment = local(due, zone)
    minute = moment.hour * 60 + moment.minute
    day = moment.date()
    if hours and end <= start and minute < end:
        day -= timedelta(days=1)
    if days:
        assert day.weekday() in days


def test_the_earliest_trigger_counts():
    slow, fast = Trigger(every=3600, jitter=True), Trigger(every=60, zone=TOKYO, start=0, end=60)
    after = ms(TOKYO, 2026, 5, 1, 0, 5)
    both = next_time([slow.told(), fast.told()], key=KEY, after_ms=after)
    assert both == min(*following(slow, after, 1), *following(fast, after, 1))


def test_what_a_plain_interval_serves_anyway_is_not_told():
    hours = Trigger(every=60, zone=TOKYO, start=0, end=60)
    assert worth_telling([hours, Trigger(every=30)]) == []
    assert worth_telling([Trigger(every=30), Trigger(every=90)]) == []
    assert len(worth_telling([hours, Trigger(every=90)])) == 2
    assert [trigger_of(told) for told in worth_telling([hours])] == [hours]


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("*/5 9-17 * * mon-fri", True), ("0 0 1 1 *", True), ("0 12 * * 0", True), ("* * * *", False),
        ("* * * * * *", False), ("61 * * * *", False), ("0 0 30 2 *", False), ("@daily", False), ("R * * * *", False),
        ("every day", False), ("", False), ("*/0 * * * *", False), ("a b c d e", False),
    ],
)  # fmt: skip
def test_only_five_columns_that_mean_some_time_are_cron(text, good):
    assert is_cron(text) is good


@pytest.mark.parametrize(
    ("cron", "seconds"), [("*/5 * * * *", 300), ("0 9,17 * * *", 8 * 3600), ("0 9 * * 1", 7 * 86_400)]
)
def test_the_shortest_gap_of_a_cron_is_its_interval(cron, seconds):
    assert shortest_gap(cron) == seconds


def test_a_moment_is_never_before_now_in_utc():
    after = round(datetime(2026, 5, 1, tzinfo=UTC).timestamp() * 1000)
    assert following(Trigger(every=60, jitter=True), after, 1)[0] > after


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "x" * 300])
def test_a_zone_that_nobody_knows_is_utc_and_stops_nothing(zone):
    trigger = Trigger(every=60, zone=zone, start=0, end=60)
    assert following(trigger, 0, 1) == following(Trigger(every=60, zone="UTC", start=0, end=60), 0, 1)
