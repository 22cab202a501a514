"""The main way through the product, for who has no script and for who has no mouse."""

import re
from datetime import UTC, datetime
from io import BytesIO

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Locator, Page, expect

from monitor_site.accounts.models import User
from monitor_site.purchasing import budgeting, proposing, rules
from monitor_site.purchasing.models import Order, Switch
from tests.browser.conftest import Open, patient_context
from tests.browser.test_money_buttons import at_rest
from tests.web.rows import match, watch_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "alices-password"
APPROVE = re.compile("^Approve ルミナ")
FOCUSED = """(one) => one === document.activeElement &&
  (getComputedStyle(one).outlineStyle !== 'none' || getComputedStyle(one.parentElement).outlineStyle !== 'none')"""


@pytest.fixture
def order(alice: User, redis: object) -> Order:
    """A proposal that waits for alice, whose budget covers it; her password as the product keeps it."""
    now = datetime.now(UTC)
    alice.password = make_password(PASSWORD, hasher=PBKDF2PasswordHasher())
    alice.save()
    watch = watch_of(alice, now=now, name="Lumina")
    wish = rules.BuyWish(price_max=5000, shipping_estimate=None, approval_minutes=30)
    rules.set_rule(watch=watch, wish=wish, now=now)
    budgeting.set_overall_budget(user=alice, limits=budgeting.Limits(per_day=5000), now=now)
    found = match(watch, 1, now=now, listing_price=1000)
    match(watch, 2, now=now, listing_kind="auction", listing_price=9000)
    [proposed] = proposing.propose(match_ids=[found.pk], now=now)
    return proposed


def door(chromium: Browser, site: str, *, script: bool) -> Page:
    """The page that asks who comes in."""
    context = patient_context(chromium, locale="en", java_script_enabled=script, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{site}/accounts/login/")
    return page


def test_without_script_one_signs_in_filters_approves_saves_a_watch_and_stops_spending(
    chromium: Browser, site: str, alice: User, order: Order
) -> None:
    page = door(chromium, site, script=False)
    page.get_by_label("User name or e-mail").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#feed article")).to_have_count(2)
    page.get_by_role("group", name="Show").get_by_role("link", name="Auctions").click()
    expect(page.locator("#feed article")).to_have_count(1)
    approve_without_script(page, order)
    save_a_watch(page, alice)
    page.goto(f"{site}/budgets/")
    page.get_by_role("button", name="Pause all spending").click()
    expect(page.locator("main")).to_contain_text("You have paused all your spending.")
    assert Switch.objects.filter(user=alice).exists()
    page.context.close()


def approve_without_script(page: Page, order: Order) -> None:
    page.get_by_role("link", name="Approvals").first.click()
    page.get_by_role("button", name=APPROVE).click()
    page.locator("main").get_by_role("button", name="Approve").click()
    page.wait_for_url(f"**/orders/{order.public_id}/")
    order.refresh_from_db()
    assert order.state == "ready"


def save_a_watch(page: Page, user: User) -> None:
    page.get_by_role("link", name="Watches").first.click()
    page.get_by_role("link", name="New watch").first.click()
    page.locator("#id_name").fill("Lenses")
    page.locator("#id_must").fill("レンズ")
    page.get_by_role("button", name="Save").first.click()
    page.wait_for_url("**/watches/*/")
    assert user.watches.filter(name="Lenses").exists()


def test_with_the_keyboard_alone_one_comes_from_the_door_to_an_approved_order(
    chromium: Browser, site: str, order: Order
) -> None:
    page = door(chromium, site, script=True)
    page.keyboard.type("alice")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/matches/")
    press(page, page.get_by_role("navigation").get_by_role("link", name="Approvals").first)
    page.wait_for_url("**/approvals/")
    at_rest(page)
    press(page, page.get_by_role("button", name=APPROVE))
    armed = page.get_by_role("button", name="Press again: ¥1,000")
    expect(armed).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/orders/{order.public_id}/")
    order.refresh_from_db()
    assert order.state == "ready"
    page.context.close()


def press(page: Page, aim: Locator) -> None:
    """Walk to it as a keyboard does, see that it shows the focus, and press it."""
    expect(aim).to_be_visible()
    for _ in range(60):
        if aim.evaluate(FOCUSED):
            return page.keyboard.press("Enter")
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard never came to {aim}")


KEY_PAGES = ("/matches/", "/watches/", "/approvals/", "/orders/", "/budgets/", "/accounts/password/change/")
MOST_CHANGED = 0.001
BOXES = """() => [...document.querySelectorAll('main :is(h1, h2, section, form, input, .btn)')].map((one) => {
  const box = one.getBoundingClientRect(); return [one.tagName, box.x, box.y, box.width, box.height].join() })"""


@pytest.mark.parametrize("width", [390, 1440])
def test_key_pages_look_the_same_at_every_load_and_stand_the_same_in_both_themes(
    open_page: Open, order: Order, width: int
) -> None:
    page, moved = open_page("/matches/", width=width), []
    site = page.url.removesuffix("/matches/")
    for address in KEY_PAGES:
        stood = {}
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            first, second = (look(page, site + address) for _ in range(2))
            moved += [(address, theme)] if changed(first, second) > MOST_CHANGED else []
            stood[theme] = page.evaluate(BOXES)
        moved += [(address, "themes")] if stood["light"] != stood["dark"] else []
    assert moved == []


def look(page: Page, address: str) -> bytes:
    """A picture of the page, without what tells the time."""
    page.goto(address)
    page.evaluate("document.fonts.ready")
    return page.screenshot(mask=[page.locator("time, .live, #chip")], animations="disabled", caret="hide")


def changed(first: bytes, second: bytes) -> float:
    """The part of the points that differ."""
    one, two = (Image.open(BytesIO(picture)).convert("RGB") for picture in (first, second))
    differ = ImageChops.difference(one, two).convert("L").point(lambda value: 255 if value else 0)
    return differ.histogram()[255] / (differ.width * differ.height)
