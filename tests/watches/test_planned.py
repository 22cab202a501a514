"""The plan of a marketplace, from the rows to the rows."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import planned, services
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.plan import Because, Load
from monitor_site.watches.planned import foresee, replan
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = pytest.mark.django_db
PACE = 18.0  # of Mercari's 20 a minute, less the reserve


def crowd(user: Any, now: datetime, count: int, **changes: Any) -> list[Target]:
    """So many questions of one person."""
    watches = [
        watch_of(user, now, **({"must": [f"{user.username}{n}"], "interval_seconds": 60} | changes))
        for n in range(count)
    ]
    return [watch.links.get().target for watch in watches]


def plan_it(now: datetime, *, load: Load = Load.NORMAL) -> tuple[list[int], planned.Standing]:
    made = replan(marketplace="mercari", load=load, now=now)
    return list(made.changed), made.standing


def test_what_all_wish_is_planned_as_it_is_wished(alice: Any, now: datetime) -> None:
    crowd(alice, now, 3)
    changed, standing = plan_it(now)
    assert changed == []
    assert (standing.questions, standing.pace, standing.wished) == (3, pytest.approx(PACE), pytest.approx(3))
    assert (
        Target.objects.get(pk=1 if not changed else 0).planned_seconds is None if Target.objects.filter(pk=1) else True
    )


def test_where_people_want_more_than_there_is_each_question_says_how_often_and_why(
    alice: Any, bob: Any, now: datetime
) -> None:
    many, few = crowd(alice, now, 40), crowd(bob, now, 2)
    changed, standing = plan_it(now)
    assert changed == sorted(target.pk for target in many)
    assert standing.questions == 42
    rows = Target.objects.in_bulk()
    assert {rows[target.pk].planned_because for target in many} == {Because.SHARED.value}
    assert {rows[target.pk].every_seconds for target in many} == {150}
    assert {rows[target.pk].planned_seconds for target in few} == {None}


def test_what_is_planned_stays_while_little_changes(alice: Any, now: datetime) -> None:
    crowd(alice, now, 40)
    assert len(plan_it(now)[0]) == 40
    assert plan_it(now)[0] == []
    extra = watch_of(alice, now, must=["one more"], interval_seconds=60)
    assert plan_it(now)[0] == [extra.links.get().target_id]


def test_a_paused_person_leaves_the_room_to_the_others(alice: Any, bob: Any, now: datetime) -> None:
    crowd(alice, now, 15)
    crowd(bob, now, 15)
    assert len(plan_it(now)[0]) == 30
    for watch in Watch.objects.of(bob):
        services.pause_watch(watch=watch, now=now)
    assert len(plan_it(now)[0]) == 15
    assert not Target.objects.filter(active=True, planned_seconds__isnull=False).exists()


def test_an_administrators_weight_counts(alice: Any, bob: Any, now: datetime) -> None:
    heavy, light = crowd(alice, now, 36), crowd(bob, now, 36)
    type(alice).objects.filter(pk=alice.pk).update(weight=3)
    plan_it(now)
    rows = Target.objects.in_bulk()
    assert (rows[heavy[0].pk].every_seconds, rows[light[0].pk].every_seconds) == (160, 480)


def test_a_question_that_two_people_ask_is_paid_by_both(alice: Any, bob: Any, now: datetime) -> None:
    crowd(alice, now, 36)
    watch_of(alice, now, must=["common"], interval_seconds=60)
    shared = watch_of(bob, now, must=["common"], interval_seconds=60).links.get().target_id
    plan_it(now)
    rows = Target.objects.in_bulk()
    assert 60 < rows[shared].every_seconds < max(row.every_seconds for row in rows.values())


def test_what_rests_outside_its_hours_costs_nothing(alice: Any, now: datetime) -> None:
    """Three in the morning in UTC is noon in Tokyo."""
    crowd(alice, now, 18)
    crowd(alice, now, 18, must=["x"], none_of=(), active_from=60, active_to=120, name="night")
    assert plan_it(now)[0] == []


def test_looks_keep_a_part_of_the_pace_and_never_more_than_a_fifth(alice: Any, now: datetime) -> None:
    assert planned.room("mercari", now=now) == pytest.approx(PACE)
    Target.objects.bulk_create(
        Target(
            marketplace="mercari", kind="listing", key=f"{n:064}", criteria=f"m{n}", interval_seconds=60,
            due_at=now, created_at=now,
        )
        for n in range(600)
    )  # fmt: skip
    assert planned.room("mercari", now=now) == pytest.approx(PACE - 4)


def test_a_busy_machine_stretches_what_is_not_important(alice: Any, now: datetime) -> None:
    usual, important = crowd(alice, now, 2)
    Target.objects.filter(pk=important.pk).update(importance=90)
    assert plan_it(now, load=Load.CAREFUL)[0] == [usual.pk]
    usual.refresh_from_db()
    assert (usual.planned_seconds, usual.planned_because) == (90, "load")
    plan_it(now)
    usual.refresh_from_db()
    assert (usual.planned_seconds, usual.planned_because) == (None, "")


def test_a_search_that_keeps_giving_speeds_up_and_a_silent_one_slows_down_where_its_watch_lets_it(
    alice: Any, now: datetime
) -> None:
    (target,) = crowd(alice, now, 1, adaptive=True)
    assert (target.wanted_fastest, target.wanted_slowest) == (15, 240)
    for minute in range(8):
        at = now + timedelta(minutes=minute)
        record([result(target, [sighting(n, title=f"alice0 {n}") for n in range(minute + 1)], at=at)], now=at)
    target.refresh_from_db()
    assert (target.gave_at, target.gives_every) == (at, 60)
    plan_it(at)
    target.refresh_from_db()
    assert (target.every_seconds, target.planned_because) == (15, "giving")
    plan_it(at + timedelta(hours=3))
    target.refresh_from_db()
    assert (target.every_seconds, target.planned_because) == (240, "silent")


def test_whoever_lets_a_question_adapt_makes_it_slower_for_nobody_else(alice: Any, bob: Any, now: datetime) -> None:
    watch_of(alice, now, adaptive=True, interval_seconds=60)
    target = watch_of(bob, now, interval_seconds=100).links.get().target
    target.refresh_from_db()
    assert (target.interval_seconds, target.wanted_fastest, target.wanted_slowest) == (60, 15, 100)


def test_what_checks_cost_is_remembered_of_the_last_five(alice: Any, now: datetime) -> None:
    (target,) = crowd(alice, now, 1)
    for minute in range(7):
        at = now + timedelta(minutes=minute)
        record([result(target, [sighting(1)], at=at)], now=at)
    target.refresh_from_db()
    assert target.spent == [[80, 1]] * 5


def test_another_interval_is_planned_anew(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, interval_seconds=60)
    Target.objects.update(planned_seconds=300, planned_because="shared", checked_at=now)
    services.change_watch(watch=watch, wish=wish(interval_seconds=120), now=now)
    target = Target.objects.get()
    assert (target.interval_seconds, target.planned_seconds, target.planned_because) == (120, None, "")


def test_before_it_is_saved_a_person_learns_how_often_it_would_be_asked(alice: Any, bob: Any, now: datetime) -> None:
    crowd(alice, now, 30)
    slowest, standing = foresee("mercari", ["new"], seconds=60, user_id=bob.pk, now=now)
    assert (slowest.seconds, standing.questions) == (60, 31)
    slowest, _standing = foresee("mercari", ["new"], seconds=60, user_id=alice.pk, now=now)
    assert slowest.seconds > 100


def test_how_a_marketplace_stands_is_kept_for_pages(redis: Any) -> None:
    standing = planned.Standing(questions=120, pace=18.0, wished=240.0, load=Load.CAREFUL)
    planned.keep(redis, "mercari", standing)
    assert planned.standings(redis, ["mercari", "yahoo_auctions"]) == {"mercari": standing}
    assert planned.standings(redis, []) == {}


def test_ten_thousand_questions_are_planned_with_few_queries(
    alice: Any, now: datetime, django_assert_max_num_queries: Any
) -> None:
    crowd(alice, now, 30)
    plan_it(now)
    with django_assert_max_num_queries(6):
        assert plan_it(now)[0] == []


def test_the_pace_of_a_marketplace_bounds_the_plan(alice: Any, now: datetime) -> None:
    crowd(alice, now, 60)
    plan_it(now)
    rate = sum(60 / target.every_seconds for target in Target.objects.all())
    assert rate <= catalog().pace("mercari").per_minute
