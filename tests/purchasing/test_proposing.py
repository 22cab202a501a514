"""From matches to proposals, and from exactly what was shown to what may be sent."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import IntegrityError, connections, transaction

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import proposing, switching
from monitor_site.purchasing.ledger import NoBudget, OverBudget
from monitor_site.purchasing.models import BuyRule, Mode, Order, OrderStep, Scope
from monitor_site.purchasing.moving import Because, Overtaken, move
from monitor_site.purchasing.proposing import Changed, approve, decline, expectations, expire, extend, propose
from monitor_site.purchasing.transitions import State, Verb
from monitor_site.watches.models import Listing, Match
from tests.purchasing.rows import budget_of, watch_of
from tests.web.rows import match

pytestmark = pytest.mark.django_db


def rule_of(watch, now, **fields):
    return BuyRule.objects.create(watch=watch, user=watch.user, updated_at=now, **{"price_max": 50_000} | fields)


def proposal(user, now, number=1, **fields):
    """A proposal that waits for an answer."""
    watch = watch_of(user, now=now, name=str(number))
    rule_of(watch, now, **fields)
    [order] = propose(match_ids=[match(watch, number, now=now, listing_price=1000).pk], now=now)
    return order


def answered(order, now, **changes):
    approve(order=order, seen=changes.get("seen", order.shown), actor="alice", now=now)
    order.refresh_from_db()
    return order


def test_a_match_of_a_watch_with_a_rule_becomes_a_proposal_that_asks(alice, now):
    order = proposal(alice, now)
    assert (order.state, order.mode, order.price_max) == (State.AWAITING_APPROVAL, Mode.APPROVAL, 1000)
    assert order.expires_at == now + timedelta(minutes=15)
    assert not Scope.objects.exists()


def test_only_what_is_bought_without_asking_is_in_a_hurry(alice, now):
    rules = [None, {"policy": "ask"}, {"policy": "buy", "until": now.date(), "confirmed_at": now}]
    watches = [watch_of(alice, now=now, name=str(number)) for number in range(3)]
    for watch, fields in zip(watches, rules, strict=True):
        if fields is not None:
            rule_of(watch, now, **fields)
    found = [match(watch, number, now=now).pk for number, watch in enumerate(watches, start=1)]
    assert proposing.bought_unasked(found) == {found[2]}
    assert proposing.bought_unasked([]) == set()


def test_a_watch_without_a_rule_proposes_nothing(alice, now):
    found = match(watch_of(alice, now=now), 1, now=now)
    assert propose(match_ids=[found.pk], now=now) == []


@pytest.mark.parametrize("fields", [{"silent": True}, {"state": "ignored"}])
def test_nothing_is_proposed_that_nobody_is_told_of(alice, now, fields):
    watch = watch_of(alice, now=now)
    rule_of(watch, now)
    assert propose(match_ids=[match(watch, 1, now=now, **fields).pk], now=now) == []


def test_a_listing_is_proposed_once_whatever_finds_it_again(alice, now):
    order = proposal(alice, now)
    other = watch_of(alice, now=now, name="Other")
    rule_of(other, now)
    again = Match.objects.create(
        user=alice, watch=other, listing=order.listing, cause="listed", trace="t", matched_at=now, decision=[]
    )
    assert propose(match_ids=[order.match_id, again.pk], now=now) == []
    assert Order.objects.count() == 1


def test_what_was_declined_may_be_proposed_again_by_another_match(alice, now):
    order = proposal(alice, now)
    decline(order=order, reason="too dear", actor="alice", now=now)
    assert [one.state for one in propose(match_ids=[order.match_id], now=now)] == [State.AWAITING_APPROVAL]


def test_two_people_may_both_be_asked_about_one_listing(alice, bob, now):
    order = proposal(alice, now)
    theirs = watch_of(bob, now=now)
    rule_of(theirs, now)
    found = Match.objects.create(
        user=bob, watch=theirs, listing=order.listing, cause="listed", trace="t", matched_at=now, decision=[]
    )
    assert [one.user for one in propose(match_ids=[found.pk], now=now)] == [bob]


def test_approving_holds_the_money_and_writes_down_who_and_what(alice, now):
    budget_of(alice, now=now, kind="user", total=5000)
    order = answered(proposal(alice, now), now)
    assert order.state == State.READY
    step = OrderStep.objects.get(order=order, verb=Verb.APPROVE)
    assert (step.actor, step.evidence) == ("alice", {"shown": order.shown})
    assert {scope.held for scope in Scope.objects.filter(measure="money")} == {1000}


def test_an_approval_counts_once(alice, now):
    budget_of(alice, now=now, kind="user")
    order = proposal(alice, now)
    same = Order.objects.get(pk=order.pk)
    answered(order, now)
    with pytest.raises(Overtaken):
        answered(same, now)
    with pytest.raises(Exception, match="does not approve"):
        answered(order, now)


FIELDS = {"price": 999, "shipping": 1, "price_max": 2000, "way": "partner_api", "kind": "bid", "currency": "EUR"}


@pytest.mark.parametrize("field", FIELDS)
def test_an_approval_of_anything_but_what_was_shown_is_refused(alice, now, field):
    budget_of(alice, now=now, kind="user")
    order = proposal(alice, now)
    Order.objects.filter(pk=order.pk).update(
        **{"price_max": 5000} if field == "shipping" else {}, **{field: FIELDS[field]}
    )
    order = Order.objects.get(pk=order.pk)
    with pytest.raises(Changed):
        answered(order, now)
    assert Order.objects.get(pk=order.pk).state == State.AWAITING_APPROVAL


@pytest.mark.parametrize("changes", [{"price": 1001}, {"price": 900}, {"price": None}, {"status": "sold"}])
def test_a_listing_that_changed_since_it_was_shown_is_not_approved(alice, now, changes):
    budget_of(alice, now=now, kind="user")
    order = proposal(alice, now)
    Listing.objects.filter(pk=order.listing_id).update(**changes)
    with pytest.raises(Changed):
        answered(Order.objects.get(pk=order.pk), now)


def test_a_proposal_of_somebody_elses_page_is_refused(alice, bob, now):
    budget_of(alice, now=now, kind="user")
    mine, theirs = proposal(alice, now), proposal(bob, now, 2)
    with pytest.raises(Changed):
        answered(mine, now, seen=theirs.shown)


def test_an_answer_that_comes_too_late_changes_nothing(alice, now):
    budget_of(alice, now=now, kind="user")
    order = proposal(alice, now)
    with pytest.raises(Overtaken):
        answered(order, now + timedelta(minutes=15))
    assert expire(now=now + timedelta(minutes=15)) == 1
    assert expire(now=now + timedelta(minutes=15)) == 0
    assert Order.objects.get().state == State.EXPIRED


def test_the_time_to_answer_is_extended_once(alice, now):
    order = proposal(alice, now)
    assert extend(order=order, minutes=30, now=now) is True
    assert extend(order=order, minutes=30, now=now) is False
    assert expire(now=now + timedelta(minutes=29)) == 0


@pytest.mark.parametrize(("limits", "error"), [(None, NoBudget), ({"total": 999}, OverBudget)])
def test_without_a_budget_that_covers_it_an_approval_leaves_everything_as_it_was(alice, now, limits, error):
    if limits:
        budget_of(alice, now=now, kind="user", **limits)
    order = proposal(alice, now)
    with pytest.raises(error):
        answered(order, now)
    order.refresh_from_db()
    assert (order.state, OrderStep.objects.filter(verb=Verb.APPROVE).count()) == (State.AWAITING_APPROVAL, 0)


def test_an_automatic_rule_asks_until_it_was_confirmed_and_after_its_end(alice, now):
    watch = watch_of(alice, now=now)
    rule = rule_of(watch, now, policy="buy", until=now.date())
    assert proposing.mode_of(rule, now=now) == Mode.APPROVAL
    rule.confirmed_at = now
    assert proposing.mode_of(rule, now=now) == Mode.AUTOMATIC
    assert proposing.mode_of(rule, now=now + timedelta(days=1)) == Mode.APPROVAL


def test_what_could_spend_stays_a_dry_run_until_an_operator_turns_spending_on(alice, now):
    account = MarketplaceAccount.objects.create(marketplace="mercari", user=alice, created_at=now, updated_at=now)
    watch = watch_of(alice, now=now)
    rule = rule_of(watch, now, policy="buy", way="partner_api", account=account, until=now.date(), confirmed_at=now)
    assert proposing.mode_of(rule, now=now) == Mode.DRY_RUN
    account.spends_since = now
    assert proposing.mode_of(rule, now=now) == Mode.AUTOMATIC


def test_a_dry_run_cannot_come_to_where_a_request_goes_out(alice, now):
    budget_of(alice, now=now, kind="user")
    order = proposal(alice, now)
    Order.objects.filter(pk=order.pk).update(state=State.PROPOSED, mode=Mode.DRY_RUN)
    order.refresh_from_db()
    with pytest.raises(IntegrityError), transaction.atomic():
        move(order=order, verb=Verb.MAKE_READY, because=Because(actor="rule"), now=now)


@pytest.mark.parametrize("verb", [Verb.SUBMIT, Verb.HAND_OVER])
@pytest.mark.parametrize("whose", ["mine", "everybodys"])
def test_after_the_switch_nothing_goes_out_and_afterwards_it_does(alice, now, verb, whose):
    budget_of(alice, now=now, kind="user")
    order = answered(proposal(alice, now), now)
    user = alice if whose == "mine" else None
    switching.stop(user=user, reason="a bad feeling", now=now)
    with pytest.raises(Overtaken):
        move(order=order, verb=verb, because=Because(actor="worker"), now=now)
    switching.resume(user=user, now=now)
    move(order=order, verb=verb, because=Because(actor="worker"), now=now)


def test_a_strangers_switch_stops_nobody_else(alice, bob, now):
    budget_of(alice, now=now, kind="user")
    order = answered(proposal(alice, now), now)
    switching.stop(user=bob, reason="", now=now)
    move(order=order, verb=Verb.HAND_OVER, because=Because(actor="worker"), now=now)


def test_the_operators_setting_stops_everybody(alice, now, settings):
    budget_of(alice, now=now, kind="user")
    order = answered(proposal(alice, now), now)
    settings.SPENDING_STOPPED = True
    with pytest.raises(Overtaken):
        move(order=order, verb=Verb.HAND_OVER, because=Because(actor="worker"), now=now)


def test_a_paused_account_sends_nothing(alice, now):
    budget_of(alice, now=now, kind="user")
    order = answered(proposal(alice, now), now)
    account = MarketplaceAccount.objects.create(
        marketplace="mercari", user=alice, created_at=now, updated_at=now,
        paused_until=now + timedelta(hours=1), pause_reason="blocked",
    )  # fmt: skip
    Order.objects.filter(pk=order.pk).update(account=account)
    order.refresh_from_db()
    with pytest.raises(Overtaken):
        move(order=order, verb=Verb.SUBMIT, because=Because(actor="worker"), now=now)
    move(order=order, verb=Verb.SUBMIT, because=Because(actor="worker"), now=now + timedelta(hours=1))


def test_a_rehearsal_says_what_would_have_been_bought_at_the_prices_of_then(alice, now):
    watch = watch_of(alice, now=now)
    for number, price in enumerate([1000, 2000, 60_000], start=1):
        match(watch, number, now=now, price=price, listing_price=price + 5, listing_status="sold")
    found = expectations(rule=rule_of(watch, now), since=now - timedelta(days=30))
    assert found == {"count": 2, "total": 3000, "of": 3}


@pytest.mark.django_db(transaction=True)
def test_of_twenty_who_propose_the_same_listing_at_once_one_does(alice, now):
    watches = [watch_of(alice, now=now, name=str(number)) for number in range(20)]
    first = match(watches[0], 1, now=now, listing_price=1000)
    others = [
        Match.objects.create(
            user=alice, watch=watch, listing=first.listing, cause="listed", trace="t", matched_at=now, decision=[]
        )
        for watch in watches[1:]
    ]
    for watch in watches:
        rule_of(watch, now)
    start, made = Barrier(20), []

    def come(one):
        try:
            start.wait()
            made.extend(propose(match_ids=[one.pk], now=now))
        finally:
            connections.close_all()

    threads = [Thread(target=come, args=[one]) for one in (first, *others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert Order.objects.count() == 1
