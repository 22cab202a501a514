"""Orders whose outcome nobody knows: asked about, never sent again, and their money held until it is certain."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import translation

from monitor_site.alerts.models import Alert
from monitor_site.alerts.words import headline
from monitor_site.contract import Blocked, LayoutChanged, Money, SignInNeeded, SuspectEmpty, Unavailable
from monitor_site.engine import ordering, upkeep
from monitor_site.purchasing import proposing, proposing_again, queries, reconciling
from monitor_site.purchasing.ledger import recount
from monitor_site.purchasing.models import BuyRule, Mode, Order, Reading, Scope, Submission
from monitor_site.purchasing.moving import Because, Overtaken, move
from monitor_site.purchasing.proposing_again import Unsuitable
from monitor_site.purchasing.transitions import State, Verb
from tests.purchasing.market import Market, account_of, known, lost, submitted
from tests.purchasing.rows import order_of, watch_of
from tests.web.rows import match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SENDER = Because(actor="sender")


@pytest.fixture
def account(alice, now):
    return account_of(alice, now=now)


@pytest.fixture
def market(now):
    """One that shows what was bought before."""
    found = Market(now=now)
    found.sell("m-old", "t-old", at=now - timedelta(days=9))
    return found


def held():
    return {scope.held for scope in Scope.objects.filter(measure="money")}


def seen(order):
    return list(order.readings.order_by("pk").values_list("seen", flat=True))


def told(order):
    ordering.tell(Order.objects.filter(pk=order.pk), now=order.stood_since)
    return list(Alert.objects.filter(key__startswith=f"order:{order.pk}:").values_list("facts__order", flat=True))


def test_q1_an_account_with_an_unknown_outcome_accepts_no_new_submission(alice, account, now):
    order = lost(alice, account, now=now)
    other = order_of(alice, 2, now=now, account=account, way="partner_api")
    move(order=other, verb=Verb.MAKE_READY, because=SENDER, now=now)
    with pytest.raises(Overtaken):
        move(order=other, verb=Verb.SUBMIT, because=SENDER, now=now)
    assert list(queries.holding_back(account.pk)) == [order]
    move(order=order, verb=Verb.PLACE, because=SENDER, now=now)
    assert not queries.account_waits(account_id=account.pk)
    move(order=other, verb=Verb.SUBMIT, because=SENDER, now=now)


def test_q1_the_unknown_outcome_of_one_account_keeps_no_other_account_from_ordering(alice, bob, account, now):
    lost(alice, account, now=now)
    theirs = account_of(bob, now=now)
    assert submitted(bob, theirs, 2, now=now).state == State.SUBMITTING


def test_q2_the_exact_listing_in_the_account_is_enough(alice, account, market, now):
    known(account, now=now)
    order = lost(alice, account, now=now)
    market.sell(order.listing.external_id, "t-new", paid=Money(amount=980, currency="JPY"))
    market.now += timedelta(seconds=15)
    market.ask(order)
    assert (order.state, order.paid, order.reference, seen(order)) == (State.PLACED, 980, "t-new", ["found"])
    assert Submission.objects.get(order=order).outcome == "placed"
    assert held() == {0}
    assert recount(Scope.objects.all()) == []


def test_q2_another_thing_bought_at_the_same_moment_for_the_same_price_is_not_ours(alice, account, market, now):
    known(account, now=now)
    order = lost(alice, account, now=now)
    market.sell("m-other", "t-new", paid=Money(amount=order.price_max, currency="JPY"))
    market.now += timedelta(seconds=15)
    assert (market.ask(order).state, seen(order)) == (State.UNKNOWN, ["absent"])


def test_q2_a_purchase_of_the_listing_that_was_known_before_is_not_ours(alice, account, market, now):
    order = order_of(alice, 1, now=now)
    stray = known(account, now=now)
    stray.external_id = order.listing.external_id
    stray.save()
    order.delete()
    market.purchases.clear()
    market.sell(stray.external_id, "t-old", at=now - timedelta(days=9))
    order = lost(alice, account, now=now, listing=order.listing)
    assert market.run(order, until=timedelta(hours=1)).state == State.NOT_PLACED


def test_q3_what_was_not_bought_is_ruled_out_by_three_looks_that_see_an_older_purchase(alice, account, market, now):
    known(account, now=now)
    order = market.run(lost(alice, account, now=now), until=timedelta(hours=2))
    assert (order.state, set(seen(order))) == (State.NOT_PLACED, {"absent"})
    assert order.stood_since >= now + timedelta(minutes=16, seconds=15)
    assert order.readings.count() >= 3
    assert held() == {0}


def test_q3_nothing_is_ruled_out_before_the_horizon(alice, account, market, now):
    known(account, now=now)
    order = market.run(lost(alice, account, now=now), until=timedelta(minutes=16))
    assert (order.state, held()) == (State.UNKNOWN, {order.price_max})


@pytest.mark.parametrize("error", [Blocked, SignInNeeded, SuspectEmpty, LayoutChanged, Unavailable])
def test_q3_a_page_that_is_blocked_signed_out_or_suspiciously_empty_never_counts_as_a_no(
    alice, account, market, now, error
):
    known(account, now=now)
    market.error = error("no page of purchases")
    order = market.run(lost(alice, account, now=now), until=timedelta(hours=23))
    assert (order.state, set(seen(order)), held()) == (State.UNKNOWN, {"failed"}, {order.price_max})
    assert {reading.error for reading in order.readings.all()} == {error.code}


def test_q3_an_empty_list_where_an_older_purchase_is_known_never_counts_as_a_no(alice, account, market, now):
    known(account, now=now)
    market.purchases.clear()
    order = market.run(lost(alice, account, now=now), until=timedelta(hours=23))
    assert (order.state, {reading.error for reading in order.readings.all()}) == (State.UNKNOWN, {"blind"})


def test_q3_without_a_list_an_older_purchase_must_be_found_by_its_own_listing(alice, account, market, now):
    known(account, now=now)
    market.lists = False
    assert market.run(lost(alice, account, now=now), until=timedelta(hours=2)).state == State.NOT_PLACED
    market.purchases.clear()
    market.now = now
    assert market.run(lost(alice, account, 2, now=now), until=timedelta(hours=23)).state == State.UNKNOWN


def test_q3_where_the_account_has_bought_nothing_before_it_goes_to_a_person_and_the_money_stays_held(
    alice, account, market, now
):
    market.purchases.clear()
    order = market.run(lost(alice, account, now=now), until=timedelta(hours=2))
    assert (order.state, order.reason, set(seen(order))) == (State.NEEDS_HUMAN, "nothing_older", {"unproven"})
    assert held() == {order.price_max}


def test_q3_an_older_purchase_on_a_later_page_counts(alice, account, market, now):
    known(account, now=now)
    for number in range(25):
        market.sell(f"m-by-hand-{number}", f"t-{number}")
    market.size = 10
    assert market.run(lost(alice, account, now=now), until=timedelta(hours=2)).state == State.NOT_PLACED


def test_q3_a_lagging_history_shows_the_purchase_before_anything_is_ruled_out(alice, account, market, now):
    known(account, now=now)
    order = lost(alice, account, now=now)
    market.sell(order.listing.external_id, "t-new", lag=timedelta(minutes=14))
    assert market.run(order, until=timedelta(hours=2)).state == State.PLACED
    assert seen(order) == ["absent", "absent", "absent", "found"]


def test_q4_nothing_leads_from_a_ruled_out_order_back_to_a_submission(alice, account, market, now):
    known(account, now=now)
    order = market.run(lost(alice, account, now=now), until=timedelta(hours=2))
    for verb in (Verb.SUBMIT, Verb.MAKE_READY, Verb.SEND_NOTHING, Verb.HAND_OVER):
        with pytest.raises(Exception, match="does not"):
            move(order=order, verb=verb, because=SENDER, now=market.now)


def ruled_out(user, account, now, **rule):
    """An order of a watch that was lost from sight and found not to be bought."""
    watch = watch_of(user, now=now)
    standard = {"price_max": 50_000, "policy": "buy", "way": "partner_api", "account": account, "confirmed_at": now}
    BuyRule.objects.create(watch=watch, user=user, updated_at=now, until=now.date(), **standard | rule)
    found = match(watch, 1, now=now, listing_price=1000)
    order = lost(user, account, now=now, listing=found.listing, watch=watch, match=found, mode=Mode.AUTOMATIC)
    move(order=order, verb=Verb.RULE_OUT, because=SENDER, now=now)
    return order


def test_q4_buying_again_is_a_new_order_that_supersedes_and_that_a_person_approves(alice, account, now):
    order = ruled_out(alice, account, now)
    again = proposing_again.propose_again(order=order, actor="person", now=now)
    assert (again.state, again.mode, again.supersedes) == (State.AWAITING_APPROVAL, Mode.APPROVAL, order)
    with pytest.raises(Overtaken):
        proposing_again.propose_again(order=order, actor="person", now=now)


def test_q4_even_an_automatic_watch_only_proposes_what_was_lost_from_sight_before(alice, account, now):
    order = ruled_out(alice, account, now)
    other = watch_of(alice, now=now, name="Other")
    standard = {"price_max": 50_000, "policy": "buy", "way": "partner_api", "account": account, "confirmed_at": now}
    BuyRule.objects.create(watch=other, user=alice, updated_at=now, until=now.date(), **standard)
    found = order.match
    found.pk, found.watch, found.public_id = None, other, "another-match"
    found.save(force_insert=True)
    [again] = proposing.propose(match_ids=[found.pk], now=now)
    assert (again.mode, again.state, again.supersedes) == (Mode.APPROVAL, State.AWAITING_APPROVAL, order)


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"status": "sold"}, "gone"), ({"price": 60_000}, "over_limit"), ({"price": None}, "no_price")],
)
def test_q4_what_may_not_be_bought_any_more_is_not_proposed_again(alice, account, now, change, reason):
    order = ruled_out(alice, account, now)
    type(order.listing).objects.filter(pk=order.listing_id).update(**change)
    order.listing.refresh_from_db()
    with pytest.raises(Unsuitable) as refused:
        proposing_again.propose_again(order=order, actor="person", now=now)
    assert refused.value.reason == reason


def test_q5_contradicting_evidence_goes_to_a_person_with_both_readings_and_the_account_waits(
    alice, account, market, now
):
    known(account, now=now)
    order = lost(alice, account, now=now)
    market.sell(order.listing.external_id, "t-new")
    with patch("monitor_site.purchasing.reconciling._conclude"):  # the worker dies before it concludes
        market.now += timedelta(seconds=15)
        market.ask(order)
    market.purchases.pop(0)
    market.now += reconciling.CLAIM
    market.ask(order)
    assert (order.state, order.reason, seen(order)) == (State.NEEDS_HUMAN, "contradiction", ["found", "absent"])
    assert queries.account_waits(account_id=account.pk)
    assert held() == {order.price_max}
    assert told(order) == ["needs_human"]


def test_q5_a_purchase_from_before_the_submission_is_a_question_and_no_proof(alice, account, market, now):
    order = lost(alice, account, now=now)
    market.sell(order.listing.external_id, "t-new", at=now - timedelta(days=1))
    market.now += timedelta(seconds=15)
    assert (market.ask(order).state, order.reason) == (State.NEEDS_HUMAN, "contradiction")


def test_m11_a_marketplace_that_is_gone_for_25_hours_leaves_one_order_with_a_person_one_alert_and_the_money_held(
    alice, account, market, now
):
    known(account, now=now)
    market.error = Unavailable("gone")
    order = lost(alice, account, now=now)
    while market.now < now + timedelta(hours=25):
        upkeep.ask_outcomes(market.now)
        market.ask(order)
        told(order)
        market.now += timedelta(minutes=5)
    assert (order.state, order.reason) == (State.NEEDS_HUMAN, "no_answer")
    assert now + timedelta(hours=24) <= order.stood_since <= now + timedelta(hours=24, minutes=5)
    assert told(order) == ["unknown", "needs_human"]
    assert held() == {order.price_max}
    assert Order.objects.filter(state=State.NEEDS_HUMAN).count() == 1
    assert order.readings.count() < 40


def test_m6_a_sender_that_is_stopped_beyond_the_horizon_finds_its_order_settled_and_its_late_word_changes_nothing(
    alice, account, market, now
):
    known(account, now=now)
    order = submitted(alice, account, now=now)
    stopped = Order.objects.get(pk=order.pk)
    market.now += timedelta(seconds=25)
    order = market.run(order, until=timedelta(hours=2))
    assert order.state == State.NOT_PLACED
    for verb in (Verb.PLACE, Verb.REFUSE, Verb.SEND_NOTHING):
        with pytest.raises(Overtaken):
            move(order=stopped, verb=verb, because=SENDER, now=market.now)
        stopped = Order(pk=order.pk, state=State.SUBMITTING, steps=2, epoch=1, user_id=alice.pk)
    assert held() == {0}
    assert recount(Scope.objects.all()) == []


def test_a_submission_past_its_deadline_that_nobody_ended_is_lost_from_sight_and_asked_about(
    alice, account, market, now
):
    order = submitted(alice, account, now=now)
    assert reconciling.lose_sight(now=now + timedelta(seconds=19)) == 0
    assert reconciling.lose_sight(now=now + timedelta(seconds=21)) == 1
    order.refresh_from_db()
    assert (order.state, order.ask_at) == (State.UNKNOWN, now + timedelta(seconds=36))
    assert order.submissions.get().outcome == "unknown"
    assert reconciling.lose_sight(now=now + timedelta(seconds=30)) == 0


def test_q8_after_a_start_everything_under_way_is_asked_before_its_account_orders_anything(alice, account, market, now):
    order, later = submitted(alice, account, now=now), now + timedelta(hours=3)
    other = order_of(alice, 2, now=now, account=account, way="partner_api")
    move(order=other, verb=Verb.MAKE_READY, because=SENDER, now=now)
    with pytest.raises(Overtaken):
        move(order=other, verb=Verb.SUBMIT, because=SENDER, now=later)
    upkeep.ask_outcomes(later)
    order.refresh_from_db()
    assert order.state == State.UNKNOWN
    with pytest.raises(Overtaken):
        move(order=other, verb=Verb.SUBMIT, because=SENDER, now=later)


def test_an_order_that_was_settled_meanwhile_only_gains_a_reading(alice, account, market, now):
    known(account, now=now)
    order = lost(alice, account, now=now)
    market.now += timedelta(seconds=15)
    [question] = reconciling.questions(order_ids=[order.pk], now=market.now)
    order.refresh_from_db()
    move(order=order, verb=Verb.PLACE, because=SENDER, now=market.now)
    from monitor_site.purchasing.asking import Answer
    from monitor_site.purchasing.evidence import Seen

    assert reconciling.settle(order_id=order.pk, answer=Answer(seen=Seen.ABSENT), now=market.now) is None
    order.refresh_from_db()
    assert (order.state, question.order_id, Reading.objects.count()) == (State.PLACED, order.pk, 1)


def test_two_who_are_woken_for_the_same_order_ask_once(alice, account, market, now):
    order, due = lost(alice, account, now=now), now + timedelta(seconds=15)
    assert len(reconciling.questions(order_ids=[order.pk], now=due)) == 1
    assert reconciling.questions(order_ids=[order.pk], now=due) == []
    assert len(reconciling.questions(order_ids=[order.pk], now=due + reconciling.CLAIM)) == 1


def test_a_price_that_the_marketplace_does_not_tell_is_taken_for_the_most_it_could_be(alice, account, market, now):
    order = lost(alice, account, now=now)
    market.sell(order.listing.external_id, "t-new", paid=None)
    market.now += timedelta(seconds=15)
    market.ask(order)
    assert (order.state, order.paid) == (State.PLACED, None)
    assert set(Scope.objects.filter(measure="money").values_list("spent", flat=True)) == {order.price_max}


@pytest.mark.parametrize("language", ["en", "zh-hans", "ja"])
@pytest.mark.parametrize("state", ["needs_human", "late_placed", "not_placed", "market_cancelled"])
def test_what_became_of_an_order_is_told_in_each_language(alice, now, language, state):
    order = order_of(alice, now=now)
    [alert] = ordering.publish([ordering._draft(order, state)], now=now)
    with translation.override(language):
        words = headline(alert)
    with translation.override("en"):
        english = headline(alert)
    assert order.listing.title in words
    assert "Not ordered" not in english
    assert language == "en" or words != english


def test_an_order_without_a_way_to_ask_ends_with_a_person_too(alice, account, now):
    order = lost(alice, account, now=now)
    from monitor_site.engine import outcomes

    at = now
    while order.state == State.UNKNOWN and at < now + timedelta(hours=26):
        at += timedelta(minutes=30)
        outcomes.ask([order.pk], now=at)
        order.refresh_from_db()
    assert (order.state, set(seen(order))) == (State.NEEDS_HUMAN, {"failed"})
