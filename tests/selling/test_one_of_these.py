"""One of these is wanted, and it is listed under several ids: one is bought, whoever finds how many of them when."""

import pytest

from monitor_site.purchasing import proposing
from monitor_site.purchasing.ledger import OverBudget
from monitor_site.purchasing.models import Scope
from monitor_site.purchasing.transitions import State
from tests.faults.test_races import at_once
from tests.purchasing.rows import budget_of
from tests.selling.orders import again, all_holds
from tests.selling.test_sending import sent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rules(desk):
    """Two watches of one person that share the wish for one thing."""
    made = [desk.rule(), desk.rule()]
    budget_of(desk.user, now=desk.now, watches=[rule.watch for rule in made], units=1)
    return made


def approve(order, now):
    proposing.approve(order=order, seen=order.shown, actor="person", now=now)


def test_the_same_thing_under_two_ids_in_the_same_second_is_bought_once(clerk, desk, rules):
    orders = [desk.proposed(rule) for rule in rules]
    refused = at_once(*(lambda order=order: approve(order, desk.now) for order in orders))
    assert [type(error) for error in refused] == [OverBudget]
    sent(clerk, *orders)
    assert sorted(again(order).state for order in orders) == [State.AWAITING_APPROVAL, State.PLACED]
    assert len(desk.market.truth) == 1
    all_holds(desk.market)


def test_what_was_bought_and_is_listed_again_under_another_id_is_not_bought_again(clerk, desk, rules):
    first, again_listed = desk.proposed(rules[0]), desk.proposed(rules[1])
    approve(first, desk.now)
    assert sent(clerk, first)[0].state == State.PLACED
    with pytest.raises(OverBudget) as refused:
        approve(again_listed, desk.now)
    assert (refused.value.scope.measure, refused.value.missing) == ("units", 1)
    assert (len(desk.market.truth), Scope.objects.get(limit=1, measure="units").spent) == (1, 1)
    all_holds(desk.market)


def test_while_nobody_knows_whether_the_first_was_bought_the_second_is_not(clerk, desk, rules):
    first, second = desk.proposed(rules[0]), desk.proposed(rules[1])
    approve(first, desk.now)
    desk.market.answer = lambda _sold: None
    assert sent(clerk, first)[0].state == State.UNKNOWN
    with pytest.raises(OverBudget):
        approve(second, desk.now)
    all_holds(desk.market)
