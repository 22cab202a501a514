"""From a match to the parcel at the practice market of Mercari: real HTTP, real workers of the lanes, real senders."""

from datetime import UTC, datetime

import pytest

from monitor_site.alerts.models import Alert
from monitor_site.purchasing import proposing
from monitor_site.purchasing.models import Order
from monitor_site.purchasing.transitions import State

pytestmark = pytest.mark.django_db(transaction=True)
# What the marketplace shows of a purchase, and what the order says then.
STAGES = {"wait_shipping": State.PAID, "wait_review": State.SHIPPED, "done": State.RECEIVED}


def test_what_a_watch_finds_is_bought_without_asking_and_what_is_asked_about_after_the_approval_and_both_are_followed(
    shopper,
):
    bought = shopper.finds(shopper.rule("buy"), 1)
    assert (bought.state, bought.paid) == (State.PLACED, 3000)
    asked = shopper.finds(shopper.rule("ask"), 2)
    assert asked.state == State.AWAITING_APPROVAL
    proposing.approve(order=asked, seen=asked.shown, actor="person", now=datetime.now(UTC))
    shopper.run_lanes()
    assert state_of(asked) == State.PLACED
    for stage, state in STAGES.items():
        shopper.market.do("transaction", id=asked.listing.external_id, status=stage)
        shopper.sweep()
        assert state_of(asked) == state
    assert state_of(bought) == State.PAID
    told = set(Alert.objects.filter(kind="order").values_list("key", flat=True))
    assert {f"order:{bought.pk}:placed", f"order:{asked.pk}:awaiting_approval", f"order:{asked.pk}:placed"} <= told
    shopper.all_holds()


def state_of(order):
    return Order.objects.get(pk=order.pk).state
