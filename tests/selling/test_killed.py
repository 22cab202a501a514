"""Whatever dies or stands still on the way: an order reaches the marketplace at most once, and nobody calls it unsent
who does not know.
"""

import os
import signal
import time
from datetime import UTC, datetime

import psutil
import pytest

from monitor_site.engine import senders as sending
from monitor_site.purchasing import submitting
from monitor_site.purchasing.models import Order, SubmissionOutcome
from monitor_site.purchasing.submitting import Told
from monitor_site.purchasing.transitions import State
from tests.selling.orders import again, all_holds, outcomes
from tests.selling.test_sending import sent
from tests.waiting import PATIENCE_SECONDS, lives, until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

BEFORE, AFTER = State.READY, State.UNKNOWN


@pytest.mark.parametrize(
    ("moment", "state", "bought"),
    [
        ("begun", BEFORE, 0),
        ("ready", BEFORE, 0),
        ("committing", AFTER, 0),
        ("replied", AFTER, 1),
    ],
)
def test_a_sender_that_is_killed_is_believed_only_as_far_as_it_provably_came(
    clerk, desk, points, moment, state, bought
):
    order = desk.approved()
    points.arm(moment, "kill")
    [order] = sent(clerk, order)
    assert points.hit_by
    assert (order.state, len(desk.market.truth)) == (state, bought)
    sent(clerk, order)
    assert len(desk.market.truth) == bought
    all_holds(desk.market)


def test_a_sender_that_is_killed_while_the_marketplace_works_leaves_the_outcome_unknown(clerk, desk):
    order = desk.approved()
    desk.market.on_sold = lambda: [os.kill(pid, signal.SIGKILL) for pid in forked()]
    [order] = sent(clerk, order)
    assert (order.state, outcomes(order), len(desk.market.truth)) == (State.UNKNOWN, ["unknown"], 1)
    all_holds(desk.market)


def test_a_sender_that_is_killed_before_it_began_is_followed_by_another_one_later(clerk, desk, points):
    order = desk.approved()
    points.arm("looked", "kill")
    [order] = sent(clerk, order)
    Order.objects.update(stood_since=desk.now - submitting.RETRY_PAUSE)
    [order] = sent(clerk, order)
    assert (order.state, outcomes(order), len(desk.market.truth)) == (State.PLACED, ["not_sent", "placed"], 1)


@pytest.mark.parametrize("moment", ["looked", "committing"])
def test_a_sender_that_stood_still_past_its_deadline_dies_instead_of_sending(clerk, desk, points, monkeypatch, moment):
    sent(clerk, desk.approved())
    desk.market.tries.clear()
    monkeypatch.setattr(submitting, "SEND_TIME", submitting.timedelta(seconds=12))
    monkeypatch.setattr(sending, "GRACE_SECONDS", 600)
    order = desk.approved()
    points.arm(moment, "stop")
    clerk.serve([order.pk])
    until(lambda: points.hit_by and is_stopped(points.hit_by), what="the sender stands still")
    deadline = order.submissions.get().send_deadline
    until(lambda: datetime.now(UTC) > deadline, what="its deadline is over")
    os.kill(points.hit_by, signal.SIGCONT)
    clerk.settle(seconds=2 * PATIENCE_SECONDS)
    assert desk.market.tries == []
    assert again(order).state == (State.UNKNOWN if moment == "committing" else State.READY)
    until(lambda: not lives(points.hit_by), what="the sender is gone")


def test_a_sender_that_never_goes_on_is_killed_and_the_worker_goes_on(clerk, desk, points, monkeypatch):
    sent(clerk, desk.approved())
    desk.market.tries.clear()
    monkeypatch.setattr(submitting, "SEND_TIME", submitting.timedelta(seconds=12))
    order, other = desk.approved(), desk.approved()
    points.arm("looked", "stop")
    [order] = sent(clerk, order)
    assert (order.state, desk.market.tries) == (State.READY, [])
    until(lambda: not lives(points.hit_by), what="the sender is gone")
    monkeypatch.setattr(submitting, "SEND_TIME", submitting.timedelta(seconds=120))
    assert sent(clerk, other)[0].state == State.PLACED


def test_losing_who_forks_senders_costs_nothing(clerk, desk, senders):
    order = desk.approved()
    sent(clerk, desk.approved())
    senders._server.kill()
    senders._server.wait()
    assert sent(clerk, order)[0].state == State.PLACED


def test_a_deadline_that_has_passed_is_not_begun(senders, desk, clerk):
    order = desk.approved()
    submission = submitting.begin(order=order, now=desk.now)
    told = senders.send(order_id=order.pk, submission_id=submission.pk, deadline=time.monotonic() - 1)
    assert (told.outcome, desk.market.looks) == (None, [])


def test_a_commit_whose_answer_was_lost_is_looked_at_again(clerk, desk, monkeypatch, points):
    order, real = desk.approved(), submitting.conclude

    def lost(**said):
        monkeypatch.setattr(submitting, "conclude", real)
        real(**said)
        raise submitting_lost

    from django.db import OperationalError

    submitting_lost = OperationalError("the connection was closed")
    monkeypatch.setattr(submitting, "conclude", lost)
    [order] = sent(clerk, order)
    assert (order.state, order.submissions.get().outcome) == (State.PLACED, "placed")
    all_holds(desk.market)


def test_what_could_not_be_written_down_stays_with_whoever_asks_the_marketplace(clerk, desk, monkeypatch):
    from django.db import OperationalError

    def broken(**said):
        raise OperationalError("no database")

    order = desk.approved()
    monkeypatch.setattr(submitting, "conclude", broken)
    [order] = sent(clerk, order)
    assert (order.state, order.submissions.get().outcome, len(desk.market.truth)) == (State.SUBMITTING, "open", 1)
    assert order.ask_at is not None
    all_holds(desk.market)


class TestWhoeverIsLate:
    """The outcome was found out by somebody else before the sender was heard."""

    def test_what_comes_late_is_kept_as_evidence_and_changes_nothing(self, desk, now):
        order, submission = under_way(desk, now)
        submitting.conclude(submission=submission, told=Told(outcome=SubmissionOutcome.UNKNOWN), now=now)
        late = Told(outcome=SubmissionOutcome.NOT_SENT, reason="kept_back")
        assert not submitting.conclude(submission=submission, told=late, now=now)
        submission.refresh_from_db()
        assert (again(order).state, submission.outcome) == (State.UNKNOWN, "unknown")
        assert submission.evidence["late"]["outcome"] == "not_sent"

    def test_a_try_of_before_does_not_conclude_the_one_of_now(self, desk, now):
        order, first = under_way(desk, now)
        submitting.conclude(submission=first, told=Told(outcome=SubmissionOutcome.NOT_SENT), now=now)
        second = submitting.begin(order=again(order), now=now + submitting.RETRY_PAUSE)
        late = Told(outcome=SubmissionOutcome.PLACED, paid=1, reference="n9")
        assert not submitting.conclude(submission=first, told=late, now=now)
        assert (again(order).state, again(order).epoch) == (State.SUBMITTING, second.epoch)

    def test_only_one_of_many_may_commit(self, desk, now):
        _order, submission = under_way(desk, now)
        assert [submitting.may_commit(submission=submission, now=now) for _ in range(3)] == [True, False, False]

    def test_nobody_may_commit_what_was_concluded_or_is_late(self, desk, now):
        _order, submission = under_way(desk, now)
        assert not submitting.may_commit(submission=submission, now=submission.send_deadline)
        submitting.conclude(submission=submission, told=Told(ended=True), now=now)
        assert not submitting.may_commit(submission=submission, now=now)

    @pytest.mark.parametrize(("ended", "committing", "outcome"), [
        (True, False, "not_sent"), (False, False, "unknown"), (True, True, "unknown"), (False, True, "unknown"),
    ])  # fmt: skip
    def test_silence_is_a_no_only_of_somebody_who_is_gone_and_had_not_begun(
        self, desk, now, ended, committing, outcome
    ):
        _order, submission = under_way(desk, now)
        if committing:
            assert submitting.may_commit(submission=submission, now=now)
        submitting.conclude(submission=submission, told=Told(ended=ended), now=now)
        submission.refresh_from_db()
        assert submission.outcome == outcome


@pytest.mark.parametrize(
    "said",
    [
        b"", b"{", b"[]\n", b"null\n", b'{"outcome": "open"}\n', b'{"outcome": "bought"}\n', b'{"outcome": "placed"}\n',
        b'{"outcome": "placed", "reference": 7}\n', b'{"outcome": "placed", "reference": "n", "paid": "much"}\n',
        b'{"outcome": "not_sent", "reason": 3}\n', b'{"outcome": {}}\n', b"\xff\xfe\n", b'{"pid": 1}\n',
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_no_word(said):
    told = sending.told_from(said, ended=True)
    assert (told.outcome, told.ended) == (None, True)


def under_way(desk, now):
    """An order that is being sent by nobody."""
    order = desk.approved()
    submission = submitting.begin(order=order, now=now)
    assert order.state == State.SUBMITTING
    return order, submission


def forked():
    """The senders of this moment."""
    servers = [one for one in psutil.Process().children(recursive=True) if "run_senders" in one.cmdline()]
    return [one.pid for one in servers if one.ppid() != os.getpid()]


def is_stopped(pid):
    return psutil.Process(pid).status() == psutil.STATUS_STOPPED
