"""A purchase is cancelled at its marketplace by a request of its own: over real processes and real HTTP, once at most,
and its money stays booked until the marketplace itself shows it cancelled.
"""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, OperationalError, connection

from monitor_site.alerts.models import Alert
from monitor_site.engine import ordering, outcomes
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import cancelling, restoring, sweeping, switching
from monitor_site.purchasing.models import Cancellation, Entry, LedgerEntry, Order, Sweep
from monitor_site.purchasing.moving import TOPIC, Overtaken
from monitor_site.purchasing.submitting import Told
from monitor_site.purchasing.transitions import State
from tests.faults.test_races import at_once
from tests.selling.orders import again, all_holds
from tests.selling.test_sending import sent

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def bought(clerk, desk):
    """An order that was placed, with nothing asked yet."""
    [order] = sent(clerk, desk.approved())
    assert order.state == State.PLACED
    return order


def asked(order):
    return cancelling.ask(order=order, actor="alice", now=datetime.now(UTC))


def cancelled(clerk, order):
    """Ask, and have it sent; what is known of it."""
    asked(order)
    sent(clerk, order)
    return cancelling.last_of(order)


def seen(order, at):
    """Have its account looked at, as upkeep does then."""
    sweeping.wake(now=at)
    Sweep.objects.update(due_at=at)
    outcomes.sweep([order.account_id], now=at)
    return again(order)


def spent(order):
    return sum(LedgerEntry.objects.filter(order=order, kind=Entry.SPEND).values_list("amount", flat=True))


class TestWhatTheMarketplaceSays:
    def test_it_is_sent_once_and_the_money_stays_booked_until_the_purchase_shows_as_cancelled(
        self, clerk, desk, bought
    ):
        request = cancelled(clerk, bought)
        assert (request.outcome, request.evidence, desk.market.cancels) == (
            "done", {}, [{"number": "n1", "reference": bought.public_id}],
        )  # fmt: skip
        order = seen(bought, datetime.now(UTC) + MINUTE)
        assert (order.state, LedgerEntry.objects.filter(kind=Entry.REFUND).exists()) == (State.PLACED, False)
        all_holds(desk.market)
        desk.market.truth[0]["stage"] = "cancelled"
        order = seen(bought, datetime.now(UTC) + 2 * MINUTE)
        assert order.state == State.MARKET_CANCELLED
        refunds = LedgerEntry.objects.filter(order=order, kind=Entry.REFUND)
        assert refunds.count() == LedgerEntry.objects.filter(order=order, kind=Entry.SPEND).count()
        all_holds(desk.market)

    def test_a_listed_refusal_leaves_it_bought_tells_its_person_and_stops_no_account(self, clerk, desk, bought):
        desk.market.refuses_to_cancel = "not_cancellable"
        request = cancelled(clerk, bought)
        assert (request.outcome, request.reason) == ("refused", "not_cancellable")
        ordering.tell([again(bought)], now=datetime.now(UTC))
        assert Alert.objects.filter(key=f"order:{bought.pk}:not_cancelled").count() == 1
        assert MarketplaceAccount.objects.get().paused_until is None
        assert (again(bought).state, cancelling.can_ask(again(bought))) == (State.PLACED, False)

    @pytest.mark.parametrize(
        "answer",
        [
            None,
            (500, {"error": "out of order"}),
            (503, {"refused": "not_cancellable"}),
            (302, {"item": "s1", "number": "n1"}),
            (200, b"<html>who are you?</html>"),
            (200, b""),
            (200, {"item": "s1", "number": "n9"}),
            (200, {"item": "s9", "number": "n1"}),
            (409, {"refused": "because"}),
        ],
        ids=str,
    )
    def test_any_other_answer_leaves_it_unknown_and_nothing_is_sent_again(self, clerk, desk, bought, answer):
        desk.market.answer_to_cancel = lambda _sold: answer
        request = cancelled(clerk, bought)
        assert (request.outcome, len(desk.market.cancels)) == ("unknown", 1)
        with pytest.raises(Overtaken):
            asked(bought)
        sent(clerk, bought)
        assert (again(bought).state, len(desk.market.cancels)) == (State.PLACED, 1)
        all_holds(desk.market)


class TestWhileNobodyKnows:
    """Only looks at the purchase itself decide, and money hangs on none of them."""

    @pytest.fixture
    def lost(self, clerk, desk, bought):
        desk.market.answer_to_cancel = lambda _sold: None
        request = cancelled(clerk, bought)
        assert request.outcome == "unknown"
        return request

    def test_a_purchase_that_shows_the_wish_was_heard(self, desk, bought, lost):
        order = seen(bought, lost.begun_at + MINUTE)
        lost.refresh_from_db()
        assert (order.state, lost.outcome, [one["stage"] for one in lost.looks]) == (
            State.PLACED, "done", ["cancel_asked"],
        )  # fmt: skip

    def test_a_purchase_that_shows_as_cancelled_pays_back_and_was_heard(self, desk, bought, lost):
        desk.market.truth[0]["stage"] = "cancelled"
        assert seen(bought, lost.begun_at + MINUTE).state == State.MARKET_CANCELLED
        lost.refresh_from_db()
        assert lost.outcome == "done"

    def test_a_purchase_that_still_stands_long_after_the_horizon_was_not_cancelled_and_is_not_asked_again(
        self, desk, bought, lost
    ):
        desk.market.truth[0]["stage"] = "wait_shipping"
        at, looks = lost.begun_at, 0
        sweeping.wake(now=at)
        while lost.outcome == "unknown" and looks < 20:
            at, looks = max(at + timedelta(seconds=1), Sweep.objects.get().due_at), looks + 1
            seen(bought, at)
            lost.refresh_from_db()
        horizon = cancelling.case_of(lost).horizon
        assert (lost.outcome, at > horizon, at < lost.begun_at + timedelta(hours=2)) == ("not_done", True, True)
        assert again(bought).state == State.PAID
        assert (cancelling.can_ask(again(bought)), len(desk.market.cancels)) == (False, 1)

    def test_a_marketplace_that_is_gone_for_a_day_leaves_it_with_its_person_and_a_later_look_still_settles_it(
        self, desk, bought, lost
    ):
        del desk.market.truth[0]["stage"]
        later = lost.begun_at + timedelta(hours=24)
        cancelling.wake(now=later - MINUTE)
        lost.refresh_from_db()
        assert lost.reason == ""
        for _ in range(2):
            cancelling.wake(now=later)
            ordering.tell([again(bought)], now=later)
        lost.refresh_from_db()
        assert (lost.outcome, lost.reason) == ("unknown", "no_answer")
        assert Alert.objects.filter(key=f"order:{bought.pk}:not_cancelled").count() == 1
        desk.market.truth[0]["stage"] = "cancel_asked"
        seen(bought, later + MINUTE)
        lost.refresh_from_db()
        assert (lost.outcome, lost.reason) == ("done", "")

    def test_another_purchase_says_nothing_of_it(self, desk, bought, lost):
        desk.market.truth[0]["number"] = "n7"
        seen(bought, lost.begun_at + MINUTE)
        lost.refresh_from_db()
        assert (lost.outcome, lost.looks) == ("unknown", [])


class TestBeforeTheFirstByte:
    def test_what_was_not_sent_may_be_asked_again_three_times_in_all(self, clerk, desk, bought):
        MarketplaceAccount.objects.update(paused_until=datetime.now(UTC) + 60 * MINUTE, pause_reason="by_hand")
        for _ in range(3):
            assert cancelled(clerk, bought).outcome == "not_sent"
        assert desk.market.cancels == []
        with pytest.raises(Overtaken):
            asked(bought)

    def test_an_account_that_waits_for_an_outcome_cancels_all_the_same(self, clerk, desk, bought):
        pause = {"paused_until": datetime.now(UTC) + MINUTE, "pause_reason": "outcome_unknown"}
        MarketplaceAccount.objects.update(**pause)
        assert cancelled(clerk, bought).outcome == "done"

    def test_while_spending_is_stopped_nothing_is_asked(self, desk, bought, alice):
        switching.stop(user=alice, reason="wait", now=datetime.now(UTC))
        with pytest.raises(Overtaken):
            asked(bought)
        assert not Cancellation.objects.exists()

    def test_the_switch_thrown_before_it_goes_keeps_it_back(self, clerk, desk, bought, alice):
        asked(bought)
        switching.stop(user=alice, reason="wait", now=datetime.now(UTC))
        sent(clerk, bought)
        request = cancelling.last_of(bought)
        assert (request.outcome, request.reason, desk.market.cancels) == ("not_sent", "kept_back", [])

    def test_the_last_check_is_answered_yes_once_and_not_after_the_switch_or_the_deadline(self, desk, bought, alice):
        asked(bought)
        now = datetime.now(UTC)
        request = cancelling.begin(order=again(bought), now=now)
        assert not cancelling.may_commit(cancellation=request, now=request.send_deadline)
        switching.stop(user=alice, reason="wait", now=now)
        assert not cancelling.may_commit(cancellation=request, now=now)
        switching.resume(user=alice, now=now)
        assert [cancelling.may_commit(cancellation=request, now=now) for _ in range(3)] == [True, False, False]

    def test_what_is_not_bought_or_on_its_way_is_not_cancelled(self, desk, bought):
        for state in sorted(set(State) - cancelling.CANCELLABLE):
            Order.objects.update(state=state)
            with pytest.raises(Overtaken):
                asked(again(bought))

    def test_what_the_marketplace_has_cancelled_meanwhile_is_not_sent(self, clerk, desk, bought):
        asked(bought)
        desk.market.truth[0]["stage"] = "cancelled"
        seen(bought, datetime.now(UTC))
        sent(clerk, bought)
        assert (cancelling.last_of(bought).outcome, desk.market.cancels) == ("not_sent", [])

    def test_without_a_plugin_that_can_nothing_is_asked(self, desk, bought, monkeypatch):
        Order.objects.get().listing.__class__.objects.update(marketplace="mercari")
        with pytest.raises(Overtaken):
            asked(again(bought))


class TestWhateverDiesOrRepeats:
    @pytest.mark.parametrize(
        ("moment", "outcome", "came"),
        [("ready", "not_sent", 0), ("committing", "unknown", 0), ("replied", "unknown", 1)],
    )
    def test_a_sender_that_is_killed_is_believed_only_as_far_as_it_provably_came(
        self, clerk, desk, bought, points, moment, outcome, came
    ):
        points.arm(moment, "kill")
        request = cancelled(clerk, bought)
        assert (request.outcome, len(desk.market.cancels), bool(points.hit_by)) == (outcome, came, True)
        sent(clerk, bought)
        assert len(desk.market.cancels) == came

    def test_two_presses_at_once_ask_once(self, clerk, desk, bought):
        raised = at_once(*[lambda: asked(bought)] * 4)
        assert [type(error) for error in raised] == [Overtaken] * 3
        sent(clerk, bought, bought)
        sent(clerk, bought)
        assert (len(desk.market.cancels), Cancellation.objects.count()) == (1, 1)

    def test_what_a_dead_worker_left_is_lost_from_sight_and_what_it_never_began_is_taken_up(self, desk, bought):
        request = asked(bought)
        OutboxRow.objects.update(done_at=request.asked_at)
        cancelling.wake(now=request.asked_at + 2 * cancelling.PATIENCE)
        assert OutboxRow.objects.filter(topic=TOPIC, object_id=bought.pk, done_at=None).exists()
        begun = cancelling.begin(order=again(bought), now=request.asked_at)
        cancelling.wake(now=begun.send_deadline)
        assert cancelling.last_of(bought).outcome == "open"
        cancelling.wake(now=begun.send_deadline + 2 * cancelling.PATIENCE)
        assert cancelling.last_of(bought).outcome == "unknown"

    def test_what_comes_late_is_kept_as_evidence_and_changes_nothing(self, desk, bought):
        asked(bought)
        begun = cancelling.begin(order=again(bought), now=datetime.now(UTC))
        cancelling.wake(now=begun.send_deadline + MINUTE)
        late = Told(outcome="not_sent", ended=True, reason="kept_back")
        assert not cancelling.conclude(cancellation=begun, told=late, now=datetime.now(UTC))
        last = cancelling.last_of(bought)
        assert (last.outcome, last.evidence["late"]["outcome"]) == ("unknown", "not_sent")

    def test_a_commit_whose_answer_was_lost_is_looked_at_again(self, clerk, desk, bought, monkeypatch):
        real = cancelling.conclude

        def lost(**said):
            monkeypatch.setattr(cancelling, "conclude", real)
            real(**said)
            raise OperationalError("the connection was closed")

        monkeypatch.setattr(cancelling, "conclude", lost)
        assert cancelled(clerk, bought).outcome == "done"

    def test_a_restored_backup_sends_no_request_of_before_and_asks_the_marketplace(self, clerk, desk, bought):
        request, now = asked(bought), datetime.now(UTC)
        restoring.take_over(backup_at=now - MINUTE, now=now)
        switching.resume(user=None, now=now)
        sent(clerk, bought)
        request.refresh_from_db()
        assert (request.outcome, desk.market.cancels) == ("unknown", [])
        desk.market.truth[0]["stage"] = "cancelled"
        assert seen(bought, now + MINUTE).state == State.MARKET_CANCELLED

    def test_the_database_itself_has_no_room_for_a_second_request_that_may_have_come(self, bought):
        asked(bought)
        with pytest.raises(IntegrityError):
            Cancellation.objects.create(order=bought, epoch=2, actor="alice", asked_at=bought.created_at)
        connection.close()
