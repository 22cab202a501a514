"""The pages of money: buy rules, budgets, approvals and orders."""

import re
from datetime import timedelta

import pytest

from monitor_site.purchasing import budgeting, handing, proposing, rules, switching
from monitor_site.purchasing.budgeting import Limits
from monitor_site.purchasing.models import Budget, BuyRule, LedgerEntry, Order, OrderStep, Scope
from monitor_site.purchasing.transitions import State
from tests.purchasing.rows import budget_of
from tests.web.rows import match

pytestmark = pytest.mark.usefixtures("redis")
PAID = {"paid": "900", "reference": "m-1"}


@pytest.fixture
def now(standing):
    return standing


def wide(user, now, **limits):
    return budgeting.set_overall_budget(user=user, limits=Limits(**limits or {"per_month": 50_000}), now=now)


def proposal(watch, now, number=1, price=1000, **fields):
    wish = rules.BuyWish(price_max=5000, shipping_estimate=700, approval_minutes=30)
    rules.set_rule(watch=watch, wish=wish, now=now)
    found = match(watch, number, now=now, listing_price=price, **fields)
    [order] = proposing.propose(match_ids=[found.pk], now=now)
    return order


def handed(watch, now, **fields):
    order = proposal(watch, now, **fields)
    proposing.approve(order=order, seen=order.shown, actor="person", now=now)
    handing.advance(order_ids=[order.pk], now=now)
    order.refresh_from_db()
    assert order.state == State.HANDED_OVER
    return order


def shown(page, address):
    """The page as words."""
    answer = page.get(address)
    assert answer.status_code == 200
    html = answer.content.decode()
    words = re.sub(r"<[^>]+>", " ", re.search(r"<main.*</main>", html, re.DOTALL)[0])
    return " ".join(words.split())


def pressed(page, order, act, **data):
    """What a person reads after a button of an order, in words."""
    answer = page.post(f"/orders/{order.public_id}/{act}/", data, follow=True)
    assert answer.status_code == 200
    order.refresh_from_db()
    words = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return " ".join(words.split()).replace("&#x27;", "'")


def approve(page, order, **data):
    return pressed(page, order, "approve", **{"seen": order.shown, "sure": "yes"} | data)


class TestBuyRule:
    def save(self, page, watch, **data):
        fields = {"then": "ask", "price_max": "5,000", "shipping_estimate": "", "approval_minutes": "30"}
        return page.post(f"/watches/{watch.pk}/buying/", fields | data)

    def test_a_watch_has_no_rule_until_somebody_sets_one(self, page, watch):
        assert "Only tell me" in shown(page, f"/watches/{watch.pk}/buying/")
        assert not BuyRule.objects.exists()

    def test_a_rule_is_set_and_switched_off_again(self, page, watch):
        assert self.save(page, watch).status_code == 302
        assert BuyRule.objects.get().price_max == 5000
        self.save(page, watch, then="off")
        assert not BuyRule.objects.exists()

    @pytest.mark.parametrize("price", ["", "0"])
    def test_without_a_highest_price_nothing_is_bought_and_the_page_says_so(self, page, watch, price):
        self.save(page, watch, price_max=price)
        assert BuyRule.objects.get().price_max is None
        assert "Without a highest price nothing is bought" in shown(page, f"/watches/{watch.pk}/buying/")

    @pytest.mark.parametrize(
        "data",
        [{"price_max": "cheap"}, {"approval_minutes": "0"}, {"approval_minutes": "9999"}, {"then": "buy"},
         {"shipping_estimate": "-1"}, {"approval_minutes": ""}],
    )  # fmt: skip
    def test_what_makes_no_sense_is_not_saved(self, page, watch, data):
        assert self.save(page, watch, **data).status_code == 422
        assert not BuyRule.objects.exists()

    def test_it_tells_what_the_rule_would_have_proposed(self, page, watch, now):
        for number, price in enumerate((1000, 2000, 9000), start=1):
            match(watch, number, now=now, listing_price=price, price=price)
        self.save(page, watch)
        words = shown(page, f"/watches/{watch.pk}/buying/")
        assert "would have proposed 2 things for ¥3,000, of 3 matches" in words

    def test_it_warns_where_no_budget_guards_the_money(self, page, watch, alice, now):
        self.save(page, watch)
        assert "No budget guards your money yet" in shown(page, f"/watches/{watch.pk}/buying/")
        wide(alice, now)
        assert "No budget guards" not in shown(page, f"/watches/{watch.pk}/buying/")

    def test_the_head_of_the_watch_says_what_a_match_leads_to(self, page, watch):
        assert "Notify" in shown(page, f"/watches/{watch.pk}/")
        self.save(page, watch)
        assert "Ask me" in shown(page, f"/watches/{watch.pk}/")
        assert "Ask me" in shown(page, "/watches/")
        self.save(page, watch, price_max="0")
        assert "Notify" in shown(page, f"/watches/{watch.pk}/")

    def test_a_strangers_watch_has_no_such_page(self, theirs, watch):
        assert self.save(theirs, watch).status_code == 404
        assert not BuyRule.objects.exists()


class TestBudgets:
    def test_a_budget_is_made_once_however_often_the_form_is_sent(self, page, watch):
        data = {"name": "Camera", "per_day": "5,000", "units": "3", "watches": [watch.pk], "form_key": "k"}
        for _ in range(2):
            assert page.post("/budgets/new/", data).status_code == 302
        budget = Budget.objects.get()
        assert (budget.per_day, budget.per_month, budget.units, list(budget.watches.all())) == (5000, None, 3, [watch])

    @pytest.mark.parametrize("data", [{"name": ""}, {"per_day": "-5"}, {"per_week": "much"}, {"units": "x"}])
    def test_a_budget_that_makes_no_sense_is_not_made(self, page, data):
        assert page.post("/budgets/new/", {"name": "Camera"} | data).status_code == 422
        assert not Budget.objects.exists()

    def test_nobody_shares_a_budget_with_a_strangers_watch(self, theirs, watch):
        assert theirs.post("/budgets/new/", {"name": "mine", "watches": [watch.pk]}).status_code == 422

    def test_looking_at_the_form_of_all_spending_makes_nothing(self, page):
        assert page.get("/budgets/all/").status_code == 200
        assert not Budget.objects.exists()
        assert page.post("/budgets/all/", {"per_month": "50,000"}).status_code == 302
        assert Budget.objects.get().kind == "user"
        assert "¥50,000 of ¥50,000 free" in shown(page, "/budgets/")

    def test_the_page_tells_what_is_spent_held_and_free(self, page, alice, watch, now):
        wide(alice, now, per_month=10_000, per_item=4000)
        handing.say_bought(order=handed(watch, now), paid=900, reference="", actor="person", now=now)
        handed(watch, now, number=2, price=2000)
        words = shown(page, "/budgets/")
        for said in ("¥7,100 of ¥10,000 free", "¥900 spent", "¥2,000 held", "at most ¥4,000 for one thing", "anew"):
            assert said in words

    def test_a_lower_limit_says_what_stays_above_it(self, page, alice, watch, now):
        budget = wide(alice, now)
        handed(watch, now)
        answer = page.post(f"/budgets/{budget.pk}/", {"per_month": "400"}, follow=True)
        assert "¥600 above the limit" in answer.content.decode()

    def test_a_budget_in_use_stays_and_another_one_goes(self, page, alice, watch, now):
        used, free = budget_of(alice, now=now, watches=[watch]), budget_of(alice, now=now, name="Free")
        page.get(f"/budgets/{free.pk}/remove/")
        page.post(f"/budgets/{free.pk}/remove/")
        assert Budget.objects.count() == 2
        for one in (used, free):
            page.post(f"/budgets/{one.pk}/remove/", {"sure": "yes"})
        assert list(Budget.objects.all()) == [used]

    def test_spending_is_paused_and_resumed(self, page, alice, now):
        page.post("/budgets/stop/")
        assert switching.is_stopped(user_id=alice.pk, now=now)
        assert "You have paused all your spending" in shown(page, "/approvals/")
        page.post("/budgets/resume/")
        assert not switching.is_stopped(user_id=alice.pk, now=now)

    def test_nobody_takes_back_what_the_operator_has_stopped(self, page, alice, now):
        switching.stop(user=None, reason="odd", now=now)
        assert "Resume my spending" not in shown(page, "/budgets/")
        page.post("/budgets/resume/")
        assert switching.is_stopped(user_id=alice.pk, now=now)

    @pytest.mark.parametrize("address", ["/budgets/stop/", "/budgets/resume/"])
    def test_looking_at_the_switch_throws_nothing(self, page, address):
        assert page.get(address).status_code == 405

    def test_a_strangers_budget_does_not_exist(self, theirs, alice, now):
        budget = budget_of(alice, now=now)
        for address in (f"/budgets/{budget.pk}/", f"/budgets/{budget.pk}/remove/"):
            assert theirs.post(address, {"sure": "yes", "name": "mine"}).status_code == 404
        assert Budget.objects.get().name == "Camera"


class TestApprovals:
    def test_nothing_waits_until_a_rule_proposes(self, page):
        assert "Nothing waits for your decision" in shown(page, "/approvals/")

    def test_a_proposal_shows_its_money_and_the_budget_before_and_after(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now, listing_shipping="buyer_pays")
        for address in ("/approvals/", f"/m/{order.match.public_id}/", f"/orders/{order.public_id}/"):
            words = shown(page, address)
            for said in ("¥1,700", "¥1,000 + shipping ¥700", "¥50,000 → ¥48,300", "Approve", "Decline"):
                assert said in words, address

    def test_the_menu_counts_what_waits(self, page, watch, now):
        proposal(watch, now)
        assert re.search(r'href="/approvals/".*?nav__n num">1<', page.get("/matches/").content.decode())

    def test_looking_at_any_page_decides_nothing(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        for act in ("approve", "decline", "extend", "bought", "not-bought"):
            assert page.get(f"/orders/{order.public_id}/{act}/").status_code == 405
        page.get(f"/m/{order.match.public_id}/")
        page.get(f"/orders/{order.public_id}/")
        order.refresh_from_db()
        assert (order.state, OrderStep.objects.count()) == (State.AWAITING_APPROVAL, 1)

    def test_the_first_press_asks_and_the_second_one_approves(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        assert "Approve ¥1,000" in pressed(page, order, "approve", seen=order.shown)
        assert order.state == State.AWAITING_APPROVAL
        assert "¥1,000 is held for it" in approve(page, order)
        assert order.state == State.READY
        assert Scope.objects.get(period="month").held == 1000

    def test_a_double_press_holds_the_money_once(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        approve(page, order)
        assert "You have approved this already" in approve(page, order)
        assert Scope.objects.get(period="month").held == 1000

    def test_without_a_budget_nothing_can_be_approved(self, page, watch, now):
        order = proposal(watch, now)
        assert "nothing can be approved" in shown(page, "/approvals/")
        assert "/approve/" not in page.get("/approvals/").content.decode()
        assert "Make a budget first" in approve(page, order)
        assert order.state == State.AWAITING_APPROVAL

    def test_a_budget_that_is_short_says_by_how_much(self, page, alice, watch, now):
        wide(alice, now, per_day=700)
        order = proposal(watch, now)
        words = shown(page, "/approvals/")
        assert "¥700 free, ¥300 short" in words
        assert "It cannot be approved while a budget is short" in words
        assert "“All my spending” is ¥300 short" in approve(page, order)
        assert order.state == State.AWAITING_APPROVAL
        assert not LedgerEntry.objects.exists()

    @pytest.mark.parametrize(
        ("limits", "said"),
        [({"per_item": 600}, "allows ¥400 less for one thing"), ({"units": 1}, "allows no further thing")],
    )
    def test_other_limits_say_what_they_refuse(self, page, alice, watch, now, limits, said):
        if "units" in limits:
            wide(alice, now)
            handed(watch, now, number=2)
        wide(alice, now, **limits)
        assert said in approve(page, proposal(watch, now))

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"price": 1200}, "it is ¥1,200 now, it was ¥1,000"),
            ({"price": None}, "Its price is not known any more"),
            ({"status": "sold"}, "Sold"),
        ],
    )
    def test_what_has_changed_since_is_not_approved(self, page, alice, watch, now, changes, said):
        wide(alice, now)
        order = proposal(watch, now)
        for name, value in changes.items():
            setattr(order.listing, name, value)
        order.listing.save()
        assert "/approve/" not in page.get("/approvals/").content.decode()
        assert said in approve(page, order)
        assert order.state == State.AWAITING_APPROVAL

    @pytest.mark.parametrize("seen", ["", "0" * 64, "\x00"])
    def test_only_what_was_shown_can_be_approved(self, page, alice, watch, now, seen):
        wide(alice, now)
        order = proposal(watch, now)
        assert "Please look again" in approve(page, order, seen=seen)
        assert order.state == State.AWAITING_APPROVAL

    def test_an_answer_that_comes_too_late_orders_nothing(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        Order.objects.update(expires_at=now - timedelta(seconds=1))
        assert "The time to answer is over; nothing was ordered" in approve(page, order)
        proposing.expire(now=now)
        assert "The time to answer is over; nothing was ordered" in approve(page, order)

    @pytest.mark.parametrize(("reason", "kept"), [("expensive", "expensive"), ("", ""), ("<b>", "")])
    def test_a_proposal_is_declined_with_or_without_a_reason(self, page, watch, now, reason, kept):
        order = proposal(watch, now)
        assert "Declined:" in pressed(page, order, "decline", reason=reason)
        assert (order.state, order.reason) == (State.DECLINED, kept)
        assert "You have declined this already" in pressed(page, order, "decline")
        assert "declined · you" in shown(page, "/approvals/")

    def test_a_proposal_waits_longer_once(self, page, watch, now):
        order = proposal(watch, now)
        before = order.expires_at
        assert "It waits longer" in pressed(page, order, "extend")
        assert order.expires_at >= before + timedelta(minutes=29)
        later = order.expires_at
        assert "It cannot wait any longer" in pressed(page, order, "extend")
        assert order.expires_at == later

    @pytest.mark.parametrize("act", ["approve", "decline", "extend", "bought", "not-bought"])
    def test_a_strangers_order_does_not_exist(self, theirs, alice, watch, now, act):
        wide(alice, now)
        order = proposal(watch, now)
        data = {"seen": order.shown, "sure": "yes"} | PAID
        assert theirs.post(f"/orders/{order.public_id}/{act}/", data).status_code == 404
        order.refresh_from_db()
        assert (order.state, order.reason) == (State.AWAITING_APPROVAL, "")


class TestOrders:
    def test_before_an_approval_it_is_proposed_and_nothing_is_held(self, page, watch, now):
        proposal(watch, now)
        assert "Proposed 1 ¥1,000" in shown(page, "/orders/")
        assert not Scope.objects.exists()

    def test_an_order_leads_to_the_marketplace_and_asks_what_was_paid(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        assert "To order 1" in shown(page, "/orders/")
        answer = page.get(f"/orders/{order.public_id}/").content.decode()
        assert "Order at Mercari" in answer
        assert order.listing.external_id in answer
        assert "yours to order · this site" in shown(page, f"/orders/{order.public_id}/")

    def test_what_was_bought_is_spent_at_the_price_that_was_paid(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        assert "you bought it for ¥900" in pressed(page, order, "bought", **PAID)
        assert (order.state, order.paid, order.reference) == (State.PLACED, 900, "m-1")
        scope = Scope.objects.get(period="month")
        assert (scope.held, scope.spent) == (0, 900)
        assert "Ordered 1 ¥900" in shown(page, "/orders/")

    def test_a_second_press_spends_nothing_more(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        pressed(page, order, "bought", **PAID)
        assert "the order stands at “bought”" in pressed(page, order, "bought", **PAID | {"paid": "500"})
        assert Scope.objects.get(period="month").spent == 900

    @pytest.mark.parametrize("paid", ["", "0", "-1", "much", "9" * 40])
    def test_a_missing_price_is_never_nought(self, page, alice, watch, now, paid):
        wide(alice, now)
        order = handed(watch, now)
        assert page.post(f"/orders/{order.public_id}/bought/", {"paid": paid}).status_code == 422
        order.refresh_from_db()
        assert order.state == State.HANDED_OVER

    def test_a_sold_listing_asks_whether_it_was_you(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        order.listing.status = "sold"
        order.listing.save()
        handing.ask_whose(listing_ids=[order.listing_id], now=now)
        assert "Problems 1" in shown(page, "/orders/")
        assert "It was not me" in shown(page, f"/orders/{order.public_id}/")
        assert "free again" in pressed(page, order, "not-bought", sure="yes")
        assert order.state == State.SOLD_TO_OTHER
        assert Scope.objects.get(period="month").held == 0

    def test_letting_go_asks_first_and_frees_the_money(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now)
        assert "Let it go?" in pressed(page, order, "not-bought")
        assert order.state == State.HANDED_OVER
        pressed(page, order, "not-bought", sure="yes")
        assert order.state == State.CANCELLED
        assert "Nothing was changed" in pressed(page, order, "not-bought", sure="yes")
        assert "Ended 1" in shown(page, "/orders/")

    def test_an_order_waits_while_spending_is_paused(self, page, alice, watch, now):
        wide(alice, now)
        order = proposal(watch, now)
        switching.stop(user=alice, reason="", now=now)
        approve(page, order)
        handing.advance(order_ids=[order.pk], now=now)
        assert "once spending is not paused any more" in shown(page, f"/orders/{order.public_id}/")

    @pytest.mark.parametrize("name", ["nothing", "%00"])
    def test_an_order_that_is_not_there_is_not_found(self, page, name):
        assert page.get(f"/orders/{name}/").status_code == 404

    def test_a_title_of_a_marketplace_is_text(self, page, alice, watch, now):
        wide(alice, now)
        order = handed(watch, now, listing_title="<script>x</script>")
        for address in ("/orders/", f"/orders/{order.public_id}/", "/budgets/"):
            assert "<script>x" not in page.get(address).content.decode()
