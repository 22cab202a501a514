"""What people see of orders that this site sends itself, and how they allow it to."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from monitor_site.alerts.models import Alert
from monitor_site.alerts.words import headline
from monitor_site.engine import jobs, ordering, upkeep
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import proposing, rules, speeding, submitting
from monitor_site.purchasing.models import BuyRule, Mode, Order, Way
from monitor_site.purchasing.moving import TOPIC
from monitor_site.purchasing.submitting import Told
from monitor_site.purchasing.transitions import State
from monitor_site.watches.models import Listing, Target
from tests.alerts.rows import channel_of
from tests.purchasing.rows import budget_of
from tests.selling.orders import again
from tests.web.rows import watch_of

pytestmark = pytest.mark.django_db
LATER = timezone.now() + timedelta(hours=3)


@pytest.fixture
def page(client, alice):
    alice.language = "en"
    alice.save()
    client.force_login(alice)
    return client


@pytest.fixture
def clerk(monkeypatch):
    """Notes what it is given."""

    class Noting:
        def serve(self, order_ids):
            self.given += order_ids

    made = Noting()
    made.given = []
    monkeypatch.setattr(jobs, "current_clerk", lambda: made)
    return made


def shown(page, address):
    answer = page.get(address)
    assert answer.status_code == 200
    words = re.sub(r"<[^>]+>", " ", re.search(r"<main.*</main>", answer.content.decode(), re.DOTALL)[0])
    return " ".join(words.split()).replace("&#x27;", "'").replace("&quot;", '"')


def of_order(page, order):
    return shown(page, f"/orders/{order.public_id}/")


# What moves neither money nor the order.
OWN_WORDS = {"problem", "note"}


def acts_of(answer, order):
    """What its page offers to do with it."""
    main = re.search(r"<main.*</main>", answer, re.DOTALL)[0]
    return set(re.findall(rf'action="/orders/{order.public_id}/([a-z-]+)/"', main))


def told(order, now, **said):
    """The order after a sender has said this."""
    submission = submitting.begin(order=order, now=now)
    submitting.conclude(submission=submission, told=Told(**said), now=now)
    return again(order)


def advanced(*orders):
    ids = list(OutboxRow.objects.filter(topic=TOPIC, done_at=None).values_list("object_id", flat=True))
    jobs.advance_orders(ids or [order.pk for order in orders])


def headlines():
    return [headline(alert) for alert in Alert.objects.order_by("pk")]


class TestBuyRule:
    def save(self, page, watch, **data):
        fields = {"then": "ask", "price_max": "5,000", "shipping_estimate": "", "approval_minutes": "30"}
        return page.post(f"/watches/{watch.pk}/buying/", fields | data)

    @pytest.fixture
    def watch(self, alice, now):
        return watch_of(alice, now=now, marketplaces=["stall"])

    def test_whoever_has_no_account_orders_themselves(self, page, market, watch):
        assert "Who orders" not in shown(page, f"/watches/{watch.pk}/buying/")
        self.save(page, watch, how="7")
        assert (BuyRule.objects.get().way, BuyRule.objects.get().account) == (Way.ASSISTED, None)

    def test_an_account_of_a_marketplace_that_can_order_is_offered_and_kept(self, page, market, watch, account):
        assert "This site, with Stall mine" in shown(page, f"/watches/{watch.pk}/buying/")
        assert self.save(page, watch, how=str(account.pk)).status_code == 302
        rule = BuyRule.objects.get()
        assert (rule.way, rule.account, rule.policy) == (Way.PARTNER_API, account, "ask")
        self.save(page, watch, how="hand")
        assert BuyRule.objects.get().way == Way.ASSISTED

    def test_an_account_that_may_not_spend_is_offered_as_a_dry_run(self, page, market, watch, account):
        MarketplaceAccount.objects.update(spends_since=None)
        assert "dry run: the account may not spend yet" in shown(page, f"/watches/{watch.pk}/buying/")

    def test_elsewhere_an_account_is_not_offered(self, page, market, alice, account, now):
        other = watch_of(alice, now=now, marketplaces=["yahoo_auctions"])
        assert "Who orders" not in shown(page, f"/watches/{other.pk}/buying/")

    def test_a_strangers_account_is_no_choice(self, page, market, watch, account, bob):
        MarketplaceAccount.objects.update(user=bob)
        self.save(page, watch, how=str(account.pk))
        assert BuyRule.objects.get().account is None

    @pytest.mark.parametrize("how", ["", "hand", "999999"])
    def test_nobody_buys_without_asking_but_an_account(self, page, market, watch, account, how):
        assert self.save(page, watch, then="buy", how=how, until="2099-01-01").status_code == 422
        assert not BuyRule.objects.exists()

    def test_buying_without_asking_says_what_it_lacks(self, page, market, alice, watch, account, now):
        asked = {"then": "buy", "how": str(account.pk)}
        assert b"Make a budget first" in self.save(page, watch, until="2099-01-01", **asked).content
        budget_of(alice, now=now, kind="user")
        assert b"a day that is still to come" in self.save(page, watch, until="2020-01-01", **asked).content
        assert b"second factor" in self.save(page, watch, until="2099-01-01", **asked).content
        assert not BuyRule.objects.exists()

    def test_with_a_proof_a_budget_and_an_end_it_buys_until_then(self, market, alice, watch, account, now):
        budget_of(alice, now=now, kind="user")
        wish = {"price_max": 5000, "shipping_estimate": None, "approval_minutes": 15, "account": account}
        wish |= {"policy": "buy", "until": now.date() + timedelta(days=2)}
        rule = rules.set_rule(watch=watch, wish=rules.BuyWish(**wish), now=now, proven=True)
        assert proposing.mode_of(rule, now=now) == Mode.AUTOMATIC
        assert proposing.mode_of(rule, now=now + timedelta(days=3)) == Mode.APPROVAL

    def test_an_account_orders_at_its_own_marketplace_only(self, desk):
        rule = desk.rule()
        found = desk.listed(rule)
        Listing.objects.update(marketplace="mercari")
        found.listing.refresh_from_db()
        order = proposing.propose_one(match=found, rule=rule, now=desk.now)
        assert (order.way, order.account, order.mode) == (Way.ASSISTED, None, Mode.APPROVAL)


class TestTheWayToTheSender:
    def test_an_approved_order_goes_to_the_clerk_at_once(self, clerk, desk):
        order = desk.approved()
        advanced()
        assert clerk.given == [order.pk]
        assert again(order).state == State.READY

    def test_a_dry_run_goes_to_the_clerk_and_the_match_is_told_of_as_ever(self, clerk, desk, now):
        MarketplaceAccount.objects.update(spends_since=None)
        desk.account.refresh_from_db()
        found = desk.listed(desk.rule())
        assert ordering.propose(match_ids=[found.pk], now=now) == set()
        advanced()
        assert clerk.given == [Order.objects.get().pk]

    def test_what_nobody_sent_is_taken_up_again_but_not_while_its_account_rests(self, clerk, desk, now):
        order = desk.approved()
        OutboxRow.objects.all().delete()
        MarketplaceAccount.objects.update(paused_until=now + timedelta(hours=1), pause_reason="cool_down")
        upkeep.keep_orders(now + timedelta(seconds=30))
        assert not OutboxRow.objects.filter(topic=TOPIC).exists()
        MarketplaceAccount.objects.update(paused_until=None, pause_reason="")
        upkeep.keep_orders(now + timedelta(seconds=30))
        advanced()
        assert clerk.given == [order.pk]


class TestWhatIsTold:
    @pytest.fixture(autouse=True)
    def channel(self, alice, now):
        return channel_of(alice, now=now, language="en")

    @pytest.mark.parametrize(
        ("said", "headline"),
        [
            ({"outcome": "placed", "paid": 900, "reference": "n1"}, "Bought: ¥900 · ルミナ カメラ 1"),
            ({"outcome": "refused", "reason": "sold_out"}, "Not ordered, it was sold: ルミナ カメラ 1"),
            ({"outcome": "refused", "reason": "of another world"}, "Not ordered: ルミナ カメラ 1"),
            ({}, "Bought or not? We are asking the marketplace. Do not buy it by hand yet: ルミナ カメラ 1"),
            (
                {"outcome": "not_sent", "reason": "over_limit", "final": True},
                "Not ordered, it costs more than was allowed: ルミナ カメラ 1",
            ),
        ],
    )
    def test_each_outcome_is_told_once_in_words(self, clerk, desk, now, said, headline):
        told(desk.approved(), now, **said)
        advanced()
        advanced(Order.objects.get())
        assert headlines() == [headline]

    def test_a_dry_run_is_not_told_of(self, clerk, desk, now):
        MarketplaceAccount.objects.update(spends_since=None)
        desk.account.refresh_from_db()
        order = desk.proposed()
        submitting.conclude_rehearsal(order=order, told=Told(reason="dry_run"), now=now)
        advanced()
        assert headlines() == []

    def test_a_stop_because_of_speed_is_told_once(self, desk, alice, now):
        order = desk.approved()
        speeding.trip(user=alice, now=now)
        ordering.tell_of_speed(order, now=now)
        ordering.tell_of_speed(order, now=now)
        [words] = headlines()
        assert words.startswith("All your spending is paused: five orders within ten minutes")


class TestProposedAnew:
    def test_what_became_dearer_is_proposed_again_once_the_new_price_is_recorded(self, clerk, desk, now):
        order = told(desk.approved(), now, outcome="not_sent", reason="over_limit", final=True)
        advanced()
        assert Order.objects.count() == 1
        assert Target.objects.looks().filter(listing=order.listing, active=True).exists()
        Listing.objects.update(price=1200)
        ordering.renew(listing_ids=[order.listing_id], now=now)
        ordering.renew(listing_ids=[order.listing_id], now=now)
        new = Order.objects.exclude(pk=order.pk).get()
        assert (new.state, new.price_max, new.supersedes) == (State.AWAITING_APPROVAL, 1200, order)

    def test_what_costs_more_than_the_rule_allows_is_not(self, clerk, desk, now):
        order = told(desk.approved(), now, outcome="not_sent", reason="over_limit", final=True)
        Listing.objects.update(price=9000)
        ordering.renew(listing_ids=[order.listing_id], now=now)
        assert Order.objects.count() == 1


class TestOrderPage:
    def test_an_order_under_way_shows_since_when_and_offers_nothing_to_press(self, page, desk, now):
        order = desk.approved()
        submitting.begin(order=order, now=now)
        words = of_order(page, order)
        assert "being ordered" in words
        answer = page.get(f"/orders/{order.public_id}/").content.decode()
        assert acts_of(answer, order) == OWN_WORDS
        assert 'hx-trigger="every 3s"' in answer

    def test_an_unknown_outcome_asks_not_to_buy_by_hand_and_has_no_button_to_try_again(self, page, desk, now):
        order = told(desk.approved(), now)
        assert "Do not buy it by hand yet" in of_order(page, order)
        answer = page.get(f"/orders/{order.public_id}/").content.decode()
        assert acts_of(answer, order) == OWN_WORDS

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({}, "It is ordered in a moment."),
            ({"spends_since": None}, "The account may not spend"),
            ({"paused_until": LATER, "pause_reason": "cool_down"}, "three orders in a row"),
            ({"paused_until": LATER, "pause_reason": "odd"}, "the account is paused"),
        ],
    )  # fmt: skip
    def test_an_approved_order_says_what_it_waits_for(self, page, desk, changes, words):
        order = desk.approved()
        MarketplaceAccount.objects.update(**changes)
        assert words in of_order(page, order)

    def test_an_order_behind_an_unknown_one_says_so(self, page, desk, now):
        first, second = desk.approved(), desk.approved()
        told(first, now)
        assert "once the outcome of another order of this account is known" in of_order(page, second)

    def test_a_try_that_failed_is_counted(self, page, desk, now):
        order = told(desk.approved(), now, outcome="not_sent", reason="unavailable")
        assert "1 of 3 tries are used up" in of_order(page, order)

    def test_a_dry_run_shows_what_would_have_been_sent_as_text(self, page, desk, now):
        MarketplaceAccount.objects.update(spends_since=None)
        desk.account.refresh_from_db()
        order = desk.proposed()
        evidence = {"would_send": {"url": "http://stall/buy", "json": {"item": "</textarea><script>x"}}}
        submitting.conclude_rehearsal(order=order, told=Told(reason="dry_run", evidence=evidence), now=now)
        answer = page.get(f"/orders/{order.public_id}/").content.decode()
        assert "POST http://stall/buy" in answer
        assert "<script>x" not in answer
        assert "Dry runs 1" in shown(page, "/orders/")
        assert "a dry run: nothing was sent" in of_order(page, order)

    def test_a_strangers_order_does_not_exist(self, client, bob, desk, now):
        order = told(desk.approved(), now)
        client.force_login(bob)
        assert client.get(f"/orders/{order.public_id}/").status_code == 404
