"""Budgets hold in every counter or in none, never above a limit, and every yen is accounted for."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from threading import Barrier, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connections, transaction
from django.db.models import F
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from monitor_site.purchasing.ledger import NoBudget, OverBudget, change_limits, recount
from monitor_site.purchasing.models import Entry, LedgerEntry, Measure, Order, Period, Scope
from monitor_site.purchasing.moving import Because, Overtaken, move
from monitor_site.purchasing.periods import starts
from monitor_site.purchasing.transitions import HELD, NoSuchStep, State, Verb
from monitor_site.watches.tagging import set_tags
from tests.purchasing.rows import budget_of, order_of, watch_of

pytestmark = pytest.mark.django_db
ME = Because(actor="alice")


def ready(order, now):
    move(order=order, verb=Verb.MAKE_READY, because=ME, now=now)
    return order


def placed(order, now, paid=None):
    for verb, because in ((Verb.SUBMIT, ME), (Verb.PLACE, Because(actor="market", paid=paid))):
        move(order=order, verb=verb, because=because, now=now)
    return order


def counter(budget, period=Period.TOTAL, measure=Measure.MONEY):
    scope = Scope.objects.get(budget=budget, period=period, measure=measure)
    return scope.held, scope.spent, scope.overrun


def no_difference():
    return recount(Scope.objects.all()) == []


def test_without_any_budget_nothing_is_held_and_nothing_moves(alice, now):
    order = order_of(alice, now=now)
    with pytest.raises(NoBudget):
        ready(order, now)
    assert (order.state, order.steps, LedgerEntry.objects.count()) == (State.PROPOSED, 0, 0)


def test_becoming_ready_holds_in_every_counter(alice, now):
    budget = budget_of(alice, now=now, kind="user", total=5000)
    ready(order_of(alice, now=now), now)
    assert {scope.held for scope in Scope.objects.filter(measure=Measure.MONEY)} == {1000}
    assert counter(budget, measure=Measure.UNITS) == (1, 0, 0)
    assert Scope.objects.count() == 5


@pytest.mark.parametrize(
    ("limits", "period"),
    [
        ({"per_day": 1500}, "day"),
        ({"per_week": 1500}, "week"),
        ({"per_month": 1500}, "month"),
        ({"total": 1500}, "total"),
    ],
)
def test_what_is_above_any_limit_is_refused_and_says_how_much_is_missing(alice, now, limits, period):
    budget_of(alice, now=now, kind="user", **limits)
    ready(order_of(alice, 1, now=now), now)
    with pytest.raises(OverBudget) as refused:
        ready(order_of(alice, 2, now=now), now)
    assert (refused.value.scope.period, refused.value.missing) == (period, 500)
    assert counter(refused.value.budget)[0] == 1000


def test_a_single_thing_may_be_too_dear(alice, now):
    budget_of(alice, now=now, kind="user", per_item=999)
    with pytest.raises(OverBudget) as refused:
        ready(order_of(alice, now=now), now)
    assert (refused.value.scope, refused.value.missing) == (None, 1)


def test_one_of_these_is_one_of_these(alice, now):
    watch = watch_of(alice, now=now)
    budget_of(alice, now=now, units=1, watches=[watch])
    ready(order_of(alice, 1, now=now, watch=watch), now)
    with pytest.raises(OverBudget) as refused:
        ready(order_of(alice, 2, now=now, watch=watch), now)
    assert refused.value.scope.measure == Measure.UNITS


def test_an_order_counts_in_the_persons_budget_and_in_those_of_its_watch_and_its_tags(alice, now):
    watch, other = watch_of(alice, now=now), watch_of(alice, now=now, name="Other")
    set_tags(watch=watch, names=["Kato"])
    mine = budget_of(alice, now=now, kind="user")
    shared = budget_of(alice, now=now, watches=[watch])
    customer = budget_of(alice, now=now, name="Kato")
    customer.tags.set(watch.tags.all())
    elsewhere = budget_of(alice, now=now, watches=[other])
    ready(order_of(alice, now=now, watch=watch), now)
    assert [counter(one)[0] for one in (mine, shared, customer)] == [1000, 1000, 1000]
    assert not Scope.objects.filter(budget=elsewhere).exists()


def test_when_one_of_several_budgets_refuses_none_of_them_holds(alice, now):
    watch = watch_of(alice, now=now)
    budget_of(alice, now=now, kind="user", total=10_000)
    budget_of(alice, now=now, total=500, watches=[watch])
    with pytest.raises(OverBudget):
        ready(order_of(alice, now=now, watch=watch), now)
    assert not Scope.objects.exclude(held=0).exists()
    assert not LedgerEntry.objects.exists()


def test_a_strangers_budget_counts_for_nobody_else(alice, bob, now):
    budget_of(bob, now=now, kind="user", total=10)
    with pytest.raises(NoBudget):
        ready(order_of(alice, now=now), now)


def test_a_budget_in_another_currency_covers_nothing(alice, now):
    budget_of(alice, now=now, kind="user", total=100_000)
    with pytest.raises(NoBudget):
        ready(order_of(alice, now=now, currency="EUR"), now)


def test_a_price_below_the_hold_gives_the_rest_back(alice, now):
    budget = budget_of(alice, now=now, kind="user", total=5000)
    placed(ready(order_of(alice, now=now, price_max=1500), now), now, paid=1000)
    assert counter(budget) == (0, 1000, 0)
    assert no_difference()


def test_a_price_above_the_hold_is_booked_and_shown_as_overrun(alice, now):
    budget = budget_of(alice, now=now, kind="user", total=1200)
    placed(ready(order_of(alice, now=now), now), now, paid=1500)
    assert counter(budget) == (0, 1500, 300)
    with pytest.raises(OverBudget):
        ready(order_of(alice, 2, now=now, price=1), now)
    assert no_difference()


def test_what_was_cancelled_gives_back_to_the_day_it_came_from(alice, now):
    budget = budget_of(alice, now=now, kind="user", per_day=1000)
    order = ready(order_of(alice, now=now), now)
    tomorrow = now + timedelta(days=1)
    second = ready(order_of(alice, 2, now=tomorrow), tomorrow)
    move(order=order, verb=Verb.CANCEL, because=ME, now=tomorrow)
    days = Scope.objects.filter(budget=budget, period=Period.DAY).order_by("starts")
    assert [(day.held, day.spent) for day in days] == [(0, 0), (1000, 0)]
    assert second.state == State.READY


def test_the_day_is_tokyos(alice):
    assert starts(Period.DAY, now=datetime(2026, 5, 1, 14, 59, tzinfo=UTC)) == date(2026, 5, 1)
    assert starts(Period.DAY, now=datetime(2026, 5, 1, 15, 0, tzinfo=UTC)) == date(2026, 5, 2)
    assert starts(Period.WEEK, now=datetime(2026, 5, 3, 14, 0, tzinfo=UTC)) == date(2026, 4, 27)
    assert starts(Period.MONTH, now=datetime(2026, 4, 30, 15, 0, tzinfo=UTC)) == date(2026, 5, 1)


def test_a_late_find_is_booked_above_the_limit_and_leaves_no_room(alice, now):
    budget = budget_of(alice, now=now, kind="user", total=1000)
    order = ready(order_of(alice, now=now), now)
    for verb in (Verb.SUBMIT, Verb.LOSE_SIGHT, Verb.RULE_OUT):
        move(order=order, verb=verb, because=ME, now=now)
    placed(ready(order_of(alice, 2, now=now), now), now)
    move(order=order, verb=Verb.FIND_LATE, because=Because(actor="sweep", paid=1000), now=now)
    assert counter(budget) == (0, 2000, 1000)
    assert no_difference()


def test_a_refund_makes_room_again(alice, now):
    budget = budget_of(alice, now=now, kind="user", total=1000, units=1)
    order = placed(ready(order_of(alice, now=now), now), now)
    move(order=order, verb=Verb.CANCEL_AT_MARKET, because=Because(actor="market"), now=now)
    assert counter(budget) == (0, 0, 0)
    ready(order_of(alice, 2, now=now), now)
    assert no_difference()


def test_a_limit_below_what_is_held_leaves_an_overrun_and_no_room(alice, now):
    budget = budget_of(alice, now=now, kind="user", total=5000)
    ready(order_of(alice, now=now), now)
    budget.total = 400
    budget.save()
    change_limits(budget, now=now)
    assert counter(budget) == (1000, 0, 600)
    with pytest.raises(OverBudget):
        ready(order_of(alice, 2, now=now, price=1), now)


def test_a_limit_that_is_set_later_knows_what_was_spent_before(alice, now):
    budget = budget_of(alice, now=now, kind="user")
    placed(ready(order_of(alice, now=now), now), now)
    budget.total = 1500
    budget.save()
    change_limits(budget, now=now)
    with pytest.raises(OverBudget):
        ready(order_of(alice, 2, now=now), now)


def test_the_database_itself_refuses_a_counter_above_its_limit(alice, now):
    budget_of(alice, now=now, kind="user", total=1000)
    ready(order_of(alice, now=now), now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Scope.objects.filter(period=Period.TOTAL, measure=Measure.MONEY).update(held=1001)


def test_an_entry_that_was_taken_away_is_noticed(alice, now):
    budget_of(alice, now=now, kind="user")
    ready(order_of(alice, now=now), now)
    LedgerEntry.objects.filter(scope__period=Period.DAY).delete()
    [sentence] = recount(Scope.objects.all())
    assert "held 1000" in sentence


def test_whoever_comes_second_changes_nothing(alice, now):
    budget_of(alice, now=now, kind="user")
    order = order_of(alice, now=now)
    same = Order.objects.get(pk=order.pk)
    ready(order, now)
    with pytest.raises(Overtaken):
        ready(same, now)
    assert LedgerEntry.objects.filter(kind=Entry.HOLD).count() == 5


@pytest.mark.django_db(transaction=True)
def test_of_many_who_want_the_same_money_at_once_only_as_many_get_it_as_there_is(alice, now):
    budget = budget_of(alice, now=now, kind="user", total=3000)
    orders = [order_of(alice, number, now=now) for number in range(1, 9)]
    start, won = Barrier(8), []

    def want(order):
        try:
            start.wait()
            ready(order, now)
            won.append(order.pk)
        except OverBudget:
            pass
        finally:
            connections.close_all()

    threads = [Thread(target=want, args=[order]) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 3
    assert counter(budget) == (3000, 0, 0)
    assert no_difference()


ACTIONS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(sorted(Verb)), st.integers(1, 900), st.booleans()), max_size=40
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(actions=ACTIONS, total=st.none() | st.integers(1, 3000), lowered=st.integers(1, 3000))
def test_whatever_happens_in_whatever_order_the_counters_are_what_the_ledger_says_and_limits_hold(
    alice, now, actions, total, lowered
):
    with transaction.atomic():
        watch = watch_of(alice, now=now)
        budget = budget_of(alice, now=now, kind="user", total=total, units=3)
        budget_of(alice, now=now, per_day=2000, watches=[watch])
        orders = [order_of(alice, number, now=now, price=300 * (number + 1), watch=watch) for number in range(6)]
        for number, verb, amount, lower in actions:
            because = Because(actor="anybody", paid=amount, refunded=amount)
            with suppress(OverBudget, NoSuchStep, Overtaken):
                move(order=orders[number], verb=verb, because=because, now=now)
            orders[number].refresh_from_db()
            if lower:
                budget.total = lowered
                budget.save()
                change_limits(budget, now=now)
            assert no_difference()
            assert not Scope.objects.filter(limit__lt=F("held") + F("spent") - F("overrun")).exists()
        held = sum(one.price_max for one in orders if one.state in HELD)
        assert (
            sum(scope.held for scope in Scope.objects.filter(budget=budget, period=Period.TOTAL, measure="money"))
            == held
        )
        transaction.set_rollback(True)


def test_the_command_compares_all_counters_and_names_the_one_that_differs(alice, now, capsys):
    budget = budget_of(alice, now=now, kind="user", total=10_000)
    ready(order_of(alice, now=now, price=3_000), now)
    call_command("recount")
    assert "counters are what the ledger says" in capsys.readouterr().out
    Scope.objects.filter(budget=budget, measure=Measure.MONEY).update(held=1)
    with pytest.raises(CommandError, match="held 1, spent 0; the ledger says 3000 and 0"):
        call_command("recount")
