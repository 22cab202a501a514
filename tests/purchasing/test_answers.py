"""What people say to proposals: yes to less, no with a lesson, and everything once."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from monitor_site.purchasing import learning, proposing, proposing_again, renewing, rules, styles
from monitor_site.purchasing.learning import Lesson
from monitor_site.purchasing.models import BuyRule, LedgerEntry, Order, Scope
from monitor_site.purchasing.moving import Overtaken
from monitor_site.purchasing.proposing import Changed, Hand, NotLower
from monitor_site.purchasing.transitions import NoSuchStep, State
from monitor_site.watches.models import Block, WatchVersion
from tests.web.rows import watch_of
from tests.web.test_buying import proposal, wide

pytestmark = pytest.mark.usefixtures("redis")
HAND = Hand(name="alice", agent="Mozilla/5.0 (iPhone) Safari", key="k1")


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def watch(alice, now):
    return watch_of(alice, now=now)


@pytest.fixture
def order(alice, watch, now):
    wide(alice, now)
    return proposal(watch, now, listing_seller_id="s1", listing_seller_name="みかん堂")


def approve(order, now, **fields):
    given = {"seen": order.shown, "actor": "person", "now": now, "hand": HAND}
    proposing.approve(order=order, **given | fields)


def decline(order, now, **fields):
    proposing.decline(order=order, **{"reason": "", "actor": "person", "now": now, "hand": HAND} | fields)


class TestLower:
    def test_a_lower_maximum_is_all_that_is_held_and_all_that_is_authorised(self, order, now):
        asked = order.shown
        approve(order, now, at_most=800)
        assert (order.state, order.price_max, order.price) == (State.READY, 800, 1000)
        assert order.shown == proposing.shown(order) != asked
        assert order.history.last().evidence == {
            "shown": order.shown, "seen": asked, "by": "alice", "agent": HAND.agent, "key": "k1",
        }  # fmt: skip
        assert set(LedgerEntry.objects.filter(scope__measure="money").values_list("amount", flat=True)) == {800}

    @pytest.mark.parametrize("at_most", [0, -1, 1001])
    def test_nothing_and_more_than_was_shown_are_refused(self, order, now, at_most):
        with pytest.raises(NotLower):
            approve(order, now, at_most=at_most)
        order.refresh_from_db()
        assert (order.state, order.price_max) == (State.AWAITING_APPROVAL, 1000)
        assert not LedgerEntry.objects.exists()

    def test_the_whole_of_it_is_no_lower_one(self, order, now):
        asked = order.shown
        approve(order, now, at_most=1000)
        assert (order.shown, order.price_max) == (asked, 1000)

    def test_it_fits_where_the_whole_would_not(self, alice, order, now):
        wide(alice, now, per_month=900)
        approve(order, now, at_most=900)
        assert Scope.objects.get(period="month").held == 900

    def test_a_price_that_has_risen_is_refused_however_low_the_maximum(self, order, now):
        order.listing.price = 1200
        order.listing.save()
        with pytest.raises(Changed):
            approve(order, now, at_most=800)

    def test_what_was_not_that_cheap_is_not_proposed_again_at_the_same_price(self, order, now):
        approve(order, now, at_most=800)
        Order.objects.update(state=State.CANCELLED, reason="over_limit", epoch=1)
        assert renewing.renew(listing_ids=[order.listing_id], now=now) == []

    def test_the_database_lets_no_proposal_wait_at_less_than_it_costs(self, order):
        with pytest.raises(IntegrityError), transaction.atomic():
            Order.objects.update(price_max=999)


class TestOnce:
    def test_the_same_form_once_more_finds_the_first_result(self, order, now):
        seen = order.shown
        approve(order, now, at_most=800)
        approve(order, now, seen=seen, at_most=800)
        assert order.history.filter(verb="approve").count() == 1
        assert Scope.objects.get(period="month").held == 800

    def test_it_does_so_though_the_listing_was_sold_meanwhile(self, order, now):
        approve(order, now)
        order.listing.status = "sold"
        order.listing.save()
        approve(order, now)
        assert order.state == State.READY

    @pytest.mark.parametrize("key", ["", "k2", "\x00"])
    def test_another_form_or_none_is_too_late(self, order, now, key):
        approve(order, now)
        with pytest.raises((NoSuchStep, Overtaken)):
            approve(order, now, hand=Hand(key=key))

    def test_the_key_of_a_yes_is_none_of_a_no(self, order, now):
        approve(order, now)
        with pytest.raises(Overtaken):
            decline(order, now)
        assert order.state == State.READY

    def test_a_no_that_is_sent_twice_is_one(self, order, now):
        for _ in range(2):
            decline(order, now, reason="expensive", lesson=Lesson(limit=900))
        assert order.history.filter(verb="decline").count() == 1
        assert BuyRule.objects.get().price_max == 900

    def test_an_expired_one_is_not_approved(self, order, now):
        with pytest.raises(Overtaken):
            approve(order, now + timedelta(hours=1))


class TestLessons:
    def test_too_expensive_lowers_what_is_proposed_and_can_be_taken_back(self, order, now):
        decline(order, now, reason="expensive", lesson=Lesson(limit=900))
        learned = order.history.last().evidence["learned"]
        assert (BuyRule.objects.get().price_max, learned) == (900, {"limit": 900, "was": 5000})
        assert learning.forget(order=order, learned=learned, now=now)
        assert BuyRule.objects.get().price_max == 5000
        assert not learning.forget(order=Order.objects.get(), learned=learned, now=now)

    def test_a_limit_that_somebody_has_set_since_is_left_alone(self, order, watch, now):
        decline(order, now, lesson=Lesson(limit=900))
        wish = rules.BuyWish(price_max=700, shipping_estimate=None, approval_minutes=30)
        rules.set_rule(watch=watch, wish=wish, now=now)
        order = Order.objects.get()
        assert not learning.forget(order=order, learned={"limit": 900, "was": 5000}, now=now)
        assert BuyRule.objects.get().price_max == 700

    @pytest.mark.parametrize("limit", [5000, 9000, -1])
    def test_a_limit_that_lowers_nothing_declines_nothing(self, order, now, limit):
        with pytest.raises(ValidationError):
            decline(order, now, lesson=Lesson(limit=limit))
        order.refresh_from_db()
        assert order.state == State.AWAITING_APPROVAL

    def test_words_are_excluded_as_a_version_of_the_watch_and_come_back(self, order, watch, now):
        decline(order, now, reason="wrong", lesson=Lesson(words=("ジャンク", "部品")))
        watch.refresh_from_db()
        assert watch.none_of == ["ジャンク", "部品"]
        learned = order.history.last().evidence["learned"]
        assert learning.forget(order=Order.objects.get(), learned=learned, now=now)
        watch.refresh_from_db()
        assert watch.none_of == []
        assert WatchVersion.objects.filter(watch=watch).count() >= 2

    def test_words_that_cannot_be_excluded_decline_nothing(self, order, now):
        with pytest.raises(ValidationError):
            decline(order, now, lesson=Lesson(words=("ルミナ",)))
        order.refresh_from_db()
        assert order.state == State.AWAITING_APPROVAL

    def test_the_seller_is_blocked_once_and_unblocked(self, order, now):
        decline(order, now, reason="seller", lesson=Lesson(block_seller=True))
        learned = order.history.last().evidence["learned"]
        assert Block.objects.get().value == "s1"
        assert learning.forget(order=order, learned=learned, now=now)
        assert not Block.objects.exists()

    def test_a_seller_whom_nobody_knows_is_not_blocked(self, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        with pytest.raises(ValidationError):
            decline(order, now, lesson=Lesson(block_seller=True))

    def test_without_its_watch_nothing_is_learned(self, order, now):
        Order.objects.update(watch=None)
        with pytest.raises(ValidationError):
            decline(Order.objects.get(), now, lesson=Lesson(limit=900))

    def test_what_was_declined_can_be_proposed_again(self, order, now):
        decline(order, now)
        following = proposing_again.propose_again(order=order, actor="person", now=now)
        assert (following.state, following.supersedes) == (State.AWAITING_APPROVAL, order)


def test_what_has_just_run_out_is_ended_and_proposed_again(order, now):
    later = now + timedelta(hours=1)
    following = proposing_again.propose_again(order=order, actor="person", now=later)
    order.refresh_from_db()
    assert (order.state, following.state) == (State.EXPIRED, State.AWAITING_APPROVAL)


@pytest.mark.parametrize(
    ("above", "amount", "currency", "asks"),
    [(None, 9, "JPY", False), (5, 5, "JPY", False), (5, 6, "JPY", True), (5, 1, "USD", True)],
)
def test_a_proof_is_asked_for_above_the_threshold_and_for_what_is_no_yen(alice, now, above, amount, currency, asks):
    styles.set_style(user=alice, one_press=False, proof_above=above, now=now)
    assert styles.asks_for_proof(styles.style_of(alice), amount=amount, currency=currency) is asks
