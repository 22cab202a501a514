"""The page of one order: its story, its money, by which rules, both sides of a conflict, and its person's own words."""

import html
import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from monitor_site.purchasing import budgeting, handing, proposing, receiving, rules
from monitor_site.purchasing.budgeting import BudgetWish, Limits
from monitor_site.purchasing.models import Order, OrderStep
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from monitor_site.watches.models import Note, WatchVersion
from tests.purchasing.market import Market, account_of, known, lost
from tests.purchasing.rows import order_of
from tests.web.test_buying import handed, pressed, proposal, shown, wide

pytestmark = pytest.mark.usefixtures("redis")
SWEEP = Because(actor="sweep")


@pytest.fixture
def now(standing):
    return standing


@pytest.fixture
def order(alice, watch, now):
    """Bought by hand for ¥900 of ¥1,000."""
    wide(alice, now)
    order = handed(watch, now)
    handing.say_bought(order=order, actor="person", now=now, paid=900, reference="m-1")
    return order


def address(order):
    return f"/orders/{order.public_id}/"


def story(page, order):
    """What the page tells of each step, by its sort."""
    found = page.get(address(order)).context["story"]
    return [(one.sort, one.words) for one in found]


class TestStory:
    def test_what_happened_comes_first_and_what_would_follow_is_hollow(self, page, order):
        told = story(page, order)
        assert [sort for sort, _words in told] == ["done"] * 4 + ["now"] + ["coming"] * 3
        assert told[-4:] == [
            ("now", "bought · you"), ("coming", "paid"), ("coming", "on the way"), ("coming", "received"),
        ]  # fmt: skip
        text = page.get(address(order)).content.decode()
        assert text.count("dot--off") == text.count("still to come") == 3
        assert text.count('aria-current="step"') == 1

    def test_what_acts_of_itself_says_how_long_it_took(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        proposing.approve(order=order, seen=order.shown, actor="person", now=now + timedelta(minutes=2))
        handing.advance(order_ids=[order.pk], now=now + timedelta(minutes=2, milliseconds=124))
        found = page.get(address(order)).context["story"]
        assert [one.took for one in found if one.at] == ["", "0 ms", "", "124 ms"]

    def test_what_the_marketplace_told_stands_beside_the_step_and_in_the_money(self, page, order, now):
        evidence = {"number": "m-1", "stage": "shipped", "tracking": "1234-5678"}
        move(order=order, verb=Verb.SHIP, because=Because(actor="sweep", evidence=evidence), now=now)
        words = shown(page, address(order))
        assert "order number m-1 tracking number 1234-5678" in words
        assert "Tracking number 1234-5678" in words

    def test_without_a_tracking_number_none_is_shown(self, page, order):
        assert "racking" not in shown(page, address(order))

    @pytest.mark.parametrize(
        ("verb", "reason", "said"),
        [(Verb.CANCEL, "gone", "it is not on sale any more"), (Verb.EXPIRE, "", "expired · asked at the marketplace")],
    )
    def test_a_dead_end_says_why_and_nothing_follows(self, page, alice, watch, now, verb, reason, said):
        wide(alice, now)
        order = handed(watch, now)
        move(order=order, verb=verb, because=Because(actor="reconciler", fields={"reason": reason}), now=now)
        assert story(page, order)[-1][0] == "over"
        assert said in shown(page, address(order))

    def test_where_nobody_knows_the_outcome_nothing_is_foretold(self, page, alice, now):
        order = lost(alice, account_of(alice, now=now), now=now)
        assert story(page, order)[-1] == ("now", "outcome unknown, checking · sent by this site")

    def test_every_state_has_a_page(self, page, alice, now):
        for number, state in enumerate(State):
            shown(page, address(order_of(alice, number, now=now, state=state, expires_at=now)))

    def test_only_staff_read_what_was_written_down(self, page, alice, order):
        assert "As it was written down" not in shown(page, address(order))
        alice.is_staff = True
        alice.save()
        assert "{&#x27;shown&#x27;:" in shown(page, address(order))

    @pytest.mark.parametrize("state", ["awaiting", "bought", "ended"])
    def test_it_takes_twelve_queries_at_most(
        self, page, alice, watch, order, now, state, django_assert_max_num_queries
    ):
        found = order if state == "bought" else proposal(watch, now, number=2)
        if state == "ended":
            move(order=found, verb=Verb.EXPIRE, because=SWEEP, now=now)
        page.get(address(found))
        with django_assert_max_num_queries(12):
            page.get(address(found))


class TestTerms:
    def test_rule_and_budgets_are_told_as_they_were_whatever_they_say_now(self, page, alice, watch, now):
        WatchVersion.objects.create(watch=watch, number=3, at=now - timedelta(days=1), wish={})
        wide(alice, now, per_month=50_000)
        budgeting.create_budget(user=alice, wish=BudgetWish(name="Camera", watches=[watch]), now=now)
        order = handed(watch, now)
        later = now + timedelta(seconds=1)
        budgeting.set_overall_budget(user=alice, limits=Limits(per_month=60_000, units=2), now=later)
        rules.set_rule(watch=watch, wish=rules.BuyWish(price_max=9, shipping_estimate=0, approval_minutes=1), now=later)
        WatchVersion.objects.create(watch=watch, number=4, at=later, wish={})
        words = shown(page, address(order))
        for said in (
            "All my spending a month ¥50,000 version 1 just now changed since",
            "Lumina Ask me · at most ¥5,000 version 1 just now changed since",
            "Camera no limit version 1 just now",
            "What the watch looked for version 3",
        ):
            assert said in words
        assert "Camera no limit version 1 just now changed" not in words

    def test_each_leads_to_its_row_of_the_record(self, page, order):
        rows = re.findall(r'href="(/activity/a\d+/)"', page.get(address(order)).content.decode())
        assert len(rows) == 2
        assert all(page.get(row).status_code == 200 for row in rows)

    def test_what_nobody_wrote_down_is_not_guessed(self, page, alice, now):
        assert "at that time" not in shown(page, address(order_of(alice, now=now)))


class TestReceived:
    def test_it_is_received_by_its_persons_word_and_was_on_the_way(self, page, order):
        assert "you have received it" in pressed(page, order, "received")
        assert order.state == State.RECEIVED
        assert list(order.history.order_by("-number").values_list("actor", "after")[:2]) == [
            ("person", "received"), ("person", "shipped"),
        ]  # fmt: skip

    def test_what_is_on_the_way_takes_one_step(self, page, order, now):
        move(order=order, verb=Verb.SHIP, because=SWEEP, now=now)
        pressed(page, order, "received")
        assert order.history.filter(after="shipped").count() == 1

    def test_a_double_press_is_noted_once_and_offers_no_third(self, page, order):
        pressed(page, order, "received")
        assert "Nothing was changed" in pressed(page, order, "received")
        assert OrderStep.objects.filter(after="received").count() == 1
        assert "I have received it" not in shown(page, address(order))

    @pytest.mark.parametrize("state", sorted(set(State) - receiving.RECEIVABLE))
    def test_what_was_not_bought_is_not_received(self, page, alice, now, state):
        order = order_of(alice, now=now, state=state)
        pressed(page, order, "received")
        assert (order.state, order.steps) == (state, 0)

    def test_it_moves_no_money(self, page, order):
        before = order.entries.count()
        pressed(page, order, "received")
        assert order.entries.count() == before

    def test_a_strangers_order_is_not_there(self, theirs, order):
        assert theirs.post(f"{address(order)}received/").status_code == 404
        order.refresh_from_db()
        assert order.state == State.PLACED


class TestConflict:
    @pytest.fixture
    def doubted(self, alice, now):
        """The answer named one purchase, and the list shows another."""
        account = account_of(alice, now=now)
        known(account, now=now)
        market = Market(now=now + timedelta(seconds=15))
        market.sell("m-old", "t-old", at=now - timedelta(days=9))
        order = lost(alice, account, now=now)
        order.submissions.update(evidence={"transaction_id": "t-said"}, answered_at=now)
        market.sell(order.listing.external_id, "t-shown")
        market.run(order, until=timedelta(hours=2))
        assert (order.state, order.reason) == (State.NEEDS_HUMAN, "contradiction")
        return order

    def test_both_sides_are_shown(self, page, doubted):
        words = shown(page, address(doubted))
        assert "Both sides Known here The answer to the order named the purchase t-said." in words
        assert "Among the purchases: number t-shown, ¥1,000. Accept the marketplace's" in html.unescape(words)

    def test_accepting_the_marketplaces_asks_once_more_and_books_it(self, page, doubted):
        text = page.get(address(doubted)).content.decode()
        claimed = dict(re.findall(r'<input type="hidden" name="(paid|reference)" value="([^"]*)">', text))
        assert claimed == {"paid": "1,000", "reference": "t-shown"}
        assert "¥1,000 is booked as spent" in pressed(page, doubted, "bought", **claimed)
        assert doubted.state == State.NEEDS_HUMAN
        pressed(page, doubted, "bought", sure="yes", **claimed)
        assert (doubted.state, doubted.paid, doubted.reference) == (State.PLACED, 1000, "t-shown")
        assert "Both sides" not in shown(page, address(doubted))

    def test_what_the_marketplace_took_is_asked_for_where_it_does_not_say_it(self, page, doubted):
        doubted.readings.update(paid=None)
        words = html.unescape(shown(page, address(doubted)))
        assert "number t-shown, price unknown." in words
        assert "Accept the marketplace's" not in words

    def test_what_is_typed_in_another_currency_is_booked_as_it_was_typed(self, page, doubted):
        Order.objects.filter(pk=doubted.pk).update(currency="EUR")
        answer = page.post(f"{address(doubted)}bought/", {"paid": "12.50", "reference": "t"})
        assert 'name="paid" value="12.50"' in answer.content.decode()


class TestOwnWords:
    def test_a_problem_puts_it_among_the_problems_until_it_is_over(self, page, order):
        assert "The problem is noted" in pressed(page, order, "problem", problem="a  crack")
        since = order.problem_at
        assert "Problems 1" in shown(page, "/orders/")
        assert "a crack" in shown(page, "/orders/")
        pressed(page, order, "problem", problem="two cracks")
        assert (order.problem, order.problem_at) == ("two cracks", since)
        pressed(page, order, "problem", problem="")
        assert order.problem_at is None
        assert "Problems" not in shown(page, "/orders/")

    @pytest.mark.parametrize("words", ["x" * 201, "a\x07b"])
    def test_words_that_make_no_sense_are_refused_with_a_sentence(self, page, order, words):
        assert "That " in pressed(page, order, "problem", problem=words)
        assert order.problem == ""

    def test_a_problem_without_words_is_none_in_the_database_either(self, order, now):
        with pytest.raises(IntegrityError), transaction.atomic():
            Order.objects.update(problem_at=now)

    def test_the_note_is_the_one_of_the_listing(self, page, order):
        assert "The note is saved" in pressed(page, order, "note", note="for the king")
        assert "for the king" in page.get(address(order)).content.decode()
        assert "for the king" in page.get(f"/listings/{order.listing_id}/").content.decode()
        assert "longer" in pressed(page, order, "note", note="x" * 2001)

    def test_a_stranger_says_nothing_of_it(self, theirs, order):
        for act in ("problem", "note"):
            assert theirs.post(f"{address(order)}{act}/", {"problem": "x", "note": "x"}).status_code == 404
        order.refresh_from_db()
        assert (order.problem, Note.objects.count()) == ("", 0)

    def test_looking_changes_nothing(self, page, order):
        for act in ("received", "problem", "note"):
            assert page.get(f"{address(order)}{act}/").status_code == 405


class TestForACustomer:
    def test_it_tells_what_was_bought_and_nothing_of_limits(self, page, order, now):
        page.post("/orders/parcel/", {"order": order.public_id, "parcel": "3 December"})
        move(order=order, verb=Verb.SHIP, because=Because(actor="sweep", evidence={"tracking": "1-2"}), now=now)
        text = page.get(address(order)).context["text"].splitlines()
        assert text[1:] == [
            "Paid: ¥900", "State: on the way", "Order number: m-1", "Parcel: 3 December", "Tracking number: 1-2",
            order.listing.url,
        ]  # fmt: skip
        assert "Mercari" in text[0]

    def test_before_it_is_paid_it_tells_what_it_is_offered_for(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now, listing_shipping="buyer_pays")
        text = page.get(address(order)).context["text"]
        assert "Price: ¥1,000\nShipping: ¥700\n" in text
        assert "1,700" not in text

    def test_a_title_of_a_stranger_is_text(self, page, order):
        order.listing.title = "</textarea><script>alert(1)</script>"
        order.listing.save()
        assert "<script>alert" not in page.get(address(order)).content.decode()
