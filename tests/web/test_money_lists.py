"""Lists of money: several approvals on one sheet, orders by filters, months, files for accounting, what is held."""

import csv
import io
import re
from datetime import timedelta

import pytest

from monitor_site.purchasing import handing, proposing, queries
from monitor_site.purchasing.models import LedgerEntry, Order
from monitor_site.purchasing.queries import Room, resets_at
from monitor_site.purchasing.transitions import State
from monitor_site.watches.models import Listing
from monitor_site.web.budget_lines import counter_of
from tests.purchasing.rows import budget_of
from tests.web.test_buying import handed, proposal, shown, wide
from tests.web.test_proving import grow_old

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture
def now(standing):
    return standing


def chosen(*orders):
    return [f"{order.public_id}.{order.shown}" for order in orders]


def together(page, orders, **data):
    return page.post("/approvals/together/", {"order": chosen(*orders), **data}, follow=True)


def states():
    return sorted(Order.objects.values_list("state", flat=True))


class TestTogether:
    def test_the_sheet_names_the_total_and_approves_nothing_yet(self, page, alice, watch, now):
        wide(alice, now)
        two = [proposal(watch, now, number, price=1000 * number) for number in (1, 2)]
        assert "Approve the chosen together" in shown(page, "/approvals/")
        assert "Approve ¥3,000" in together(page, two).content.decode()
        assert states() == ["awaiting_approval"] * 2

    def test_the_sheet_says_what_would_be_left_of_each_budget_for_all_of_them(self, page, alice, watch, now):
        wide(alice, now, per_item=1500, total=10_000)
        two = [proposal(watch, now, number) for number in (1, 2)]
        words = " ".join(re.sub(r"<[^>]+>", " ", together(page, two).content.decode()).split())
        assert "All my spending · in all ¥10,000 → ¥8,000" in words
        wide(alice, now, per_item=1500, total=1500)
        words = " ".join(re.sub(r"<[^>]+>", " ", together(page, two).content.decode()).split())
        assert "All my spending · in all ¥1,500 free, ¥500 short" in words

    def test_a_sheet_that_is_sent_again_says_what_it_said_first(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        for _ in range(2):
            assert "¥1,000 is held for it" in together(page, [order], sure="yes", key="k1").content.decode()
        assert "approved this already" in together(page, [order], sure="yes", key="k2").content.decode()

    def test_it_approves_all_of_them_once_however_often_it_is_sent(self, page, alice, watch, now):
        wide(alice, now)
        two = [proposal(watch, now, number) for number in (1, 2)]
        for _ in range(2):
            together(page, two + two[:1], sure="yes")
        assert states() == ["ready"] * 2
        assert LedgerEntry.objects.filter(scope__period="total", scope__measure="money").count() == 2

    def test_what_changed_or_is_not_covered_is_refused_with_a_sentence_and_the_rest_goes_on(
        self, page, alice, watch, now
    ):
        wide(alice, now, total=2500)
        orders = [proposal(watch, now, number, price=1000) for number in (1, 2, 3, 4)]
        Listing.objects.filter(pk=orders[0].listing_id).update(price=1100)
        answer = together(page, orders, sure="yes").content.decode()
        assert states() == ["awaiting_approval", "awaiting_approval", "ready", "ready"]
        assert answer.count("Not approved:") == 2
        assert "short" in answer

    def test_another_digest_than_the_shown_one_approves_nothing(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        for said in (order.public_id, f"{order.public_id}.{'0' * 64}", f"{order.public_id}.\x00"):
            page.post("/approvals/together/", {"order": [said], "sure": "yes"})
        assert states() == ["awaiting_approval"]

    def test_a_screen_left_alone_proves_first(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        grow_old(page)
        answer = page.post("/approvals/together/", {"order": chosen(order), "sure": "yes"})
        assert answer.url.startswith("/accounts/prove/")
        assert states() == ["awaiting_approval"]

    def test_a_strangers_proposal_is_not_there(self, client, alice, bob, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        client.force_login(bob)
        for data in ({}, {"sure": "yes"}):
            assert together(client, [order], **data).status_code == 404
        assert states() == ["awaiting_approval"]

    def test_nothing_chosen_is_nothing_done(self, page):
        assert "Choose some proposals first" in together(page, []).content.decode()


class TestTooLate:
    def test_what_nobody_answered_can_be_proposed_again_while_it_is_on_sale(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        Order.objects.update(expires_at=now)
        proposing.expire(now=now)
        assert "Propose again" in shown(page, "/approvals/")
        page.post(f"/orders/{order.public_id}/again/")
        assert states() == ["awaiting_approval", "expired"]
        assert "Propose again" not in shown(page, "/approvals/")

    def test_what_was_sold_meanwhile_is_not_offered_again(self, page, alice, watch, now):
        proposal(watch, now)
        Order.objects.update(expires_at=now)
        proposing.expire(now=now)
        Listing.objects.update(status="sold")
        assert "Propose again" not in shown(page, "/approvals/")


class TestBudgets:
    def test_the_page_says_what_is_held_over_all_and_for_what(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now, price=1500)
        words = shown(page, "/budgets/")
        assert "Today, over all: ¥1,500 held, ¥0 spent" in words
        assert f"Held for All my spending {order.listing.title}" in words

    def test_the_pace_so_far_tells_what_the_period_will_have_cost(self, page, alice, watch, now):
        wide(alice, now, per_month=50_000)
        budget = alice.budgets.get()
        ends = resets_at("month", now=now)
        half = ends - (ends - resets_at("month", now=now - timedelta(days=40))) / 2
        room = Room(period="month", measure="money", limit=budget.per_month, spent=1000)
        assert counter_of(room, now=half).forecast == "¥2,000"

    def test_the_ledger_of_a_budget_is_a_file(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        answer = page.get(f"/budgets/{alice.budgets.get().pk}/ledger.csv")
        [row] = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
        assert (row["kind"], row["amount"], row["order"]) == ("hold", "1000", order.public_id)

    def test_a_strangers_ledger_is_not_there(self, client, alice, bob, now):
        budget = budget_of(alice, now=now)
        client.force_login(bob)
        assert client.get(f"/budgets/{budget.pk}/ledger.csv").status_code == 404


def test_what_is_settled_is_held_for_nothing(alice, watch, now):
    wide(alice, now)
    order = handed(watch, now)
    budget = alice.budgets.get()
    assert list(queries.holders_of(budget)) == [order]
    handing.say_bought(order=order, actor="person", now=now, paid=900, reference="")
    assert not queries.holders_of(budget)
    assert queries.today_of(alice, now=now).spent == 900
    assert Order.objects.get().state == State.PLACED
