"""The checker of orders and money sees what is wrong: each row is broken once."""

from datetime import timedelta

import pytest
from django.db import IntegrityError

from monitor_site.purchasing.models import Cancellation, LedgerEntry, Measure, Order, Scope, Submission
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from tests.purchasing.invariants import (
    Sold,
    all_hold,
    no_cancelling_is_sent_twice_or_lost,
    no_more_things_than_wanted,
)
from tests.purchasing.market import account_of, submitted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def placed(alice, now):
    """An order that was sent and placed."""
    order = submitted(alice, account_of(alice, now=now), now=now)
    order.submissions.update(outcome="placed")
    because = Because(actor="sender", fields={"reference": "t1", "paid": 1000, "ask_at": None}, paid=1000)
    move(order=order, verb=Verb.PLACE, because=because, now=now)
    return order


def truth(order, **changes):
    usual = {"reference": order.public_id, "listing": order.listing.external_id, "paid": 1000}
    return Sold(**usual | changes)


def test_what_is_right_passes(placed):
    all_hold([truth(placed)])


@pytest.mark.parametrize(
    "told",
    [
        lambda order: [truth(order)] * 2,
        lambda order: [],
        lambda order: [truth(order), truth(order, reference="nobodys")],
        lambda order: [truth(order, listing="m9")],
        lambda order: [truth(order, paid=999)],
    ],
    ids=["twice", "never", "for nobody", "another thing", "another price"],
)
def test_a_marketplace_that_tells_otherwise_is_noticed(placed, told):
    with pytest.raises(AssertionError):
        all_hold(told(placed))


@pytest.mark.parametrize(
    "breaks",
    [
        lambda: LedgerEntry.objects.filter(kind="spend").delete(),
        lambda: Scope.objects.update(spent=0),
        lambda: Scope.objects.filter(period="total").update(limit=None, held=5),
        lambda: Order.objects.update(state=State.READY),
        lambda: Order.objects.update(state=State.NOT_PLACED),
        lambda: Order.objects.update(state=State.UNKNOWN),
        lambda: Order.objects.get().history.filter(verb=Verb.MAKE_READY).delete(),
        lambda: Submission.objects.update(price_cap=1001),
        lambda: Submission.objects.update(committing_at="2026-05-01T03:00Z", evidence={"seen": {"price": 1001}}),
    ],
    ids=["entry", "counter", "held", "unsent", "ruled out", "unasked", "undecided", "cap", "dearer"],
)
def test_rows_that_contradict_are_noticed(placed, breaks):
    breaks()
    with pytest.raises(AssertionError):
        all_hold([truth(placed)])


def test_one_thing_more_than_wanted_is_noticed_whatever_the_counters_say(placed, alice, now):
    other = submitted(alice, placed.account, 2, now=now)
    Scope.objects.filter(measure=Measure.UNITS).update(limit=1, held=0, spent=0)
    with pytest.raises(AssertionError, match="2 things where 1 are wanted"):
        no_more_things_than_wanted([truth(placed)], [placed, other])
    Scope.objects.filter(measure=Measure.UNITS).update(overrun=1)
    no_more_things_than_wanted([truth(placed)], [placed, other])


@pytest.mark.parametrize(
    "breaks",
    [{"outcome": "open"}, {"outcome": "unknown", "begun_at": "2026-05-01T03:00Z"}, {"outcome": "asked", "order": 0}],
    ids=["without an end", "without a deadline", "of what was not bought"],
)
def test_a_request_to_cancel_that_nobody_could_answer_for_is_noticed(placed, alice, now, breaks):
    fields = {"order": placed, "epoch": 1, "actor": "alice", "asked_at": now}
    if "order" in breaks:
        breaks = breaks | {"order": submitted(alice, account_of(alice, now=now, label="other"), 2, now=now)}
    Cancellation.objects.create(**fields | breaks)
    with pytest.raises(AssertionError):
        no_cancelling_is_sent_twice_or_lost()


def test_the_database_itself_has_no_room_for_a_second_try_that_may_have_come(placed):
    first = Submission.objects.get()
    moments = {"begun_at": first.begun_at, "send_deadline": first.send_deadline + timedelta(seconds=15)}
    with pytest.raises(IntegrityError):
        Submission.objects.create(order=first.order, epoch=2, price_cap=1000, outcome="unknown", **moments)
