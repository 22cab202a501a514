"""Buttons that move money, under fingers and keys: two beats, and none while the page has just moved."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from monitor_site.accounts.models import User
from monitor_site.purchasing import budgeting, proposing, rules, styles
from monitor_site.purchasing.models import Order
from monitor_site.watches.models import Watch
from tests.browser.conftest import Open
from tests.web.rows import match, watch_of

pytestmark = pytest.mark.browser


@pytest.fixture
def watch(alice: User) -> Watch:
    now = datetime.now(UTC)
    watch = watch_of(alice, now=now)
    wish = rules.BuyWish(price_max=5000, shipping_estimate=None, approval_minutes=30)
    rules.set_rule(watch=watch, wish=wish, now=now)
    budgeting.set_overall_budget(user=alice, limits=budgeting.Limits(per_day=5000), now=now)
    return watch


def proposal(watch: Watch, number: int = 1) -> Order:
    now = datetime.now(UTC)
    found = match(watch, number, now=now, listing_price=1000, public_id=f"match-{number}")
    [order] = proposing.propose(match_ids=[found.pk], now=now)
    return order


LATER = """() => {
  let ahead = 0;
  const known = Date.now;
  Date.now = () => known() + ahead;
  for (const type of ["pointerdown", "keydown"]) addEventListener(type, () => (ahead += 700), true);
}"""


def at_rest(page: Page) -> None:
    """By the page's clock, every press from now on comes long after whatever has changed there, however slow we are."""
    page.evaluate(LATER)


def state(order: Order) -> str:
    order.refresh_from_db()
    return order.state


ARMED = "Press again: ¥1,000"


def test_money_moves_at_the_second_press_and_not_at_a_double_one(open_page: Open, watch: Watch) -> None:
    order = proposal(watch)
    page = open_page("/approvals/")
    at_rest(page)
    page.get_by_role("button", name="Approve").dblclick()
    expect(page.get_by_role("button", name=ARMED)).to_be_visible()
    assert state(order) == "awaiting_approval"
    page.get_by_role("button", name=ARMED).click()
    page.wait_for_url("**/orders/**")
    assert state(order) == "ready"


def test_esc_leaving_and_another_card_take_the_first_press_back(open_page: Open, watch: Watch) -> None:
    orders = [proposal(watch, number) for number in (1, 2)]
    page = open_page("/approvals/")
    at_rest(page)
    buttons, armed = page.locator(".btn--go[data-arm]"), page.get_by_role("button", name=ARMED)
    buttons.nth(0).click()
    page.keyboard.press("Escape")
    expect(armed).to_have_count(0)
    expect(buttons.nth(0)).to_contain_text("Approve")
    buttons.nth(0).click()
    buttons.nth(1).click()
    expect(armed).to_have_count(1)
    expect(buttons.nth(0)).to_contain_text("Approve")
    page.keyboard.press("Tab")
    expect(armed).to_have_count(0)
    assert [state(order) for order in orders] == ["awaiting_approval"] * 2


def test_a_press_right_after_the_card_has_changed_does_nothing(open_page: Open, watch: Watch) -> None:
    order = proposal(watch)
    page = open_page("/approvals/")
    page.clock.set_fixed_time(datetime.now(UTC))
    page.evaluate(
        """() => {
            document.dispatchEvent(new CustomEvent("htmx:after:swap"));
            document.querySelector(".btn--go[data-arm]").click();
        }"""
    )
    expect(page.get_by_role("button", name=ARMED)).to_have_count(0)
    assert state(order) == "awaiting_approval"


def test_on_the_phone_no_button_is_live_right_after_a_decision(open_page: Open, watch: Watch) -> None:
    orders = [proposal(watch, number) for number in (1, 2)]
    page = open_page("/approvals/", width=390, height=844)
    at_rest(page)
    decline, approve = page.locator("[data-ignore]").first, page.locator(".btn--go[data-arm]").first
    left, right = decline.bounding_box(), approve.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] < right["x"]
    assert right["width"] > 390 / 2
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => setTimeout(() => {
            document.querySelector(".btn--go[data-arm]")?.click();
            document.title = "pressed";
        }));"""
    )
    page.clock.set_fixed_time(datetime.now(UTC))  # that press comes right after, however slow we are
    with page.expect_navigation():
        decline.click()
    page.wait_for_function("document.title === 'pressed'")
    expect(page.get_by_role("button", name=ARMED)).to_have_count(0)
    assert sorted(map(state, orders)) == ["awaiting_approval", "declined"]
    at_rest(page)
    page.locator(".btn--go[data-arm]").first.click()
    page.get_by_role("button", name=ARMED).click()
    page.wait_for_url("**/orders/**")
    assert sorted(map(state, orders)) == ["declined", "ready"]


def test_keys_approve_at_the_second_press_even_where_one_is_enough(open_page: Open, watch: Watch, alice: User) -> None:
    styles.set_style(user=alice, one_press=True, proof_above=None, now=datetime.now(UTC))
    order = proposal(watch)
    page = open_page("/approvals/")
    at_rest(page)
    page.keyboard.press("a")
    expect(page.get_by_role("button", name=ARMED)).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_role("button", name=ARMED)).to_be_visible()
    assert state(order) == "awaiting_approval"
    page.keyboard.press("a")
    page.wait_for_url("**/orders/**")
    assert state(order) == "ready"


def test_one_press_is_enough_for_whom_it_is(open_page: Open, watch: Watch, alice: User) -> None:
    styles.set_style(user=alice, one_press=True, proof_above=None, now=datetime.now(UTC))
    order = proposal(watch)
    page = open_page("/m/match-1/", width=390, height=844)
    at_rest(page)
    page.get_by_role("button", name="Approve").click()
    page.wait_for_url("**/orders/**")
    assert state(order) == "ready"


def test_a_card_that_is_decided_elsewhere_says_so_in_place(open_page: Open, watch: Watch) -> None:
    order = proposal(watch)
    page = open_page("/approvals/")
    hand = proposing.Hand(name="alice", agent="Mozilla/5.0 (iPhone) Safari/604.1")
    proposing.decline(order=order, reason="", actor="person", now=datetime.now(UTC), hand=hand)
    page.evaluate("document.getElementById('live').dispatchEvent(new CustomEvent('listings'))")
    expect(page.locator("article")).to_contain_text("Safari · iPhone")
    expect(page.locator(".btn--go[data-arm]")).to_have_count(0)


def test_the_page_of_a_decision_comes_anew_when_it_is_decided_elsewhere(open_page: Open, watch: Watch) -> None:
    order = proposal(watch)
    page = open_page("/m/match-1/")
    proposing.decline(order=order, reason="", actor="person", now=datetime.now(UTC))
    page.evaluate("document.getElementById('live').dispatchEvent(new CustomEvent('listings'))")
    expect(page.locator("main")).to_contain_text("declined · you")
    expect(page.locator(".btn--go[data-arm]")).to_have_count(0)


def test_without_script_a_lower_maximum_is_approved(open_page: Open, watch: Watch) -> None:
    order = proposal(watch)
    page = open_page("/approvals/", script=False)
    page.get_by_text("Approve at a lower maximum").click()
    page.get_by_label("At most, with shipping").fill("800")
    page.get_by_role("button", name="Approve this much").click()
    page.get_by_role("button", name="Approve ¥800").click()
    assert state(order) == "ready"
    assert order.price_max == 800
