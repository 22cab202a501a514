"""The pages of approvals: a lower maximum, reasons that teach, who decided, what holds the money, and the style."""

import re
from datetime import timedelta

import pytest

from monitor_site.accounts.models import AuditEntry
from monitor_site.purchasing import proposing, styles
from monitor_site.purchasing.models import ApprovalStyle, BuyRule, Order
from monitor_site.purchasing.transitions import State
from monitor_site.watches.models import Block, Listing
from tests.web.test_buying import approve, handed, pressed, proposal, shown, wide
from tests.web.test_proving import grow_old

pytestmark = pytest.mark.usefixtures("redis")
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Safari/604.1"


@pytest.fixture
def now(standing):
    return standing


@pytest.fixture
def page(page, alice, now):
    wide(alice, now)
    return page


def later(**fields):
    Order.objects.update(**fields)


class TestLower:
    def test_a_lower_maximum_is_asked_for_once_more_and_then_held(self, page, watch, now):
        order = proposal(watch, now)
        asked = order.shown
        assert "Allowed is ¥800 and no more" in pressed(page, order, "approve", seen=asked, at_most="８００")
        assert order.state == State.AWAITING_APPROVAL
        assert "¥800 is held for it" in approve(page, order, at_most="800")
        assert (order.state, order.price_max) == (State.READY, 800)

    @pytest.mark.parametrize("at_most", ["", "0", "-1", "1001", "much", "\x00"])
    def test_a_maximum_that_is_none_approves_nothing_and_never_the_whole_price(self, page, watch, now, at_most):
        order = proposal(watch, now)
        assert "Nothing is approved." in approve(page, order, at_most=at_most)
        assert order.state == State.AWAITING_APPROVAL

    def test_a_short_budget_still_lets_less_be_allowed(self, page, alice, watch, now):
        wide(alice, now, per_month=900)
        order = proposal(watch, now)
        assert "Approve at a lower maximum" in shown(page, "/approvals/")
        assert "¥900 is held for it" in approve(page, order, at_most="900")


class TestAnswers:
    def test_the_same_form_sent_again_gets_the_first_answer_and_another_one_is_told_who_was_first(
        self, page, watch, now
    ):
        order = proposal(watch, now)
        seen = order.shown
        page.defaults["HTTP_USER_AGENT"] = IPHONE
        for _ in range(2):
            assert "¥1,000 is held for it" in approve(page, order, seen=seen, key="k1")
        told = approve(page, order, seen=seen, key="k2")
        assert "You have approved this already. (alice, Safari · iPhone, " in told

    def test_the_history_names_decider_device_time_taken_and_outcome(self, page, watch, now):
        order = proposal(watch, now)
        page.defaults["HTTP_USER_AGENT"] = IPHONE
        approve(page, order)
        later(state=State.PLACED)
        words = shown(page, "/approvals/")
        for said in ("approved · you", "Safari · iPhone", "after", "now: bought"):
            assert said in words

    def test_somebody_else_who_decided_is_named(self, page, watch, now):
        order = proposal(watch, now)
        hand = proposing.Hand(name="carol", agent=IPHONE)
        proposing.decline(order=order, reason="", actor="person", now=now, hand=hand)
        for address in ("/approvals/", f"/m/{order.match.public_id}/"):
            words = shown(page, address)
            assert "declined · carol" in words
            assert "Safari · iPhone" in words

    def test_the_page_of_a_decision_says_who_decided_and_offers_no_button(self, page, watch, now):
        order = proposal(watch, now)
        page.defaults["HTTP_USER_AGENT"] = IPHONE
        approve(page, order)
        html = page.get(f"/m/{order.match.public_id}/").content.decode()
        assert "Safari · iPhone" in html
        assert "/approve/" not in html

    def test_a_bare_fetch_of_a_card_changes_nothing_and_says_nothing_while_nothing_has_changed(self, page, watch, now):
        order = proposal(watch, now)
        card = f"/approvals/?card={order.public_id}"
        tag = re.search(r"&amp;as=(\w+)", page.get(card).content.decode())[1]
        assert page.get(f"{card}&as={tag}").status_code == 204
        assert "HX-Refresh" not in page.get(f"{card}&as={tag}&page=1")
        Listing.objects.update(price=1200)
        html = page.get(f"{card}&as={tag}").content.decode()
        assert "it is ¥1,200 now, it was ¥1,000" in html
        assert "data-arm" not in html
        assert page.get(f"{card}&as={tag}&page=1")["HX-Refresh"] == "true"

    def test_what_runs_out_while_somebody_looks_stays_grey_and_can_be_proposed_again(self, page, watch, now):
        order = proposal(watch, now)
        later(expires_at=now)
        html = page.get(f"/approvals/?card={order.public_id}&as=x").content.decode()
        assert "badge gone" in html
        assert "Propose again" in html
        assert "Propose again" in shown(page, "/approvals/")
        pressed(page, order, "again")
        assert order.state == State.EXPIRED
        assert Order.objects.get(supersedes=order).state == State.AWAITING_APPROVAL
        pressed(page, order, "again")
        assert Order.objects.count() == 2

    def test_the_last_minute_is_announced_once(self, page, watch, now):
        order = proposal(watch, now)
        later(expires_at=now + timedelta(seconds=50))
        card = f"/approvals/?card={order.public_id}&as="
        html = page.get(card).content.decode()
        assert "Less than a minute is left" in html
        tag = re.search(r"&amp;as=(\w+)", html)[1]
        assert page.get(card + tag).status_code == 204

    @pytest.mark.parametrize("name", ["nothing", "%00", ""])
    def test_a_card_that_is_not_there_is_not_found(self, page, name):
        assert page.get(f"/approvals/?card={name}").status_code == 404

    def test_a_strangers_card_does_not_exist(self, client, bob, alice, watch, now):
        order = proposal(watch, now)
        client.force_login(bob)
        assert client.get(f"/approvals/?card={order.public_id}").status_code == 404

    def test_it_says_which_version_of_the_watch_proposed_it_and_who_may_approve(self, page, watch, now):
        proposal(watch, now)
        assert "only you can approve it" in shown(page, "/approvals/")

    def test_a_budget_that_is_short_names_what_holds_it(self, page, alice, watch, now):
        wide(alice, now, per_day=1500)
        other = handed(watch, now, number=2)
        proposal(watch, now)
        words = shown(page, "/approvals/")
        assert "¥500 free, ¥500 short" in words
        assert f"¥1,000 held · {other.listing.title}" in words
        assert "Raise the limit" in words


class TestLessons:
    def test_a_reason_teaches_the_rule_and_is_taken_back_by_a_press(self, page, watch, now):
        order = proposal(watch, now)
        told = pressed(page, order, "decline", reason="expensive", limit="900", words="ignored")
        assert "Added to the rules: nothing above ¥900 is proposed any more" in told
        assert BuyRule.objects.get().price_max == 900
        assert "Take the rule back" in shown(page, "/approvals/")
        assert "The rule is taken back" in pressed(page, order, "unlearn")
        assert BuyRule.objects.get().price_max == 5000
        assert "Take the rule back" not in shown(page, "/approvals/")
        assert "nothing to take back" in pressed(page, order, "unlearn")

    def test_what_was_filled_in_names_the_reason(self, page, watch, now):
        order = proposal(watch, now, listing_seller_id="s1")
        pressed(page, order, "decline", block="on")
        assert (order.reason, Block.objects.get().value) == ("seller", "s1")
        assert "Take the rule back" in shown(page, "/approvals/")

    def test_words_are_excluded(self, page, watch, now):
        order = proposal(watch, now)
        assert "excluded from now on: 部品, ジャンク" in pressed(page, order, "decline", words="部品、ジャンク")
        watch.refresh_from_db()
        assert watch.none_of == ["部品", "ジャンク"]

    @pytest.mark.parametrize("data", [{"limit": "much"}, {"limit": "9000"}, {"words": "ルミナ"}, {"words": "x" * 501}])
    def test_what_makes_no_sense_declines_nothing_and_says_why(self, page, watch, now, data):
        order = proposal(watch, now)
        assert "Nothing is declined." in pressed(page, order, "decline", **data)
        assert order.state == State.AWAITING_APPROVAL

    def test_a_no_can_be_undone_as_a_new_proposal(self, page, watch, now):
        order = proposal(watch, now)
        answer = page.post(f"/orders/{order.public_id}/decline/", follow=True).content.decode()
        assert f'action="/orders/{order.public_id}/again/"' in answer
        pressed(page, order, "again")
        assert Order.objects.get(supersedes=order).state == State.AWAITING_APPROVAL

    @pytest.mark.parametrize("act", ["decline", "unlearn"])
    def test_a_stranger_teaches_and_untaught_nothing(self, client, alice, bob, watch, now, act):
        wide(alice, now)
        order = proposal(watch, now)
        client.force_login(bob)
        assert client.post(f"/orders/{order.public_id}/{act}/", {"limit": "900"}).status_code == 404
        assert BuyRule.objects.get().price_max == 5000


class TestStyle:
    def save(self, page, **data):
        return page.post("/approvals/style/", data)

    def test_looking_at_it_writes_nothing(self, page):
        assert "One press is enough" in shown(page, "/approvals/style/")
        assert not ApprovalStyle.objects.exists()

    def test_it_is_saved_written_down_and_seen_in_the_buttons(self, page, watch, now):
        proposal(watch, now)
        assert "data-once" not in page.get("/approvals/").content.decode()
        assert self.save(page, one_press="on", proof_above="3,000").status_code == 302
        style = ApprovalStyle.objects.get()
        assert (style.one_press, style.proof_above) == (True, 3000)
        assert AuditEntry.objects.get(thing="approval").after == {"one_press": True, "proof_above": 3000}
        assert "data-once" in page.get("/approvals/").content.decode()

    def test_with_one_press_the_form_approves_at_the_first_one(self, page, alice, watch, now):
        order = proposal(watch, now)
        styles.set_style(user=alice, one_press=True, proof_above=None, now=now)
        html = page.get("/approvals/").content.decode()
        form = re.search(rf'<form id="a-{order.public_id}".*?</form>', html, re.DOTALL)[0]
        data = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
        page.post(f"/orders/{order.public_id}/approve/", data)
        order.refresh_from_db()
        assert order.state == State.READY

    @pytest.mark.parametrize("amount", ["much", "-1"])
    def test_a_threshold_that_is_none_is_not_saved(self, page, amount):
        assert self.save(page, proof_above=amount).status_code == 422
        assert not ApprovalStyle.objects.exists()

    def test_a_screen_left_alone_cannot_loosen_it(self, page):
        grow_old(page)
        assert self.save(page, one_press="on").url.startswith("/accounts/prove/")
        assert not ApprovalStyle.objects.exists()

    def test_above_the_threshold_a_proof_is_asked_for_and_below_it_none(self, page, alice, watch, now):
        order = proposal(watch, now)
        styles.set_style(user=alice, one_press=True, proof_above=900, now=now)
        grow_old(page)
        answer = page.post(f"/orders/{order.public_id}/approve/", {"seen": order.shown, "sure": "yes"})
        assert answer.url.startswith("/accounts/prove/")
        assert order.public_id in answer.url
        order.refresh_from_db()
        assert order.state == State.AWAITING_APPROVAL
        assert "¥900 is held for it" in approve(page, order, at_most="900")
