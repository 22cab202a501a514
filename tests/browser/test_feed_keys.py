"""The feed by keys alone, where the reader was, and what the address keeps."""

import pytest
import redis as redis_library
from django.utils import timezone
from playwright.sync_api import expect

from monitor_site.accounts.models import User
from monitor_site.watches import tagging
from monitor_site.watches.models import MatchState, Watch
from tests.browser.conftest import Open
from tests.browser.test_pages import new_match, taken_over, tell
from tests.web.rows import watch_of

pytestmark = pytest.mark.browser


@pytest.fixture
def watch(alice: User) -> Watch:
    return watch_of(alice, now=timezone.now())


def test_the_keyboard_goes_on_where_a_card_was_put_aside_and_each_undo_is_its_own(
    open_page: Open, watch: Watch
) -> None:
    for number in range(4):
        new_match(watch, number)
    page = open_page("/matches/")
    taken_over(page)
    rows = page.locator("#feed > [tabindex]")
    for key in ("j", "x"):
        page.keyboard.press(key)
    expect(page.locator(".undo")).to_have_count(1)
    taken_over(page)
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator(".undo")).to_have_count(2)
    taken_over(page)
    page.keyboard.press("z")
    expect(page.locator(".undo")).to_have_count(1)
    taken_over(page)
    expect(rows.nth(0)).to_have_class("undo")
    page.keyboard.press("k")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("z")
    expect(page.locator(".undo")).to_have_count(0)
    assert not watch.matches.filter(state=MatchState.IGNORED).exists()


@pytest.mark.parametrize(("key", "address"), [("Enter", "**/listings/*/"), ("s", "**/listings/*/#note")])
def test_a_key_leads_from_a_card_to_its_listing(open_page: Open, watch: Watch, key: str, address: str) -> None:
    new_match(watch, 1)
    page = open_page("/matches/")
    page.keyboard.press(key)  # nothing has the focus yet: nothing happens
    page.keyboard.press("j")
    expect(page.locator("#feed article")).to_be_focused()
    page.keyboard.press(key)
    page.wait_for_url(address)


def test_a_key_mutes_the_watch_of_a_card_and_opens_the_listing_at_its_marketplace(
    open_page: Open, watch: Watch
) -> None:
    new_match(watch, 1)
    page = open_page("/matches/")
    page.context.route("https://jp.mercari.com/**", lambda route: route.fulfill(body="there"))
    taken_over(page)
    page.keyboard.press("j")
    expect(page.locator("#feed article")).to_be_focused()
    with page.expect_popup() as popup:
        page.keyboard.press("o")
    assert popup.value.url.startswith("https://jp.mercari.com/item/")
    page.keyboard.press("m")
    expect(page.locator("#toasts .toast")).to_be_visible()
    watch.refresh_from_db()
    assert watch.muted_until is not None


def test_a_line_says_where_the_reader_was_and_keys_step_over_it(
    open_page: Open, watch: Watch, redis: redis_library.Redis
) -> None:
    new_match(watch, 1)
    page = open_page("/matches/")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    for number in (2, 3):
        new_match(watch, number)
        tell(redis, watch)
        expect(page.locator("#pill")).to_be_visible()
        page.keyboard.press(".")
        expect(page.locator("#feed article")).to_have_count(number)
        expect(page.locator("#feed > *").nth(1)).to_have_text("you were here")
        expect(page.locator(".here")).to_have_count(1)
    page.keyboard.press("j")
    expect(page.locator("#feed article").nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#feed article").nth(0)).to_be_focused()


@pytest.mark.parametrize("script", [True, False])
def test_what_is_chosen_stands_in_the_address_and_survives_reload_and_the_way_back(
    open_page: Open, watch: Watch, script: bool
) -> None:
    tagging.set_tags(watch=watch, names=["glass"])
    other = watch_of(watch.user, now=timezone.now(), name="other")
    new_match(watch, 1, listing_title="ルミナ first")
    new_match(watch, 2, listing_title="ルミナ second")
    new_match(other, 3, listing_title="ルミナ second too")
    page = open_page("/matches/", script=script)
    page.get_by_role("group", name="Show").get_by_role("link", name="New").click()
    for chip, choice in (("Watch", "Lumina"), ("Tag", "glass")):
        page.locator("summary.chip", has_text=chip).click()
        page.get_by_role("link", name=choice, exact=True).first.click()
    page.fill("#q", "second")
    page.press("#q", "Enter")
    page.wait_for_url(f"**/matches/?show=new&watch={watch.pk}&tag={watch.tags.get().pk}&q=second")
    titles = page.locator("#feed .match__title")
    expect(titles).to_have_text(["ルミナ second"])
    page.reload()
    expect(titles).to_have_text(["ルミナ second"])
    page.go_back()
    expect(titles).to_have_text(["ルミナ second", "ルミナ first"])
