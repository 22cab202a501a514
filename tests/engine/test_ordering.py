"""From a match to an order that its person places, and everything they hear of it on the way."""

from datetime import UTC, datetime, timedelta

import pytest

from monitor_site.alerts.claiming import claim
from monitor_site.alerts.models import Alert
from monitor_site.alerts.rendering import render
from monitor_site.engine import jobs, upkeep
from monitor_site.outbox import services as outbox
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import handing, proposing, switching
from monitor_site.purchasing.models import BuyRule, Order, Scope
from monitor_site.purchasing.moving import TOPIC
from monitor_site.purchasing.transitions import State
from monitor_site.watches import changes, joining
from monitor_site.watches.models import Listing, ListingEvent, Match, Target
from tests.alerts.rows import RATES, channel_of
from tests.purchasing.rows import budget_of, watch_of
from tests.web.rows import match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def today():
    return datetime.now(UTC)


@pytest.fixture
def found(alice, today):
    """A match of a watch that may buy, with a budget and a channel."""
    watch = watch_of(alice, now=today)
    BuyRule.objects.create(watch=watch, user=alice, price_max=5000, updated_at=today)
    budget_of(alice, now=today, kind="user", total=5000)
    channel_of(alice, now=today, language="en")
    return match(watch, 1, now=today, listing_price=1000, listing_title="T2", price=1000)


def announced(*matches):
    """As a recording notes it and its job takes it up."""
    ids = [one.pk for one in matches]
    outbox.write(topic=joining.TOPIC, object_ids=ids, now=datetime.now(UTC))
    jobs.announce_matches(ids)
    jobs.advance_orders(open_orders())


def open_orders():
    return list(OutboxRow.objects.filter(topic=TOPIC, done_at=None).values_list("object_id", flat=True))


def approved(order, today):
    proposing.approve(order=order, seen=order.shown, actor="alice", now=today)
    jobs.advance_orders(open_orders())
    order.refresh_from_db()
    return order


def sold(order, today):
    Listing.objects.filter(pk=order.listing_id).update(status="sold")
    ListingEvent.objects.create(listing=order.listing, kind="sold", at=today + timedelta(seconds=1), trace="t")
    outbox.write(topic=changes.TOPIC, object_ids=[order.listing_id], now=today)
    jobs.announce_changes([order.listing_id])
    order.refresh_from_db()


def told():
    return list(Alert.objects.order_by("pk").values_list("kind", "key"))


def held():
    return {scope.held for scope in Scope.objects.filter(measure="money")}


def test_a_match_that_may_be_bought_is_told_of_as_a_question_and_nothing_else(found):
    announced(found)
    order = Order.objects.get()
    assert order.state == State.AWAITING_APPROVAL
    assert told() == [("order", f"order:{order.pk}:awaiting_approval")]


def test_the_question_says_what_it_costs_and_leads_to_where_one_decides(found, today):
    announced(found)
    channel = Alert.objects.get().notices.get().channel
    parcel = claim(channel_id=channel.pk, rates=RATES, now=datetime.now(UTC))
    message = render(delivery=parcel.delivery, channel=parcel.channel)
    assert message.subject == "Buy it? ¥1,000 · T2"
    assert message.url.endswith(f"/m/{found.public_id}/")


def test_a_match_that_may_not_be_bought_is_told_of_as_ever(found):
    Listing.objects.update(price=6000)
    announced(found)
    assert not Order.objects.exists()
    assert told() == [("match", f"match:{found.listing_id}")]


def test_whatever_runs_twice_proposes_and_tells_once(found):
    announced(found)
    announced(found)
    assert Order.objects.count() == 1
    assert [kind for kind, _key in told()].count("order") == 1


def test_an_approved_order_is_handed_over_with_its_money_held_and_its_listing_watched(found, today):
    announced(found)
    order = approved(Order.objects.get(), today)
    assert (order.state, held()) == (State.HANDED_OVER, {1000})
    assert Target.objects.looks().filter(listing=order.listing, active=True).exists()
    assert told()[-1] == ("order", f"order:{order.pk}:handed_over")


def test_a_sale_of_what_was_handed_over_is_asked_about_once(found, today):
    announced(found)
    order = approved(Order.objects.get(), today)
    sold(order, today)
    sold(order, today)
    assert [key for kind, key in told() if key.endswith("whose")] == [f"order:{order.pk}:whose"]
    assert (order.state, held()) == (State.HANDED_OVER, {1000})


def test_what_the_person_bought_is_spent_at_what_they_paid(found, today):
    announced(found)
    order = approved(Order.objects.get(), today)
    sold(order, today)
    handing.say_bought(order=order, paid=900, reference="m1", actor="alice", now=today)
    assert (order.state, order.paid, held()) == (State.PLACED, 900, {0})
    assert {scope.spent for scope in Scope.objects.filter(measure="money")} == {900}


def test_what_somebody_else_bought_gives_the_money_back(found, today):
    announced(found)
    order = approved(Order.objects.get(), today)
    sold(order, today)
    handing.say_not_bought(order=order, actor="alice", now=today)
    assert (order.state, held()) == (State.SOLD_TO_OTHER, {0})


def test_what_the_person_does_not_want_any_more_is_cancelled(found, today):
    announced(found)
    order = approved(Order.objects.get(), today)
    handing.say_not_bought(order=order, actor="alice", now=today)
    assert (order.state, held()) == (State.CANCELLED, {0})


def test_what_is_gone_when_it_was_approved_is_not_handed_over(found, today):
    announced(found)
    order = Order.objects.get()
    proposing.approve(order=order, seen=order.shown, actor="alice", now=today)
    Listing.objects.update(status="sold")
    jobs.advance_orders([order.pk])
    order.refresh_from_db()
    assert (order.state, order.reason, held()) == (State.CANCELLED, "gone", {0})


def test_after_the_switch_an_approved_order_waits_and_goes_on_afterwards(found, alice, today):
    announced(found)
    switching.stop(user=alice, reason="stop", now=today)
    order = approved(Order.objects.get(), today)
    assert (order.state, held()) == (State.READY, {1000})
    switching.resume(user=alice, now=today)
    upkeep.keep_orders(today + timedelta(seconds=10))
    jobs.advance_orders(open_orders())
    assert Order.objects.get().state == State.HANDED_OVER


def test_while_spending_is_stopped_nothing_is_taken_up(found, alice, today):
    announced(found)
    switching.stop(user=alice, reason="stop", now=today)
    approved(Order.objects.get(), today)
    upkeep.keep_orders(today + timedelta(seconds=10))
    assert open_orders() == []


def test_what_nobody_answers_expires_and_is_told_of(found, today):
    announced(found)
    upkeep.keep_orders(today + timedelta(minutes=16))
    jobs.advance_orders(open_orders())
    order = Order.objects.get()
    assert (order.state, told()[-1]) == (State.EXPIRED, ("order", f"order:{order.pk}:expired"))


def test_nobody_is_told_of_their_own_doing(found, today):
    announced(found)
    order = Order.objects.get()
    before = told()
    proposing.decline(order=order, reason="", actor="alice", now=today)
    jobs.advance_orders(open_orders())
    assert told() == before


def test_an_automatic_rule_without_a_budget_ends_its_order_and_says_so(found, today):
    Scope.objects.all().delete()
    found.user.budgets.all().delete()
    BuyRule.objects.update(policy="buy", until=today.date() + timedelta(days=2), confirmed_at=today)
    announced(found)
    order = Order.objects.get()
    assert (order.state, order.reason) == (State.CANCELLED, "budget")
    assert told()[-1] == ("order", f"order:{order.pk}:cancelled")


def test_a_strangers_match_proposes_nothing_to_anybody_else(found, bob):
    announced(found)
    assert not Order.objects.of(bob).exists()
    assert Match.objects.count() == 1
