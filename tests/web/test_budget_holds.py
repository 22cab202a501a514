"""A limit below what is held, a budget that is full, and the switch on a phone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from monitor_site.purchasing import budgeting, handing, proposing, queries, releasing, switching
from monitor_site.purchasing.budgeting import Limits
from monitor_site.purchasing.models import Budget, BuyRule, Order
from monitor_site.purchasing.queries import Room
from monitor_site.purchasing.transitions import State
from monitor_site.web.budget_lines import counter_of, mode_words
from tests import curio as curios
from tests.marketplaces.keys import account
from tests.marketplaces.shop import shop
from tests.purchasing.rows import budget_of
from tests.web.test_buying import handed, proposal, shown, wide

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture
def now(standing):
    return standing


@pytest.fixture
def held(alice, watch, now):
    """Two things of 1,500 yen each, held for."""
    wide(alice, now)
    return [handed(watch, now, number=number, price=1500) for number in (1, 2)]


def holds_of(alice):
    return f"/budgets/{Budget.objects.get(user=alice).pk}/holds/"


def states(*orders):
    return [Order.objects.get(pk=order.pk).state for order in orders]


class TestLowering:
    def test_it_asks_which_holds_to_end_and_ends_those_alone(self, page, alice, held):
        answer = page.post("/budgets/all/", {"per_month": "2000"})
        assert answer["Location"] == holds_of(alice)
        assert "¥1,000 above the limit is held or spent already" in shown(page, answer["Location"])
        done = page.post(answer["Location"], {"order": [held[0].public_id]}, follow=True)
        assert "One order ended: ¥1,500 is free." in done.content.decode()
        assert states(*held) == ["cancelled", "handed_over"]
        assert queries.today_of(alice, now=timezone.now()).held == 1500
        assert "its person gave back what was held for it" in shown(page, f"/orders/{held[0].public_id}/")

    def test_keeping_everything_changes_nothing_and_the_limit_holds(self, page, alice, held):
        page.post("/budgets/all/", {"per_month": "2000"})
        page.post(holds_of(alice), {})
        assert states(*held) == ["handed_over"] * 2
        assert Budget.objects.get().per_month == 2000

    def test_what_is_above_but_cannot_be_ended_is_only_said(self, page, alice, held):
        Order.objects.update(state=State.UNKNOWN)
        answer = page.post("/budgets/all/", {"per_month": "2000"}, follow=True)
        assert answer.redirect_chain[-1][0] == "/budgets/"
        assert "above the new limit is held or spent already" in answer.content.decode()

    def test_a_limit_above_what_is_held_asks_nothing(self, page, alice, held):
        assert page.post("/budgets/all/", {"per_month": "4000"})["Location"] == "/budgets/"

    @pytest.mark.parametrize("state", ["submitting", "unknown", "needs_human", "leading"])
    def test_what_may_have_gone_out_stays_whatever_is_posted(self, page, alice, held, state):
        Order.objects.filter(pk=held[0].pk).update(state=state)
        assert f'value="{held[0].public_id}"' not in page.get(holds_of(alice)).content.decode()
        answer = page.post(holds_of(alice), {"order": [one.public_id for one in held]}, follow=True)
        assert "Something went on meanwhile and stays" in answer.content.decode()
        assert states(*held) == [state, "cancelled"]

    def test_one_that_was_submitted_in_the_meantime_is_not_ended(self, alice, held, now):
        read = list(Order.objects.order_by("pk"))
        handing.say_bought(order=held[0], actor="person", paid=1400, reference="", now=now)
        assert [one.pk for one in releasing.release(orders=read, actor="person", now=now)] == [held[1].pk]
        assert states(*held) == ["placed", "cancelled"]

    def test_limits_of_an_account_ask_as_well(self, page, alice, watch, now):
        wide(alice, now)
        mine = account(now, user=alice)
        budgeting.set_account_budget(account=mine, limits=Limits(per_day=5000), currency="JPY", now=now)
        order = proposal(watch, now, price=1500)
        order.account, order.way = mine, "partner_api"
        order.shown = proposing.shown(order)
        order.save()
        proposing.approve(order=order, seen=order.shown, actor="person", now=now)
        with curios.known(shop()):
            answer = page.post(f"/market-accounts/{mine.pk}/caps/", {"per_day": "1000"})
        assert answer["Location"] == f"/budgets/{Budget.objects.get(account=mine).pk}/holds/"
        page.post(answer["Location"], {"order": [order.public_id]})
        assert states(order) == ["cancelled"]

    def test_bad_input_ends_nothing(self, page, alice, held):
        page.post(holds_of(alice), {"order": ["", "\x00", "nonsense", "9" * 500]})
        assert states(*held) == ["handed_over"] * 2
        assert page.get("/budgets/99999999999999999999/holds/").status_code == 404

    def test_a_stranger_neither_sees_nor_ends_them(self, client, alice, bob, held):
        client.force_login(bob)
        way = holds_of(alice)
        assert client.get(way).status_code == client.post(way, {"order": [held[0].public_id]}).status_code == 404
        mine = budget_of(bob, now=timezone.now())
        client.post(f"/budgets/{mine.pk}/holds/", {"order": [held[0].public_id]})
        assert states(*held) == ["handed_over"] * 2

    def test_with_nothing_held_the_page_says_so(self, page, alice, now):
        wide(alice, now)
        assert "Nothing is held." in shown(page, holds_of(alice))

    def test_an_approved_one_that_nobody_has_sent_can_be_ended(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        proposing.approve(order=order, seen=order.shown, actor="person", now=now)
        page.post(holds_of(alice), {"order": [order.public_id]})
        assert states(order) == ["cancelled"]


class TestFull:
    def test_a_full_budget_says_until_when_nothing_more_is_ordered(self, page, alice, watch, now):
        wide(alice, now, per_day=1500)
        handed(watch, now, price=1500)
        assert "Full: nothing more that counts here can be ordered until" in shown(page, "/budgets/")

    def test_one_that_is_full_for_ever_says_no_time(self, page, alice, watch, now):
        wide(alice, now, total=1500)
        handed(watch, now, price=1500)
        assert "Full: nothing more that counts here can be ordered." in shown(page, "/budgets/")

    @pytest.mark.parametrize(("spent", "tone", "full"), [(790, "", False), (800, "warn", False), (999, "warn", False),
                                                         (1000, "bad", True), (1200, "bad", True)])  # fmt: skip
    def test_amber_from_four_fifths_and_red_only_when_nothing_is_left(self, now, spent, tone, full):
        counter = counter_of(Room(period="day", measure="money", limit=1000, spent=spent), now=now)
        assert (counter.tone, counter.is_full) == (tone, full)

    def test_without_a_budget_the_page_says_what_does_not_happen(self, page):
        assert "You have no budget: nothing can be approved, and nothing is ordered by itself." in shown(
            page, "/budgets/"
        )


class TestModes:
    def test_each_watch_says_who_decides(self, page, alice, watch, now):
        budget_of(alice, now=now, watches=[watch])
        assert "(only tells you)" in shown(page, "/budgets/")
        proposal(watch, now)
        assert "(asks you)" in shown(page, "/budgets/")

    @pytest.mark.parametrize(("days", "begins"), [(3, "orders by itself until"), (-3, "asks you")])
    def test_one_that_orders_by_itself_says_until_when_and_asks_afterwards(self, alice, watch, now, days, begins):
        until = (now + timedelta(days=days)).date()
        watch.buy_rule = BuyRule(watch=watch, price_max=1, policy="buy", until=until)
        assert mode_words(watch, now=now).startswith(begins)


class TestTheSwitchOnAPhone:
    def test_it_stops_and_leads_back_and_then_says_so(self, page, alice, now):
        assert "Pause all spending" in shown(page, "/more/")
        assert page.post("/budgets/stop/", {"next": "/more/"})["Location"] == "/more/"
        assert switching.is_stopped(user_id=alice.pk, now=now)
        assert "You have paused all your spending." in shown(page, "/more/")

    def test_one_persons_stop_is_not_anothers(self, page, bob, now):
        switching.stop(user=bob, reason="", now=now)
        assert "Pause all spending" in shown(page, "/more/")
