"""From a decided order to what the marketplace made of it, over real processes and real HTTP."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import budgeting, speeding, submitting, switching
from monitor_site.purchasing.budgeting import BudgetWish, Limits
from monitor_site.purchasing.models import LedgerEntry, Mode, Order
from monitor_site.purchasing.moving import TOPIC
from monitor_site.purchasing.transitions import State
from tests.selling.orders import again, all_holds, outcomes
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)


def sent(clerk, *orders):
    """Have the clerk take these, to the end."""
    clerk.serve([order.pk for order in orders])
    clerk.settle(seconds=2 * PATIENCE_SECONDS)
    return [again(order) for order in orders]


def test_a_decided_order_is_bought_once_and_its_price_is_spent(clerk, desk):
    [order] = sent(clerk, desk.approved())
    assert (order.state, order.paid, order.reference, order.ask_at) == (State.PLACED, 1000, "n1", None)
    [truth] = desk.market.truth
    assert truth["reference"] == order.public_id
    [tried] = desk.market.tries
    assert (tried["most"], tried["checksum"]) == (1000, "c1")
    all_holds(desk.market)


class TestWhatTheLookSees:
    """Nothing is sent when the listing is not what was decided on any more."""

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"price": 1001}, "over_limit"),
            ({"price": None}, "no_price"),
            ({"status": "sold"}, "gone"),
            ({"status": "reserved"}, "gone"),
            ({"kind": "auction"}, "auction"),
            ({"kind": "flea"}, "flea"),
            ({"shipping": "unknown"}, "shipping_unknown"),
            ({"shipping": "buyer_pays"}, "buyer_pays"),
            ({"shipping": "buyer_pays", "shipping_fee": 1}, "over_limit"),
        ],
    )
    def test_nothing_is_sent_and_the_money_is_free_again(self, clerk, desk, changes, reason):
        order = desk.approved()
        desk.market.goods["s1"] |= changes
        [order] = sent(clerk, order)
        assert (order.state, order.reason, outcomes(order)) == (State.CANCELLED, reason, ["not_sent"])
        assert desk.market.tries == []
        all_holds(desk.market)

    def test_what_has_vanished_is_not_ordered(self, clerk, desk):
        order = desk.approved()
        desk.market.goods.clear()
        [order] = sent(clerk, order)
        assert (order.state, order.reason, desk.market.tries) == (State.CANCELLED, "gone", [])

    def test_what_has_become_cheaper_is_bought_at_its_new_price(self, clerk, desk):
        order = desk.approved()
        desk.market.goods["s1"] |= {"price": 800}
        [order] = sent(clerk, order)
        assert (order.state, order.paid) == (State.PLACED, 800)
        all_holds(desk.market)

    def test_shipping_that_the_buyer_pays_counts_with_the_price(self, clerk, desk):
        fields = {"shipping": "buyer_pays", "shipping_fee": 500}
        order = desk.approved(desk.rule(shipping_estimate=700), **fields)
        [order] = sent(clerk, order)
        assert (order.state, desk.market.tries[0]["most"]) == (State.PLACED, 1700)

    def test_what_the_look_saw_is_kept_as_evidence(self, clerk, desk):
        order = desk.approved()
        desk.market.goods["s1"] |= {"price": 1001}
        sent(clerk, order)
        assert order.submissions.get().evidence["seen"]["price"] == 1001


class TestWhatTheMarketplaceSays:
    def test_a_listed_refusal_ends_the_order_and_frees_the_money(self, clerk, desk):
        order = desk.approved(refuses="sold_out")
        [order] = sent(clerk, order)
        assert (order.state, order.reason, outcomes(order)) == (State.REFUSED, "sold_out", ["refused"])
        desk.account.refresh_from_db()
        assert desk.account.paused_until is None
        all_holds(desk.market)

    @pytest.mark.parametrize("kind", ["payment_required", "address_invalid", "account_restricted", "auth_expired"])
    def test_a_refusal_of_the_account_stops_the_account(self, clerk, desk, now, kind):
        first, second = desk.approved(refuses=kind), desk.approved()
        assert sent(clerk, first)[0].state == State.REFUSED
        desk.account.refresh_from_db()
        assert (desk.account.pause_reason, desk.account.paused_until > now) == (kind, True)
        assert sent(clerk, second)[0].state == State.READY
        assert len(desk.market.tries) == 1

    @pytest.mark.parametrize(
        "answer",
        [
            None,
            (500, {"error": "out of order"}),
            (503, {"refused": "sold_out"}),
            (302, {"refused": "sold_out"}),
            (200, b"<html>who are you?</html>"),
            (200, b""),
            (200, {"item": "s99", "number": "n1", "paid": 1000}),
            (200, {"item": "s1", "paid": 1000}),
            (409, {"refused": "because"}),
            (418, {"refused": "sold_out"}),
        ],
        ids=str,
    )
    def test_any_other_answer_leaves_the_outcome_unknown_and_nothing_is_sent_again(self, clerk, desk, now, answer):
        first, second = desk.approved(), desk.approved()
        desk.market.answer = lambda _sold: answer
        [first] = sent(clerk, first)
        assert (first.state, outcomes(first)) == (State.UNKNOWN, ["unknown"])
        assert first.ask_at > now
        sent(clerk, first, second)
        assert (again(second).state, len(desk.market.tries)) == (State.READY, 1)
        all_holds(desk.market)

    def test_a_price_above_what_was_allowed_is_booked_all_the_same_and_stops_the_account(self, clerk, desk, now):
        order = desk.approved(paid=1500)
        [order] = sent(clerk, order)
        assert (order.state, order.paid) == (State.PLACED, 1500)
        desk.account.refresh_from_db()
        assert (desk.account.pause_reason, desk.account.paused_until > now) == ("dearer", True)


class TestBeforeTheFirstByte:
    def test_a_marketplace_that_does_not_answer_a_look_is_asked_three_times_at_most(self, clerk, desk, now):
        order = desk.approved()
        desk.market.on_look = lambda: 1 / 0
        for epoch in (1, 2, 3):
            old = now - submitting.RETRY_PAUSE
            Order.objects.filter(pk=order.pk).update(stood_since=old)
            [order] = sent(clerk, order)
            assert (order.epoch, outcomes(order)) == (epoch, ["not_sent"] * epoch)
        assert (order.state, order.reason, desk.market.tries) == (State.CANCELLED, "not_sent", [])
        all_holds(desk.market)

    def test_what_was_not_sent_is_not_tried_again_at_once(self, clerk, desk):
        order = desk.approved()
        desk.market.on_look = lambda: 1 / 0
        sent(clerk, order)
        [order] = sent(clerk, order)
        assert (order.state, order.epoch) == (State.READY, 1)

    def test_three_failures_in_a_row_rest_the_account_and_more_of_them_twice_as_long(self, clerk, desk):
        desk.market.on_look = lambda: 1 / 0
        for minutes in (None, None, 15, 30):
            began = datetime.now(UTC)
            sent(clerk, desk.approved())
            until, rest = MarketplaceAccount.objects.get().paused_until, timedelta(minutes=minutes or 0)
            assert (until is None) if minutes is None else (began + rest <= until <= datetime.now(UTC) + rest)
            MarketplaceAccount.objects.update(paused_until=None, pause_reason="")

    def test_things_that_were_sold_are_no_failures_of_the_account(self, clerk, desk):
        for _ in range(3):
            sent(clerk, desk.approved(refuses="sold_out"))
        assert MarketplaceAccount.objects.get().paused_until is None

    def test_the_switch_thrown_while_the_listing_is_looked_at_keeps_the_order_back(self, clerk, desk, alice, now):
        order = desk.approved()
        desk.market.on_look = lambda: thrown(alice, now)
        [order] = sent(clerk, order)
        assert (order.state, outcomes(order), desk.market.tries) == (State.READY, ["not_sent"], [])
        assert order.submissions.get().evidence["reason"] == "kept_back"
        assert MarketplaceAccount.objects.get().paused_until is None

    @pytest.mark.parametrize(
        "changes",
        [{"spends_since": None}, {"marketplace": "mercari"}, {"paused_until": "later", "pause_reason": "blocked"}],
    )
    def test_an_account_that_may_not_spend_sends_nothing(self, clerk, desk, now, changes):
        order = desk.approved()
        changes = {name: now + timedelta(hours=1) if value == "later" else value for name, value in changes.items()}
        MarketplaceAccount.objects.update(**changes)
        [order] = sent(clerk, order)
        assert (order.state, order.submissions.count(), desk.market.looks) == (State.READY, 0, [])

    def test_a_strangers_account_sends_nothing(self, clerk, desk, bob):
        order = desk.approved()
        MarketplaceAccount.objects.update(user=bob)
        [order] = sent(clerk, order)
        assert (order.state, order.submissions.count()) == (State.READY, 0)

    def test_a_limit_that_was_lowered_below_what_is_held_keeps_the_order_back(self, clerk, desk, now):
        order = desk.approved()
        budgeting.change_budget(budget=desk.user.budgets.get(), wish=BudgetWish(limits=Limits(total=500)), now=now)
        [order] = sent(clerk, order)
        assert (order.state, order.submissions.count()) == (State.READY, 0)

    def test_the_sixth_order_within_ten_minutes_stops_the_persons_spending(self, clerk, desk, alice):
        for _ in range(speeding.MOST):
            assert sent(clerk, desk.approved())[0].state == State.PLACED
        last = desk.approved()
        [last] = sent(clerk, last)
        assert (last.state, len(desk.market.truth)) == (State.READY, speeding.MOST)
        with transaction.atomic():
            assert switching.is_stopped(user_id=alice.pk, now=datetime.now(UTC))
        switching.resume(user=alice, now=datetime.now(UTC))
        assert sent(clerk, last)[0].state == State.PLACED

    def test_an_order_that_cannot_go_for_a_day_is_ended(self, desk, now):
        order = desk.approved()
        assert submitting.give_up(now=now + timedelta(hours=23)) == 0
        assert submitting.give_up(now=now + timedelta(hours=25)) == 1
        assert (again(order).state, again(order).reason) == (State.CANCELLED, "waited")
        all_holds(desk.market)


class TestManyAtOnce:
    def test_what_is_given_twice_is_sent_once(self, clerk, desk):
        order = desk.approved()
        sent(clerk, order, order, order)
        sent(clerk, order)
        assert (again(order).state, len(desk.market.tries)) == (State.PLACED, 1)

    def test_orders_of_one_account_go_one_after_the_other(self, clerk, desk):
        orders = [desk.approved() for _ in range(4)]
        under_way = []
        desk.market.on_buy = lambda: under_way.append(counted(Order.objects.filter(state=State.SUBMITTING)))
        sent(clerk, *orders)
        while waiting := [order for order in orders if again(order).state == State.READY]:
            sent(clerk, *waiting)
        assert under_way == [1, 1, 1, 1]
        all_holds(desk.market)

    def test_an_order_that_ends_wakes_the_next_one_of_its_account(self, clerk, desk, redis):
        first, second = desk.approved(), desk.approved()
        OutboxRow.objects.update(done_at=desk.now)
        sent(clerk, first)
        assert OutboxRow.objects.filter(topic=TOPIC, object_id=second.pk, done_at=None).exists()


class TestDryRun:
    def test_it_writes_down_what_would_have_been_sent_and_sends_nothing(self, clerk, desk):
        MarketplaceAccount.objects.update(spends_since=None)
        desk.account.refresh_from_db()
        order = desk.proposed()
        assert (order.mode, order.state) == (Mode.DRY_RUN, State.PROPOSED)
        [order] = sent(clerk, order)
        assert (order.state, order.reason, order.submissions.count()) == (State.CANCELLED, "dry_run", 0)
        would = order.history.get().evidence["would_send"]
        assert would == {
            "url": f"{desk.market.base}/buy",
            "json": {"item": "s1", "most": 1000, "checksum": "c1", "reference": order.public_id},
        }
        assert (desk.market.tries, desk.market.looks) == ([], ["s1"])
        assert not LedgerEntry.objects.exists()

    def test_it_says_why_nothing_would_have_been_sent(self, clerk, desk):
        MarketplaceAccount.objects.update(spends_since=None)
        desk.account.refresh_from_db()
        order = desk.proposed()
        desk.market.goods["s1"] |= {"status": "sold"}
        [order] = sent(clerk, order)
        assert (order.state, order.reason, order.history.get().evidence.get("would_send")) == (
            State.CANCELLED, "gone", None,
        )  # fmt: skip

    def test_nothing_of_a_dry_run_goes_out_even_when_the_account_may_spend_meanwhile(self, clerk, desk, now):
        MarketplaceAccount.objects.update(spends_since=None)
        desk.account.refresh_from_db()
        order = desk.proposed()
        MarketplaceAccount.objects.update(spends_since=now)
        [order] = sent(clerk, order)
        assert (order.state, desk.market.tries) == (State.CANCELLED, [])


def counted(rows):
    """From the thread of the market."""
    try:
        return rows.count()
    finally:
        connection.close()


def thrown(alice, now):
    """From the thread of the market."""
    try:
        switching.stop(user=alice, reason="wait", now=now)
    finally:
        connection.close()
