"""Every purchase of an account is tied to an order, or shown as not ours, once."""

from datetime import timedelta

import pytest

from monitor_site.contract import Money, PurchaseStage, Unavailable
from monitor_site.engine import ordering, outcomes, upkeep
from monitor_site.purchasing import handing, queries, sweeping
from monitor_site.purchasing.following import next_step
from monitor_site.purchasing.ledger import recount
from monitor_site.purchasing.models import Budget, LedgerEntry, Order, Scope, Stray, Sweep
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import BOUGHT, EDGES, State, Verb
from tests.purchasing.market import Market, account_of, lost, submitted
from tests.purchasing.rows import budget_of, order_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SENDER = Because(actor="sender")


@pytest.fixture
def account(alice, now):
    return account_of(alice, now=now - timedelta(days=2))


@pytest.fixture
def market(now):
    return Market(now=now)


def given_up(user, account, now, number=1, **fields):
    """An order that was found not to be bought."""
    order = lost(user, account, number, now=now, **fields)
    move(order=order, verb=Verb.RULE_OUT, because=SENDER, now=now + timedelta(hours=1))
    return order


def placed(user, account, now, reference="t-new", number=1):
    order = submitted(user, account, number, now=now)
    because = Because(actor="sender", fields={"reference": reference, "paid": 1000}, paid=1000)
    move(order=order, verb=Verb.PLACE, because=because, now=now)
    return order


def counter(user):
    scope = Scope.objects.get(budget__user=user, budget__kind="user", period="total", measure="money")
    return scope.held, scope.spent, scope.overrun


def shown(user):
    return [stray.number for stray in sweeping.strays_of(user)]


def test_q6_a_late_find_is_booked_even_above_the_limit_told_and_stops_the_account(alice, account, market, now):
    budget_of(alice, now=now, kind="user", total=1000)
    order = given_up(alice, account, now)
    other = order_of(alice, 2, now=now)
    move(order=other, verb=Verb.MAKE_READY, because=SENDER, now=now)
    market.sell(order.listing.external_id, "t-late", paid=Money(amount=1100, currency="JPY"))
    market.sweep(account)
    order.refresh_from_db()
    assert (order.state, order.paid, order.reference) == (State.PAID, 1100, "t-late")
    assert list(order.history.order_by("-number").values_list("after", flat=True)[:2]) == ["paid", "late_placed"]
    assert counter(alice) == (1000, 1100, 1100)
    assert recount(Scope.objects.all()) == []
    assert queries.account_waits(account_id=account.pk)
    ordering.tell([order], now=now)
    assert alice.alerts.get().facts["order"] == "late_placed"
    assert handing.let_order_again(order=order)
    assert not queries.account_waits(account_id=account.pk)


def test_q6_a_late_find_is_booked_once_however_often_it_is_seen(alice, account, market, now):
    order = given_up(alice, account, now)
    market.sell(order.listing.external_id, "t-late")
    for _ in range(3):
        market.sweep(account)
    assert (
        LedgerEntry.objects.filter(order=order, kind="book", scope__period="total", scope__measure="money").count() == 1
    )
    assert order.history.filter(verb=Verb.FIND_LATE).count() == 1
    assert shown(alice) == []


def test_q6_a_late_find_takes_back_what_was_proposed_in_its_place(alice, account, market, now):
    order = given_up(alice, account, now)
    again = order_of(alice, now=now, listing=order.listing, supersedes=order)
    move(order=again, verb=Verb.MAKE_READY, because=SENDER, now=now)
    market.sell(order.listing.external_id, "t-late")
    market.sweep(account)
    again.refresh_from_db()
    assert (again.state, again.reason) == (State.CANCELLED, "bought")
    assert counter(alice) == (0, 1000, 0)


def test_q6_two_purchases_of_one_listing_are_both_booked_when_both_happened(alice, account, market, now):
    order = given_up(alice, account, now)
    second = submitted(alice, account, now=now + timedelta(hours=2), listing=order.listing)
    because = Because(actor="sender", fields={"reference": "t-2"}, paid=1000)
    move(order=second, verb=Verb.PLACE, because=because, now=now + timedelta(hours=2))
    market.sell(order.listing.external_id, "t-1", at=now + timedelta(minutes=1))
    market.sell(order.listing.external_id, "t-2", at=now + timedelta(hours=2))
    market.sweep(account)
    assert set(Order.objects.values_list("reference", "state")) == {("t-1", State.PAID), ("t-2", State.PAID)}
    assert counter(alice) == (0, 2000, 0)


def test_m13_what_was_bought_by_hand_is_flagged_once_until_its_person_has_noted_it(alice, account, market, now):
    market.sweep(account)
    market.now += timedelta(hours=2)
    market.sell("m-by-hand", "t-by-hand")
    for _ in range(3):
        market.sweep(account)
    assert shown(alice) == ["t-by-hand"]
    sweeping.note_seen(stray=Stray.objects.get(number="t-by-hand"), now=market.now)
    market.sweep(account)
    assert shown(alice) == []
    assert Stray.objects.count() == 1


def test_m13_what_was_bought_before_anybody_looked_is_no_news(alice, account, market, now):
    market.sell("m-1", "t-1", at=now - timedelta(days=3))
    market.sell("m-2", "t-2", at=None)
    market.sweep(account)
    assert (Stray.objects.count(), shown(alice)) == (2, [])


def test_a_stranger_sees_nothing_of_it(alice, bob, account, market, now):
    market.sweep(account)
    market.now += timedelta(hours=2)
    market.sell("m-by-hand", "t-by-hand")
    market.sweep(account)
    assert (len(shown(alice)), shown(bob)) == (1, [])


def test_a_purchase_that_shows_while_its_order_is_under_way_waits_for_the_order(alice, account, market, now):
    order = submitted(alice, account, now=now)
    market.sell(order.listing.external_id, "t-new")
    market.sweep(account)
    order.refresh_from_db()
    assert (order.state, Stray.objects.count()) == (State.SUBMITTING, 0)


def test_a_sweep_that_sees_what_was_lost_settles_it(alice, account, market, now):
    order = lost(alice, account, now=now)
    market.sell(order.listing.external_id, "t-new")
    market.sweep(account)
    order.refresh_from_db()
    assert (order.state, order.reference, order.readings.get().seen) == (State.PAID, "t-new", "found")


def test_an_order_that_waits_for_a_person_is_settled_by_a_sweep_unless_what_was_seen_contradicts_itself(
    alice, account, market, now
):
    orders = [lost(alice, account, now=now)]
    market.sell(orders[0].listing.external_id, "t-1")
    move(order=orders[0], verb=Verb.GIVE_TO_PERSON, because=SENDER, now=now)
    market.sweep(account)
    orders[0].refresh_from_db()
    orders.append(lost(alice, account, 2, now=now))
    market.sell(orders[1].listing.external_id, "t-2", at=now - timedelta(days=1))
    move(order=orders[1], verb=Verb.GIVE_TO_PERSON, because=SENDER, now=now)
    market.sweep(account)
    orders[1].refresh_from_db()
    assert [order.state for order in orders] == [State.PAID, State.NEEDS_HUMAN]


@pytest.mark.parametrize("lists", [True, False], ids=["with a list", "listing by listing"])
def test_bought_orders_follow_the_marketplace(alice, account, market, now, lists):
    market.lists = lists
    order = placed(alice, account, now)
    market.sell(order.listing.external_id, "t-new", stage=PurchaseStage.WAIT_PAYMENT)
    stages = {
        PurchaseStage.WAIT_PAYMENT: State.PLACED,
        PurchaseStage.UNKNOWN: State.PLACED,
        PurchaseStage.WAIT_SHIPPING: State.PAID,
        PurchaseStage.SHIPPED: State.SHIPPED,
        PurchaseStage.CANCEL_ASKED: State.SHIPPED,
        PurchaseStage.RECEIVED: State.RECEIVED,
    }
    for stage, state in stages.items():
        market.change("t-new", stage=stage)
        market.sweep(account)
        order.refresh_from_db()
        assert order.state == state


def test_a_cancellation_that_the_marketplace_shows_pays_back_all_that_was_booked(alice, account, market, now):
    order = placed(alice, account, now)
    market.sell(order.listing.external_id, "t-new", stage=PurchaseStage.CANCELLED)
    market.sweep(account)
    order.refresh_from_db()
    assert (order.state, counter(alice)) == (State.MARKET_CANCELLED, (0, 0, 0))
    assert recount(Scope.objects.all()) == []


def test_q7_an_order_stays_bought_until_the_marketplace_itself_shows_it_cancelled(alice, account, market, now):
    order = placed(alice, account, now)
    market.sell(order.listing.external_id, "t-new", stage=PurchaseStage.CANCEL_ASKED)
    market.sweep(account)
    with pytest.raises(Exception, match="does not cancel"):
        move(order=order, verb=Verb.CANCEL, because=SENDER, now=now)
    order.refresh_from_db()
    assert (order.state, counter(alice)) == (State.PLACED, (0, 1000, 0))


def test_every_step_that_a_stage_leads_to_is_in_the_table():
    for stage in PurchaseStage:
        for state in BOUGHT:
            verb = next_step(state, stage)
            assert verb is None or (state, verb) in EDGES


def test_what_was_handed_over_is_placed_when_it_stands_among_the_persons_own_purchases(alice, account, market, now):
    budget_of(alice, now=now, kind="user", total=5000)
    order = order_of(alice, now=now)
    for verb in (Verb.MAKE_READY, Verb.HAND_OVER):
        move(order=order, verb=verb, because=SENDER, now=now)
    market.sell(order.listing.external_id, "t-hand", stage=PurchaseStage.WAIT_PAYMENT)
    market.sweep(account)
    order.refresh_from_db()
    assert (order.state, order.reference, counter(alice)) == (State.PLACED, "t-hand", (0, 1000, 0))


def test_what_was_handed_over_and_expired_is_found_late_among_the_persons_own_purchases(alice, account, market, now):
    budget_of(alice, now=now, kind="user", total=5000)
    order = order_of(alice, now=now)
    for verb in (Verb.MAKE_READY, Verb.HAND_OVER, Verb.EXPIRE):
        move(order=order, verb=verb, because=SENDER, now=now)
    market.sell(order.listing.external_id, "t-hand", stage=PurchaseStage.WAIT_PAYMENT)
    market.sweep(account)
    order.refresh_from_db()
    assert (order.state, counter(alice)) == (State.LATE_PLACED, (0, 1000, 0))


def test_somebody_elses_purchase_of_the_listing_touches_no_order_of_mine(alice, bob, market, now):
    budget_of(alice, now=now, kind="user", total=5000)
    order = order_of(alice, now=now)
    for verb in (Verb.MAKE_READY, Verb.HAND_OVER):
        move(order=order, verb=verb, because=SENDER, now=now)
    market.sell(order.listing.external_id, "t-hand")
    market.sweep(account_of(bob, now=now))
    order.refresh_from_db()
    assert order.state == State.HANDED_OVER


@pytest.mark.parametrize(("hours", "next_hours"), [(1, 1), (47, 1), (49, 24), (24 * 29, 24), (24 * 31, 24 * 30)])
def test_q6_an_account_is_swept_hourly_for_two_days_then_daily_for_a_month(
    alice, account, market, now, hours, next_hours
):
    submitted(alice, account, now=now)
    market.now += timedelta(hours=hours)
    market.sweep(account)
    assert Sweep.objects.get().due_at == market.now + timedelta(hours=next_hours)


def test_a_sweep_that_fails_is_tried_again_within_the_hour_and_forgets_nothing(alice, account, market, now):
    market.sweep(account)
    market.now += timedelta(hours=5)
    market.error = Unavailable("gone")
    market.sweep(account)
    sweep = Sweep.objects.get()
    assert (sweep.error, sweep.swept_at, sweep.due_at) == ("unavailable", now, market.now + timedelta(hours=1))


def test_an_account_that_may_spend_is_swept_before_it_ever_did_and_the_installations_own_never(alice, account, now):
    own = account_of(None, now=now)
    upkeep.ask_outcomes(now)
    assert list(Sweep.objects.values_list("account", flat=True)) == [account.pk] != [own.pk]


def test_two_who_are_woken_for_the_same_account_sweep_it_once(account, now):
    sweeping.wake(now=now)
    assert len(sweeping.rounds(account_ids=[account.pk], now=now)) == 1
    assert sweeping.rounds(account_ids=[account.pk], now=now) == []


def test_a_sweep_ends_at_a_page_of_known_purchases(alice, account, market, now):
    market.size = 5
    for number in range(30):
        market.sell(f"m-{number}", f"t-{number}", at=now - timedelta(days=3))
    market.sweep(account)
    asked, market.asked = market.asked, 0
    market.sweep(account)
    assert (asked, market.asked, Stray.objects.count()) == (6, 1, 30)


def test_what_was_seen_before_an_order_is_not_tied_to_it(alice, account, market, now):
    market.now = now - timedelta(hours=1)
    market.sell("m00000000001", "t-before")
    market.sweep(account)
    market.now = now + timedelta(hours=2)
    order = given_up(alice, account, now)
    market.sweep(account)
    order.refresh_from_db()
    assert (order.state, Stray.objects.get().number) == (State.NOT_PLACED, "t-before")


def test_what_a_person_bought_after_all_is_booked_where_the_order_counted(alice, now):
    budget_of(alice, now=now, kind="user", total=5000)
    order = order_of(alice, now=now)
    for verb in (Verb.MAKE_READY, Verb.HAND_OVER, Verb.EXPIRE):
        move(order=order, verb=verb, because=SENDER, now=now)
    handing.say_bought(order=order, paid=900, reference="by hand", actor="person", now=now)
    assert (order.state, order.paid, counter(alice)) == (State.LATE_PLACED, 900, (0, 900, 0))


def test_what_a_person_bought_without_ever_answering_is_booked_in_the_budgets_of_today(alice, now):
    budget_of(alice, now=now, kind="user", total=500)
    order = order_of(alice, now=now)
    for verb in (Verb.ASK, Verb.EXPIRE):
        move(order=order, verb=verb, because=SENDER, now=now)
    handing.say_bought(order=order, paid=900, reference="", actor="person", now=now)
    assert counter(alice) == (0, 900, 400)
    assert recount(Scope.objects.filter(budget__in=Budget.objects.all())) == []


@pytest.mark.parametrize("state", [State.UNKNOWN, State.SUBMITTING, State.DECLINED, State.NOT_PLACED, State.PLACED])
def test_nobody_says_it_was_bought_where_nobody_is_asked(alice, now, state):
    order = order_of(alice, now=now, state=state)
    with pytest.raises(handing.Overtaken):
        handing.say_bought(order=order, paid=900, reference="", actor="person", now=now)


def test_a_marketplace_that_cannot_be_asked_leaves_a_word_and_no_sweep(alice, account, now):
    lost(alice, account, now=now)
    sweeping.wake(now=now)
    outcomes.sweep([account.pk], now=now)
    sweep = Sweep.objects.get()
    assert (sweep.swept_at, bool(sweep.error)) == (None, True)
