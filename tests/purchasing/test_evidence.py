"""What looks prove, and what they do not: silence is never a no."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.purchasing.evidence import (
    ENOUGH,
    LONGEST,
    AskAgain,
    AskPerson,
    Case,
    Look,
    NotPlaced,
    Placed,
    Seen,
    Why,
    decide,
    next_look,
)

START = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
DEADLINE = START + timedelta(seconds=15)


def case(*looks, **fields):
    return Case(**{"lost_at": START, "send_deadline": DEADLINE, "looks": looks} | fields)


def look(minutes, seen=Seen.ABSENT, **fields):
    return Look(at=START + timedelta(minutes=minutes), seen=seen, **fields)


def after(minutes):
    return START + timedelta(minutes=minutes)


LOOKS = st.lists(
    st.builds(
        look,
        st.integers(0, 3000),
        st.sampled_from(Seen),
        number=st.sampled_from(["", "t1", "t2"]),
        doubtful=st.booleans(),
    ),
    max_size=12,
)
CASES = st.builds(
    lambda looks, lag, said: case(*sorted(looks, key=lambda one: one.at), lag=timedelta(minutes=lag), said=said),
    LOOKS,
    st.integers(0, 120),
    st.sampled_from(["", "t1"]),
)


def test_one_find_is_enough():
    assert decide(case(look(1, Seen.FOUND, number="t1")), now=after(1)) == Placed(look(1, Seen.FOUND, number="t1"))


def test_three_proved_absences_over_the_horizon_are_a_no():
    assert decide(case(look(17), look(25), look(33)), now=after(33)) == NotPlaced()


@pytest.mark.parametrize(
    "looks",
    [
        (look(17), look(33)),
        (look(1), look(5), look(15)),
        (look(1), look(5), look(33)),
        (look(17), look(18), look(19)),
        (look(17), look(25), look(33, Seen.FAILED)),
        (look(17), look(25), look(33, Seen.UNPROVEN)),
    ],
    ids=["two", "before the horizon", "one past it", "all at once", "the last one failed", "the last proves nothing"],
)
def test_less_is_no_no(looks):
    assert isinstance(decide(case(*looks), now=after(33)), AskAgain)


def test_an_account_without_anything_older_goes_to_a_person_once_the_horizon_has_passed():
    looks = [look(at, Seen.UNPROVEN) for at in (17, 25, 33)]
    assert decide(case(*looks), now=after(33)) == AskPerson(Why.NOTHING_OLDER)


def test_after_a_day_without_an_answer_a_person_decides():
    looks = [look(at, Seen.FAILED) for at in range(0, 1440, 60)]
    assert isinstance(decide(case(*looks), now=START + LONGEST - timedelta(seconds=1)), AskAgain)
    assert decide(case(*looks), now=START + LONGEST) == AskPerson(Why.NO_ANSWER)


@pytest.mark.parametrize(
    ("looks", "said"),
    [
        ((look(1, Seen.FOUND, number="t1"), look(2)), ""),
        ((look(1, Seen.FOUND, number="t1"), look(2, Seen.FOUND, number="t2")), ""),
        ((look(1, Seen.FOUND, number="t2"),), "t1"),
        ((look(1, Seen.FOUND, number="t1", doubtful=True),), ""),
        ((look(17), look(25), look(33)), "t1"),
    ],
    ids=["gone again", "two purchases", "another than the answer named", "from before", "the answer named one"],
)
def test_contradicting_evidence_goes_to_a_person(looks, said):
    assert decide(case(*looks, said=said), now=after(40)) == AskPerson(Why.CONTRADICTION)


def test_the_plan_asks_soon_then_at_the_horizon_then_hourly_and_a_last_time_after_a_day():
    now, asked = START, []
    while now < START + LONGEST:
        now = next_look(case(), now=now)
        asked.append((now - START).total_seconds() / 60)
    assert asked[:8] == [0.25, 1, 5, 15, 16.25, 24.25, 32.25, 92.25]
    assert asked[-1] == 24 * 60
    assert len(asked) < 32


def test_a_clock_that_jumps_once_proves_nothing_early():
    jumped = [look(0.25), look(1), look(60), look(61)]
    assert isinstance(decide(case(*jumped), now=after(61)), AskAgain)


@given(one=CASES, minutes=st.integers(0, 3000))
def test_whatever_was_seen_a_no_needs_enough_proved_absences_past_the_horizon_and_no_find(one, minutes):
    now = after(minutes)
    absent = [seen.at for seen in one.looks if seen.seen == Seen.ABSENT and seen.at >= one.horizon]
    if decide(one, now=now) == NotPlaced():
        assert now >= one.horizon
        assert len(absent) >= ENOUGH
        assert max(absent) - min(absent) >= one.lag
        assert not one.said
        assert all(seen.seen != Seen.FOUND for seen in one.looks)


@given(one=CASES, minutes=st.integers(0, 3000))
def test_whatever_was_seen_a_day_later_nobody_is_left_waiting(one, minutes):
    decision = decide(one, now=START + LONGEST + timedelta(minutes=minutes))
    assert not isinstance(decision, AskAgain)


@given(one=CASES, minutes=st.integers(0, 1439))
def test_whoever_is_to_ask_again_asks_later_and_within_the_hour(one, minutes):
    now = after(minutes)
    decision = decide(one, now=now)
    if isinstance(decision, AskAgain):
        assert now < decision.at <= now + timedelta(hours=1)


@given(one=CASES, minutes=st.integers(0, 3000))
def test_looks_that_failed_change_no_verdict_about_the_thing(one, minutes):
    now = after(minutes)
    fewer = Case(
        lost_at=one.lost_at,
        send_deadline=one.send_deadline,
        lag=one.lag,
        said=one.said,
        looks=[seen for seen in one.looks if seen.seen != Seen.FAILED],
    )
    assert decide(one, now=now) == decide(fewer, now=now)
