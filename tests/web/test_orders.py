"""The page of orders: the board, its filters, what is off, parcels, and the file for accounting."""

import csv
import io
from datetime import timedelta

import pytest

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import board, handing, own_words
from monitor_site.purchasing.models import LedgerEntry, Mode, Order, OrderStep, Sweep
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from monitor_site.watches import tagging
from monitor_site.watches.models import Listing
from tests.purchasing.rows import budget_of, order_of
from tests.web.rows import listing, watch_of
from tests.web.test_buying import handed, proposal, shown, wide

pytestmark = pytest.mark.usefixtures("redis")
WE = Because(actor="sweep")


@pytest.fixture
def now(standing):
    return standing


def stands(page, query=""):
    """Column → how many orders, as far as there are any."""
    found = page.get(f"/orders/?{query}").context["board"]
    shelves = (*found.top, *found.columns, *found.below)
    assert all(shelf.count >= len(shelf.cards) for shelf in shelves)
    return {shelf.name: shelf.count for shelf in shelves if shelf.count}


def bought(watch, now, number=1, **said):
    order = handed(watch, now, number=number)
    handing.say_bought(order=order, actor="person", now=now, **{"paid": 900, "reference": f"m-{number}"} | said)
    return order


def rows_of(answer):
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


COLUMN_OF = {
    State.PROPOSED: "proposed", State.AWAITING_APPROVAL: "proposed", State.READY: "to_order",
    State.SUBMITTING: "to_order", State.HANDED_OVER: "to_order", State.UNKNOWN: "problem", State.NEEDS_HUMAN: "problem",
    State.PLACED: "ordered", State.LATE_PLACED: "ordered", State.LEADING: "ordered", State.OUTBID: "ordered",
    State.WON: "to_pay", State.PAID: "to_ship", State.SHIPPED: "on_the_way", State.RECEIVED: "received",
    State.MARKET_CANCELLED: "problem",
}  # fmt: skip


class TestColumns:
    @pytest.mark.parametrize("state", list(State))
    def test_every_state_has_its_column(self, alice, now, state):
        order_of(alice, now=now, state=state)
        [found] = board.on_board(Order.objects.of(alice), now=now)
        assert found.column == COLUMN_OF.get(state, "ended")

    @pytest.mark.parametrize(
        ("fields", "column"),
        [
            ({"mode": Mode.DRY_RUN}, "rehearsed"),
            ({"state": State.HANDED_OVER, "ask_at": "now"}, "problem"),
            ({"state": State.HANDED_OVER, "expires_at": "soon"}, "problem"),
            ({"state": State.HANDED_OVER, "expires_at": "later"}, "to_order"),
            ({"state": State.LATE_PLACED, "reason": "late"}, "problem"),
            ({"state": State.RECEIVED, "problem": "a crack", "problem_at": "now"}, "problem"),
            ({"state": State.MARKET_CANCELLED, "stood_since": "long ago"}, "ended"),
        ],
    )
    def test_what_needs_a_look_is_a_problem_wherever_it_stands(self, alice, now, fields, column):
        minutes = {"now": 0, "soon": 59, "later": 61, "long ago": -8 * 24 * 60}
        at = {word: now + timedelta(minutes=count) for word, count in minutes.items()}
        order_of(alice, now=now, **{name: at.get(value, value) for name, value in fields.items()})
        [found] = board.on_board(Order.objects.of(alice), now=now)
        assert found.column == column

    def test_what_the_marketplace_waits_to_be_paid_for_is_to_pay(self, alice, now):
        order = order_of(alice, now=now, state=State.PLACED)
        step = {"verb": "place", "before": "submitting", "after": "placed", "actor": "sweep", "at": now}
        OrderStep.objects.create(order=order, number=1, evidence={"stage": "wait_payment"}, **step)
        [found] = board.on_board(Order.objects.of(alice), now=now)
        assert found.column == "to_pay"

    def test_a_column_sums_what_was_paid_else_what_it_costs_at_most_each_currency_by_itself(self, alice, now):
        order_of(alice, 1, now=now, price=1000, state=State.PAID, paid=900)
        order_of(alice, 2, now=now, price=2000, state=State.PAID)
        order_of(alice, 3, now=now, price=1250, state=State.PAID, currency="EUR")
        column = board.columns_of(board.on_board(Order.objects.of(alice), now=now))["to_ship"]
        assert (column.count, column.sums) == (3, {"EUR": 1250, "JPY": 2900})


class TestBoard:
    def test_without_an_order_the_page_says_so(self, page):
        assert "No order yet" in shown(page, "/orders/")

    def test_each_column_has_its_count_and_sum(self, page, alice, watch, now):
        wide(alice, now)
        for number in (1, 2):
            handed(watch, now, number=number, price=1500)
        bought(watch, now, number=3)
        words = shown(page, "/orders/")
        assert "To order 2 ¥3,000" in words
        assert "Ordered 1 ¥900" in words

    def test_a_proposal_stands_in_front_until_its_time_is_over(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        assert stands(page) == {"proposed": 1}
        assert "To be answered: in 30 min" in shown(page, "/orders/")
        Order.objects.filter(pk=order.pk).update(expires_at=now)
        assert stands(page) == {}

    def test_a_card_tells_its_money_its_budget_its_deadline_and_its_account(self, page, alice, watch, now):
        wide(alice, now)
        budget_of(alice, now=now, watches=[watch])
        order = handed(watch, now, listing_shipping="buyer_pays")
        account = MarketplaceAccount.objects.create(
            user=alice, marketplace="mercari", label="Proxy", created_at=now, updated_at=now
        )
        Order.objects.filter(pk=order.pk).update(account=account)
        words = shown(page, "/orders/")
        for said in ("¥1,000 + ¥700", "All my spending · Camera", "To be ordered: in 24 h", "Proxy"):
            assert said in words

    def test_what_was_declined_without_an_approval_is_no_order(self, page, alice, watch, now):
        wide(alice, now)
        move(order=proposal(watch, now), verb=Verb.DECLINE, because=WE, now=now)
        assert stands(page) == {}

    def test_a_long_column_leads_on_to_a_page_of_its_own(self, page, alice, now):
        for number in range(1, 75):
            order_of(alice, number, now=now, state=State.RECEIVED, found_late_at=now)
        first = page.get("/orders/").context["board"].columns[-1]
        assert (first.count, len(first.cards)) == (74, 10)
        seen, more = [card.line.order.pk for card in first.cards], first.more
        while more:
            [shelf] = page.get(f"/orders/?{more}").context["board"].top
            seen, more = [*seen, *(card.line.order.pk for card in shelf.cards)], shelf.more
        assert seen == sorted(Order.objects.values_list("pk", flat=True), reverse=True)

    def test_five_hundred_orders_take_twelve_queries_at_most(self, page, alice, now, django_assert_max_num_queries):
        many = [listing(number, now=now) for number in range(500)]
        budget = budget_of(alice, now=now)
        watch = watch_of(alice, now=now)
        tagging.set_tags(watch=watch, names=["King"])
        states = [state for state in State if state != State.SUBMITTING]
        for number, thing in enumerate(many):
            state = states[number % len(states)]
            order_of(
                alice, now=now, listing=thing, state=state, found_late_at=now, parcel=f"p{number % 9}", watch=watch
            )
        scope = budget.scopes.create(period="total", starts=now.date(), measure="money")
        what = {"scope": scope, "step": 1, "kind": "hold", "amount": 1, "at": now}
        LedgerEntry.objects.bulk_create(LedgerEntry(order=order, **what) for order in Order.objects.all())
        page.get("/orders/")
        with django_assert_max_num_queries(12):
            assert sum(stands(page).values()) == 500

    def test_a_stranger_sees_a_board_of_their_own(self, theirs, alice, watch, now):
        wide(alice, now)
        handed(watch, now)
        assert stands(theirs) == {}


class TestFilters:
    def test_filters_find_what_they_say_and_nonsense_is_left_out(self, page, alice, bob, watch, now):
        wide(alice, now)
        budget = budget_of(alice, now=now, watches=[watch])
        theirs = budget_of(bob, now=now)
        tagging.set_tags(watch=watch, names=["King", "Queen"])
        own_words.put_in_parcel(orders=[handed(watch, now)], parcel="3 December")
        found = {
            f"watch={watch.pk}": 1, f"watch={watch.pk + 9}": 0, f"budget={budget.pk}": 1, f"budget={theirs.pk}": 0,
            "month=2001-01": 0, "month=2001-13": 1, "month=x&account=%00&tag=-1": 1, "tag=99": 0,
            f"tag={alice.tags.first().pk}": 1, "parcel=3+December": 1, "parcel=3": 0, "parcel=%00": 1,
            "column=to_order": 1, "column=received": 0, "column=x&before=y": 1,
        }  # fmt: skip
        for query, count in found.items():
            assert sum(stands(page, query).values()) == count, query

    def test_nothing_found_leads_back_to_everything(self, page):
        assert "Nothing with these filters Clear filters" in shown(page, "/orders/?month=2001-01")

    def test_only_ones_own_is_offered_to_choose(self, page, alice, bob, watch, now):
        wide(alice, now)
        wide(bob, now)
        budget_of(bob, now=now, name="Secret")
        theirs = handed(watch_of(bob, now=now, name="Hidden"), now, number=2)
        own_words.put_in_parcel(orders=[theirs], parcel="Theirs")
        own_words.put_in_parcel(orders=[handed(watch, now)], parcel="Mine")
        choices = page.get("/orders/").context["choices"]
        assert {name: [words for _value, words in rows] for name, rows in choices.items()} == {
            "account": [], "budget": [], "watch": ["Lumina"], "tag": [], "parcel": ["Mine"],
        }  # fmt: skip

    def test_a_month_counts_on_the_clock_of_tokyo(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        first = now.replace(year=2026, month=3, day=31, hour=15, minute=30)  # half past midnight on 1 April in Tokyo
        Order.objects.filter(pk=order.pk).update(created_at=first)
        assert [len(stands(page, f"month={month}")) for month in ("2026-03", "2026-04")] == [0, 1]

    def test_months_are_summed_by_budget(self, page, alice, watch, now):
        wide(alice, now)
        handed(watch, now, price=1500)
        assert "All my spending ¥0 spent · ¥1,500 held" in shown(page, "/orders/")


class TestStale:
    @pytest.fixture
    def sweep(self, alice, watch, now):
        """An account with an order under way that was swept two hours ago."""
        wide(alice, now)
        account = MarketplaceAccount.objects.create(
            user=alice, marketplace="mercari", label="Proxy", created_at=now, updated_at=now
        )
        Order.objects.filter(pk=bought(watch, now).pk).update(account=account)
        swept = now - timedelta(hours=2)
        return Sweep.objects.create(account=account, due_at=now, swept_at=swept, shows_since=swept)

    def test_an_account_that_cannot_be_looked_at_says_why_and_of_when_its_states_are(self, page, sweep):
        assert "what its orders show" not in shown(page, "/orders/")
        Sweep.objects.update(error="sign_in_needed")
        assert "mercari Proxy sign-in not accepted: what its orders show is of" in shown(page, "/orders/")

    def test_an_account_that_nobody_looked_at_for_an_hour_says_so(self, page, sweep, now):
        Sweep.objects.update(due_at=now - timedelta(minutes=61), swept_at=None)
        assert "nobody has looked for a while: its orders were not compared" in shown(page, "/orders/")

    def test_an_account_without_an_order_under_way_is_silent(self, page, sweep):
        Sweep.objects.update(error="sign_in_needed")
        Order.objects.update(state=State.RECEIVED)
        assert "sign-in not accepted" not in shown(page, "/orders/")

    def test_a_stranger_hears_nothing_of_it(self, theirs, sweep):
        Sweep.objects.update(error="sign_in_needed")
        assert "sign-in not accepted" not in shown(theirs, "/orders/")


class TestParcels:
    def put(self, page, orders, parcel="3 December"):
        return page.post("/orders/parcel/", {"order": [one.public_id for one in orders], "parcel": parcel}, follow=True)

    def test_chosen_orders_share_a_parcel_until_they_are_taken_out(self, page, alice, watch, now):
        wide(alice, now)
        two = [bought(watch, now, number=number) for number in (1, 2)]
        assert "The parcel of 2 orders is noted" in self.put(page, two, " 3   December ").content.decode()
        assert set(Order.objects.values_list("parcel", flat=True)) == {"3 December"}
        assert sum(stands(page, "parcel=3+December").values()) == 2
        self.put(page, two[:1], "")
        assert sorted(Order.objects.values_list("parcel", flat=True)) == ["", "3 December"]

    def test_nothing_moves_with_a_parcel(self, page, alice, watch, now):
        wide(alice, now)
        order = bought(watch, now)
        self.put(page, [order])
        order.refresh_from_db()
        assert (order.state, order.steps) == (State.PLACED, order.history.count())

    @pytest.mark.parametrize("parcel", ["x" * 41, "a\u202e\x07b"])
    def test_a_name_that_makes_no_sense_is_refused_with_a_sentence(self, page, alice, watch, now, parcel):
        wide(alice, now)
        assert "That " in self.put(page, [bought(watch, now)], parcel).content.decode()
        assert Order.objects.get().parcel == ""

    def test_nothing_chosen_is_nothing_done(self, page):
        assert "Choose some orders first" in self.put(page, []).content.decode()

    def test_one_strangers_order_among_them_and_nothing_is_done(self, theirs, alice, bob, watch, now):
        wide(alice, now)
        order = bought(watch, now)
        own = order_of(bob, 9, now=now)
        for orders in ([order], [own, order]):
            assert self.put(theirs, orders).status_code == 404
        assert theirs.post("/orders/parcel/", {"order": "\x00", "parcel": "x"}).status_code == 404
        assert not Order.objects.exclude(parcel="").exists()


class TestFile:
    def test_it_has_what_was_decided_with_unknown_empty_and_formulas_defused(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        proposal(watch, now, number=2)
        Listing.objects.filter(pk=order.listing_id).update(title="=1+1")
        [row] = rows_of(page.get("/orders/as.csv"))
        assert (row["title"], row["paid"], row["at most"], row["currency"]) == ("'=1+1", "", "1000", "JPY")

    def test_it_tells_customers_budgets_and_parcels(self, page, alice, watch, now):
        wide(alice, now)
        budget_of(alice, now=now, watches=[watch])
        tagging.set_tags(watch=watch, names=["King", "Queen"])
        order = bought(watch, now)
        own_words.put_in_parcel(orders=[order], parcel="+1")
        own_words.open_problem(order=order, words="a crack", now=now)
        bought(watch, now, number=2)
        [_other, row] = rows_of(page.get("/orders/as.csv"))
        told = (row["tags"], row["budgets"], row["parcel"], row["problem"])
        assert told == ("King; Queen", "All my spending; Camera", "'+1", "a crack")

    def test_it_follows_the_filters(self, page, alice, watch, now):
        wide(alice, now)
        own_words.put_in_parcel(orders=[bought(watch, now)], parcel="A")
        bought(watch, now, number=2)
        assert [row["parcel"] for row in rows_of(page.get("/orders/as.csv?parcel=A"))] == ["A"]

    def test_a_stranger_gets_a_file_of_their_own(self, theirs, alice, watch, now):
        wide(alice, now)
        handed(watch, now)
        assert rows_of(theirs.get("/orders/as.csv")) == []
