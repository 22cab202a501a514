"""The pace of a marketplace is shared by people: all of it, fairly, and the same whatever the order."""

import random
import time
from dataclasses import replace
from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor_site.watches.plan import Asked, Because, Load, Planned, capacity, plan, steadied

ALICE, BOB = 1, 2
SLACK = 1e-6


def asked(id: int, *users: int, seconds: int = 60, **more: object) -> Asked:
    return Asked(id=id, seconds=seconds, users=users or (ALICE,), **more)  # type: ignore[arg-type]


def rate(one: Asked, planned: Planned) -> float:
    return 60 * one.requests / planned.seconds


questions = st.lists(
    st.builds(
        Asked,
        id=st.just(0),
        seconds=st.integers(1, 3600),
        users=st.frozensets(st.integers(1, 6), min_size=1, max_size=3),
        requests=st.sampled_from([1.0, 1.4, 2.0, 5.0]),
    ),
    min_size=1,
    max_size=40,
).map(lambda rows: [replace(one, id=number) for number, one in enumerate(rows)])
weights = st.dictionaries(st.integers(1, 6), st.integers(1, 5))
paces = st.floats(0.5, 200)


@given(questions, weights, paces)
def test_all_rates_together_stay_within_the_pace_or_are_all_that_is_wished(targets, users, pace):
    planned = plan(targets, users, pace=pace)
    wished = fsum(60 * one.requests / one.seconds for one in targets)
    assert fsum(rate(one, planned[one.id]) for one in targets) <= max(min(pace, wished), 0) + SLACK
    assert all(planned[one.id].seconds >= one.seconds for one in targets)


@given(questions, weights, paces)
def test_nobody_gets_less_than_a_fair_share_while_wanting_more(targets, users, pace):
    """Up to the rounding of intervals to whole seconds."""
    planned = plan(targets, users, pace=pace)
    people = {user for one in targets for user in one.users}
    all_weights = sum(users.get(user, 1) for user in people)
    for user in people:
        own = [one for one in targets if user in one.users]
        wanted = fsum(60 * one.requests / one.seconds / len(one.users) for one in own)
        fair = min(wanted, pace * users.get(user, 1) / all_weights)
        # A question paid by several goes by what each of them keeps, so only the lone ones are this person's alone.
        lone = [one for one in own if len(one.users) == 1]
        if len(lone) == len(own):
            got = fsum(60 * one.requests / max(one.seconds, planned[one.id].seconds - 1) for one in own)
            assert got >= fair - SLACK


@given(questions, weights, paces, st.floats(1, 5))
def test_more_pace_makes_no_question_slower(targets, users, pace, more):
    narrow, wide = plan(targets, users, pace=pace), plan(targets, users, pace=pace * more)
    assert all(wide[pk].seconds <= narrow[pk].seconds + (1 if more < 1 + 1e-9 else 0) for pk in narrow)


@given(questions, weights, paces, st.randoms())
def test_the_order_of_questions_changes_nothing(targets, users, pace, chance: random.Random):
    mixed = list(targets)
    chance.shuffle(mixed)
    assert plan(targets, users, pace=pace) == plan(mixed, users, pace=pace) == plan(targets, users, pace=pace)


@given(st.lists(st.integers(1, 600), min_size=1, max_size=30), paces)
def test_a_single_person_gets_everything(intervals, pace):
    targets = [asked(number, seconds=seconds) for number, seconds in enumerate(intervals)]
    planned = plan(targets, {}, pace=pace)
    wished = fsum(60 / seconds for seconds in intervals)
    got = fsum(60 / max(1, planned[one.id].seconds - 1) for one in targets)
    assert got >= min(wished, pace) - SLACK


def test_five_thousand_watches_of_one_do_not_starve_the_five_of_another():
    crowd = [asked(number, ALICE) for number in range(5_000)]
    few = [asked(10_000 + number, BOB) for number in range(5)]
    planned = plan([*crowd, *few], {}, pace=20)
    assert [planned[one.id] for one in few] == [Planned(seconds=60)] * 5
    assert {planned[one.id].because for one in crowd} == {Because.SHARED}
    assert {planned[one.id].seconds for one in crowd} == {20_000}


def test_weight_says_how_large_a_share_is():
    targets = [asked(number, ALICE) for number in range(60)] + [asked(100 + number, BOB) for number in range(60)]
    planned = plan(targets, {BOB: 3}, pace=20)
    assert (planned[0].seconds, planned[100].seconds) == (720, 240)


def test_a_question_of_two_people_is_paid_by_both():
    """Bob has room, Alice has none: the common question is stretched by her half only."""
    alone = [asked(number, ALICE) for number in range(39)]
    planned = plan([*alone, asked(99, ALICE, BOB)], {}, pace=20.0)
    assert 60 < planned[99].seconds < planned[0].seconds


def test_what_rests_outside_its_hours_leaves_its_share_to_the_others():
    targets = [asked(1), asked(2)]
    assert plan(targets, {}, pace=1)[1].seconds == 120
    assert plan(targets, {}, pace=1, resting={2}) == {1: Planned(seconds=60), 2: Planned(seconds=60)}


@pytest.mark.parametrize(
    ("gives_every", "seconds", "because"),
    [
        (None, 60, Because.WISHED),
        (100, 15, Because.GIVING),
        (300, 30, Because.GIVING),
        (600, 60, Because.WISHED),
        (1_200, 120, Because.SILENT),
        (10**6, 240, Because.SILENT),
    ],
)
def test_an_adaptive_question_follows_what_it_brings_within_its_bounds(gives_every, seconds, because):
    one = asked(1, fastest=15, slowest=240, gives_every=gives_every)
    assert plan([one], {}, pace=20)[1] == Planned(seconds=seconds, because=because)


def test_a_question_that_nobody_lets_adapt_keeps_its_wish_whatever_it_brings():
    assert plan([asked(1, gives_every=1)], {}, pace=20)[1] == Planned(seconds=60)


@pytest.mark.parametrize(("load", "seconds"), [(Load.NORMAL, 60), (Load.CAREFUL, 90), (Load.SHEDDING, 180)])
def test_a_busy_machine_stretches_all_but_what_is_critical(load, seconds):
    planned = plan([asked(1), asked(2, critical=True)], {}, pace=20, load=load)
    assert planned[1].seconds == seconds
    assert planned[2] == Planned(seconds=60)


def test_the_pace_keeps_a_reserve_and_room_for_looks_but_never_more_than_a_fifth():
    assert capacity(20) == pytest.approx(18)
    assert capacity(20, aside=1) == pytest.approx(17)
    assert capacity(20, aside=500) == pytest.approx(14)


def test_a_small_change_moves_nothing_and_a_wish_that_can_be_met_is_met_at_once():
    shared = Planned(seconds=100, because=Because.SHARED)
    assert steadied(shared, replace(shared, seconds=104)) == shared
    assert steadied(shared, replace(shared, seconds=92)) == shared
    assert steadied(shared, replace(shared, seconds=120)).seconds == 120
    assert steadied(shared, Planned(seconds=98)) == Planned(seconds=98)
    assert steadied(Planned(seconds=60), replace(shared, seconds=62)).seconds == 62


@given(questions, weights, paces)
@settings(max_examples=50)
def test_what_is_kept_steady_asks_hardly_more_than_planned(targets, users, pace):
    planned = plan(targets, users, pace=pace)
    for after in planned.values():
        kept = steadied(replace(after, seconds=round(after.seconds * 0.97) or 1), after)
        assert kept.seconds * 1.05 >= after.seconds - 1


def test_ten_thousand_questions_of_a_hundred_people_are_planned_in_a_moment():
    targets = [asked(number, number % 100, seconds=5 + number % 60) for number in range(10_000)]
    begun = time.process_time()
    plan(targets, {}, pace=500)
    assert time.process_time() - begun < 1
