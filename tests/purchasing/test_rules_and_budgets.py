"""Rules and budgets as their person sets them, what pages ask of money, and the switch on the command line."""

from datetime import UTC, date, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from monitor_site.purchasing import budgeting, queries, rules, switching
from monitor_site.purchasing.budgeting import BudgetWish, InUse, Limits, TooManyBudgets
from monitor_site.purchasing.ledger import OverBudget
from monitor_site.purchasing.models import Budget, BudgetKind, BuyRule, Scope, Switch
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from monitor_site.watches import tagging
from tests.purchasing.rows import budget_of, order_of, watch_of

pytestmark = pytest.mark.django_db
WISH = rules.BuyWish(price_max=5000, shipping_estimate=None, approval_minutes=30)


def held(user, now, number=1, **fields):
    """An order whose money is held."""
    order = order_of(user, number, now=now, state=State.AWAITING_APPROVAL, **fields)
    move(order=order, verb=Verb.APPROVE, because=Because(actor="alice"), now=now)
    return order


def test_a_rule_asks_and_leaves_the_order_to_its_person(alice, now):
    rule = rules.set_rule(watch=watch_of(alice, now=now), wish=WISH, now=now)
    assert (rule.policy, rule.way, rule.price_max, rule.approval_minutes) == ("ask", "assisted", 5000, 30)


def test_setting_a_rule_again_changes_the_one_there_is(alice, now):
    watch = watch_of(alice, now=now)
    for price in (5000, 0):
        wish = rules.BuyWish(price_max=price, shipping_estimate=700, approval_minutes=15)
        rules.set_rule(watch=watch, wish=wish, now=now)
    assert list(BuyRule.objects.values_list("price_max", "shipping_estimate")) == [(None, 700)]


def test_a_rule_is_removed_once_and_again_without_harm(alice, now):
    watch = watch_of(alice, now=now)
    rules.set_rule(watch=watch, wish=WISH, now=now)
    for _ in range(2):
        rules.remove_rule(watch=watch, now=now)
    assert not BuyRule.objects.exists()


def test_a_budget_has_no_limit_where_none_was_said_and_nought_is_none(alice, now):
    budget = budgeting.create_budget(user=alice, wish=BudgetWish(name="A", limits=Limits(per_day=0, total=5)), now=now)
    assert (budget.per_day, budget.per_week, budget.total) == (None, None, 5)


def test_a_budget_is_shared_only_by_watches_and_tags_of_its_person(alice, bob, now):
    mine, theirs = watch_of(alice, now=now), watch_of(bob, now=now)
    for watch in (mine, theirs):
        tagging.set_tags(watch=watch, names=["cameras"])
    wish = BudgetWish(name="A", watches=[mine, theirs], tags=[*alice.tags.all(), *bob.tags.all()])
    budget = budgeting.create_budget(user=alice, wish=wish, now=now)
    assert list(budget.watches.all()) == [mine]
    assert list(budget.tags.all()) == list(alice.tags.all())


def test_nobody_has_more_budgets_than_are_kept(alice, now, monkeypatch):
    monkeypatch.setattr(budgeting, "MOST_BUDGETS", 1)
    budgeting.create_budget(user=alice, wish=BudgetWish(name="A"), now=now)
    with pytest.raises(TooManyBudgets):
        budgeting.create_budget(user=alice, wish=BudgetWish(name="B"), now=now)


def test_the_budget_of_all_spending_is_made_once_and_changed_then(alice, now):
    for limit in (5000, 7000):
        budgeting.set_overall_budget(user=alice, limits=Limits(per_month=limit), now=now)
    assert list(Budget.objects.values_list("kind", "per_month")) == [(BudgetKind.USER, 7000)]


def test_a_lower_limit_leaves_what_is_held_and_allows_nothing_more(alice, now):
    budget = budgeting.set_overall_budget(user=alice, limits=Limits(per_day=5000), now=now)
    held(alice, now, price=4000)
    above = budgeting.change_budget(budget=budget, wish=BudgetWish(limits=Limits(per_day=1000)), now=now)
    assert above == 3000
    assert Scope.objects.get(period="day", measure="money").held == 4000
    with pytest.raises(OverBudget):
        held(alice, now, number=2, price=100)


def test_a_budget_that_nothing_refers_to_is_removed(alice, now):
    budgeting.remove_budget(budget=budget_of(alice, now=now), now=now)
    assert not Budget.objects.exists()


def test_a_budget_stays_while_a_watch_uses_it(alice, now):
    budget = budget_of(alice, now=now, watches=[watch_of(alice, now=now)])
    with pytest.raises(InUse):
        budgeting.remove_budget(budget=budget, now=now)


def test_a_budget_stays_once_money_has_moved_in_it(alice, now):
    budget = budgeting.set_overall_budget(user=alice, limits=Limits(), now=now)
    held(alice, now)
    with pytest.raises(InUse):
        budgeting.remove_budget(budget=budget, now=now)


def test_each_limit_says_what_is_free_before_and_after_and_what_is_missing(alice, now):
    budgeting.set_overall_budget(user=alice, limits=Limits(per_item=900, per_day=5000, units=3), now=now)
    held(alice, now, price=500)
    covers = queries.covers_of(order_of(alice, 2, now=now, price=1000), now=now)
    told = {one.room.period or "item": (one.room.free, one.after, one.missing) for one in covers}
    assert told == {"item": (900, 0, 100), "day": (4500, 3500, 0), "total": (2, 1, 0)}


def test_looking_at_money_writes_nothing(alice, now):
    budgeting.set_overall_budget(user=alice, limits=Limits(per_day=5000), now=now)
    queries.covers_of(order_of(alice, now=now), now=now)
    assert queries.stops_of(alice) == []
    assert not Scope.objects.exists()
    assert not Switch.objects.exists()


def test_a_watch_is_guarded_by_its_own_budget_its_tags_or_the_one_of_everything(alice, bob, now):
    watch, other = watch_of(alice, now=now), watch_of(alice, now=now, name="other")
    budgeting.set_overall_budget(user=bob, limits=Limits(), now=now)
    assert not queries.is_guarded(watch)
    budget_of(alice, now=now, watches=[watch])
    assert (queries.is_guarded(watch), queries.is_guarded(other)) == (True, False)
    budgeting.set_overall_budget(user=alice, limits=Limits(), now=now)
    assert queries.is_guarded(other)


def test_counters_begin_anew_at_midnight_in_tokyo():
    new_year_in_tokyo = datetime(2025, 12, 31, 16, 0, tzinfo=UTC)
    found = {name: queries.resets_at(name, now=new_year_in_tokyo) for name in ("day", "week", "month", "total")}
    assert found == {
        "day": queries.midnight(date(2026, 1, 2)),
        "week": queries.midnight(date(2026, 1, 5)),
        "month": queries.midnight(date(2026, 2, 1)),
        "total": None,
    }


def spending(*words):
    said = StringIO()
    call_command("spending", *words, stdout=said)
    return said.getvalue()


def test_the_command_stops_everybody_and_lets_them_go_on(alice, now):
    assert "everybody is stopped" in spending("stop", "--reason", "odd prices")
    assert switching.is_stopped(user_id=alice.pk, now=now)
    assert [(one.own, one.reason) for one in queries.stops_of(alice)] == [(False, "odd prices")]
    assert "not stopped by this switch" in spending("resume")
    assert not switching.is_stopped(user_id=alice.pk, now=now)


def test_the_command_stops_one_person_alone(alice, bob, now):
    spending("stop", "--user", "alice")
    assert switching.is_stopped(user_id=alice.pk, now=now)
    assert not switching.is_stopped(user_id=bob.pk, now=now)


def test_the_command_knows_whom_it_does_not_know(db):
    with pytest.raises(CommandError, match="Nobody is called carol"):
        spending("stop", "--user", "carol")


def test_the_operators_setting_is_told_as_a_stop(alice, settings):
    settings.SPENDING_STOPPED = True
    assert [one.own for one in queries.stops_of(alice)] == [False]
