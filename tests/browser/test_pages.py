"""What only a browser can tell: width, policy, scripts, the live stream."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis as redis_library
from playwright.sync_api import Page, expect

from monitor_site.accounts.models import User
from monitor_site.outbox import stream
from monitor_site.watches.models import MatchState, Watch
from tests.browser.conftest import Open
from tests.purchasing.rows import budget_of, order_of
from tests.web.rows import listing, match, watch_of

pytestmark = pytest.mark.browser

WIDTHS = (320, 360, 390, 768, 900, 1280, 1440)
ADDRESSES = (
    "/matches/",
    "/watches/",
    "/watches/new/",
    "/more/",
    "/blocks/",
    "/tags/",
    "/settings/feeds/",
    "/m/the-long-one/",
    "/approvals/",
    "/orders/",
    "/orders/handed/",
    "/budgets/",
    "/budgets/new/",
    "/accounts/password/change/",
    "/accounts/logout/",
)
LONG = "ルミナ T2 チタン 35mm F2.8 コンパクトフィルムカメラ 動作確認済 ケース・説明書付 " * 3


@pytest.fixture
def watch(alice: User) -> Watch:
    return watch_of(
        alice, now=datetime.now(UTC), name="A watch with a rather long name for a narrow phone", price_max=60_000
    )


def new_match(watch: Watch, number: int, **fields: object) -> None:
    match(watch, number, now=datetime.now(UTC), **fields)


def order_rows(watch: Watch) -> None:
    """A proposal, an order and a budget with everything long."""
    now = datetime.now(UTC)
    budget_of(watch.user, now=now, name="W" * 80, per_month=9_999_999, per_item=9_999_999, watches=[watch])
    for number, state in ((11, "awaiting_approval"), (12, "handed_over")):
        thing = listing(number, now=now, title="W" * 200, price=1_234_567)
        soon = {"state": state, "public_id": state[:6], "expires_at": now + timedelta(hours=1)}
        order = order_of(watch.user, now=now, listing=thing, price=1_234_567, watch=watch, **soon)
        order.history.create(number=1, verb="approve", before=state, after="ready", actor="person", at=now)


def tell(redis: redis_library.Redis, watch: Watch) -> None:
    stream.append(redis, user_id=watch.user_id, event="match", data={"match": 1, "watch": watch.pk})


@pytest.mark.parametrize("language", ["zh-CN", "ja", "en"])
def test_no_page_scrolls_sideways_at_any_width(open_page: Open, watch: Watch, language: str) -> None:
    new_match(watch, 1, listing_title=LONG, listing_kind="auction", listing_bids=12, listing_price=1_234_567)
    long = {"public_id": "the-long-one", "listing_description": "W" * 400, "price": 9_999_999}
    new_match(watch, 3, listing_title="W" * 200, listing_seller_id="s", listing_seller_name="W" * 100, **long)
    new_match(watch, 2, listing_title="W" * 200, listing_seller_name="とても長い名前の出品者" * 4, listing_kind="shop")
    order_rows(watch)
    page = open_page("/matches/", language=language)
    wide = []
    for address in ADDRESSES:
        page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/", 3)[2] + address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wide += [(address, width, over)] if over > 0 else []
    assert wide == []


@pytest.mark.parametrize(("width", "height", "theme"), [(1440, 1000, "light"), (390, 844, "dark")])
def test_pages_can_be_looked_at(
    open_page: Open, watch: Watch, shots: Path, width: int, height: int, theme: str
) -> None:
    for number in range(4):
        new_match(watch, number)
    for name in ("matches", "watches"):
        page = open_page(f"/{name}/", width=width, height=height, theme=theme, language="zh-CN")
        expect(page.locator("h1")).to_be_visible()
        page.screenshot(path=shots / f"{name}-{width}-{theme}.png")


def test_a_new_match_is_offered_and_comes_when_asked_for(
    open_page: Open, watch: Watch, redis: redis_library.Redis
) -> None:
    new_match(watch, 1)
    page = open_page("/matches/")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    new_match(watch, 2, listing_title="ルミナ second")
    tell(redis, watch)
    expect(page.locator("#pill")).to_have_text("1 new match")
    expect(page).to_have_title("(1) Matches · Finder")
    expect(page.locator("#said")).to_have_text("1 new match")
    expect(page.locator("#n-new")).to_have_text("2")
    expect(page.locator("#feed article")).to_have_count(1)
    page.locator("#pill").click()
    expect(page.locator("#feed article")).to_have_count(2)
    expect(page.locator("#feed article").first).to_contain_text("ルミナ second")
    expect(page.locator("#feed article").first).to_be_focused()
    expect(page.locator("#pill")).to_be_hidden()


def test_the_pill_counts_with_the_filters_of_the_page(
    open_page: Open, watch: Watch, redis: redis_library.Redis
) -> None:
    page = open_page("/matches/?q=second")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    for number, title in enumerate(("ルミナ first", "ルミナ second", "ルミナ third")):
        new_match(watch, number, listing_title=title)
    tell(redis, watch)
    expect(page.locator("#pill")).to_have_text("1 new match")


def test_what_stands_on_an_older_page_is_not_new(open_page: Open, watch: Watch, redis: redis_library.Redis) -> None:
    for number in range(45):
        new_match(watch, number)
    page = open_page("/matches/")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    new_match(watch, 99)
    tell(redis, watch)
    expect(page.locator("#pill")).to_have_text("1 new match")
    page.locator("#pill").click()
    expect(page.locator("#feed article")).to_have_count(31)


def test_a_card_is_ignored_in_place_and_taken_back(open_page: Open, watch: Watch) -> None:
    new_match(watch, 1)
    page = open_page("/matches/")
    page.get_by_role("button", name="Ignore").click()
    expect(page.locator(".undo")).to_contain_text("Ignored “ルミナ カメラ 1”")
    taken_over(page)
    assert watch.matches.get().state == MatchState.IGNORED
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#feed article")).to_have_count(1)
    assert watch.matches.get().state == MatchState.SEEN


def test_live_updates_can_be_paused(open_page: Open, watch: Watch, redis: redis_library.Redis) -> None:
    page = open_page("/matches/")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    page.get_by_role("button", name="Pause live updates").click()
    expect(page.locator("#chip")).to_have_text("Paused")
    new_match(watch, 1)
    tell(redis, watch)
    expect(page.locator("#n-new")).to_have_text("1")
    expect(page.locator("#pill")).to_be_hidden()
    page.get_by_role("button", name="Pause live updates").click()
    expect(page.locator("#pill")).to_have_text("1 new match")


def test_the_keyboard_walks_the_cards_and_acts(open_page: Open, watch: Watch) -> None:
    for number in range(3):
        new_match(watch, number)
    page = open_page("/matches/")
    cards = page.locator("#feed article")
    taken_over(page)
    page.keyboard.press("j")
    expect(cards.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator(".undo")).to_be_visible()
    taken_over(page)
    page.keyboard.press("z")
    expect(page.locator(".undo")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("gw")
    assert page.url.endswith("/matches/")
    blur(page)
    in_one_moment(page)
    page.keyboard.press("g")
    page.keyboard.press("w")
    page.wait_for_url("**/watches/")


def taken_over(page: Page) -> None:
    """A form that was just put in is a plain one for a moment: a press would leave the page."""
    page.wait_for_function("() => [...document.querySelectorAll('#feed form[hx-post]')].every((form) => form._htmx)")


def in_one_moment(page: Page) -> None:
    """The page's clock stands from now on: keys that belong together only when they come together do so."""
    page.clock.set_fixed_time(datetime.now(UTC))


def blur(page: Page) -> None:
    page.evaluate("document.activeElement.blur()")


def test_language_and_theme_are_chosen_in_the_rail(open_page: Open, watch: Watch) -> None:
    page = open_page("/matches/")
    page.locator("summary", has_text="Language: English").click()
    page.get_by_role("button", name="日本語").click()
    expect(page.locator("h1")).to_have_text("マッチ")
    page.locator("summary", has_text="外観").click()
    page.get_by_role("button", name="ダーク").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_stream_that_fails_at_first_is_opened_again(open_page: Open, watch: Watch) -> None:
    page = open_page("/more/")
    page.route("**/events/**", lambda route: route.fulfill(status=204), times=1)
    page.goto(page.url.replace("/more/", "/matches/"))
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
