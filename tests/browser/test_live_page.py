"""What an open page does while things go wrong or go on: sessions, lost requests, long absences, the keyboard."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import redis as redis_library
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Page, expect

from monitor_site.accounts.models import User
from monitor_site.outbox import stream
from monitor_site.watches.models import EventKind, Listing, ListingEvent, Match, Watch
from tests.browser.conftest import Open
from tests.web.rows import match, watch_of

pytestmark = pytest.mark.browser

TAKEN_OVER = "() => document.activeElement.closest('form')?._htmx"


@pytest.fixture
def watch(alice: User) -> Watch:
    return watch_of(alice, now=datetime.now(UTC))


def new_match(watch: Watch, number: int, **fields: object) -> None:
    match(watch, number, now=datetime.now(UTC), **fields)


def tell(redis: redis_library.Redis, watch: Watch) -> None:
    stream.append(redis, user_id=watch.user_id, event="match", data={"match": 1, "watch": watch.pk})


def live(page: Page) -> None:
    expect(page.locator("#chip[data-state=on]")).to_be_visible()


def test_a_page_whose_session_has_ended_says_so_and_asks_no_more(
    open_page: Open, watch: Watch, complaints: list[str]
) -> None:
    page = open_page("/matches/?show=new")
    live(page)
    Session.objects.all().delete()
    expect(page.locator("#out")).to_be_visible()
    expect(page.locator("#chip")).to_have_text("Signed out")
    expect(page.locator("#out a")).to_have_attribute("href", "/accounts/login/?next=%2Fmatches%2F%3Fshow%3Dnew")
    expect(page.locator("#toasts .toast")).to_have_count(0)
    complaints.clear()  # the browser complains of every 401


def test_a_count_that_fails_is_asked_again(
    open_page: Open, watch: Watch, redis: redis_library.Redis, complaints: list[str]
) -> None:
    page = open_page("/matches/")
    live(page)
    page.route("**/matches/?*count=1", lambda route: route.abort(), times=1)
    with page.expect_console_message(lambda message: message.type == "error"):
        new_match(watch, 1)
        tell(redis, watch)
    expect(page.locator("#pill")).to_have_text("1 new match")
    expect(page.locator("#toasts .toast")).to_have_count(0)
    complaints.clear()  # the browser complains of the request that was cut


def test_the_card_of_a_listing_that_changed_shows_its_price_and_state_and_keeps_the_focus(
    open_page: Open, watch: Watch, redis: redis_library.Redis
) -> None:
    new_match(watch, 1, listing_price=5_000)
    new_match(watch, 2, listing_price=6_000)
    page = open_page("/matches/")
    live(page)
    card = page.locator("article").last
    card.locator("[data-ignore]").focus()
    found = Match.objects.get(pk=card.get_attribute("data-id"))
    Listing.objects.filter(pk=found.listing_id).update(price=4_321, status="sold")
    ListingEvent.objects.create(listing_id=found.listing_id, kind=EventKind.SOLD, at=timezone.now())
    stream.append(redis, user_id=watch.user_id, event="listing", data={"listing": found.listing_id})
    expect(card.locator(".price")).to_have_text("¥4,321")
    expect(card.locator(".gone")).to_have_text("Sold to someone else")
    expect(card.locator("[data-ignore]")).to_be_focused()
    expect(page.locator("article").first.locator(".price")).to_have_text("¥6,000")


def test_a_card_that_comes_back_to_the_top_is_new_once_and_stands_there_once(
    open_page: Open, watch: Watch, redis: redis_library.Redis
) -> None:
    for number in range(31):
        new_match(watch, number)
    scrolled_off, shown = Match.objects.order_by("pk").values_list("pk", flat=True)[:2]
    page = open_page("/matches/")
    live(page)
    verdict = {"rule": "fall_percent", "verdict": "pass", "saw": "41000", "wanted": "10", "words": ["48000", "began"]}
    told = {"cause": "crossed", "matched_at": timezone.now(), "decision": [verdict]}
    Match.objects.filter(pk__in=[scrolled_off, shown]).update(**told)
    tell(redis, watch)
    expect(page.locator("#pill")).to_have_text("2 new matches")
    page.locator("#pill").click()
    expect(page.locator("#feed article").first).to_contain_text("¥48,000 → ¥41,000, 14.5% below when you began")
    expect(page.locator("#feed article")).to_have_count(31)
    expect(page.locator(f'#feed [data-id^="{shown}."]')).to_have_count(1)
    tell(redis, watch)
    expect(page.locator("#pill")).to_be_hidden()


def test_after_a_long_absence_the_page_is_made_anew(open_page: Open, watch: Watch, redis: redis_library.Redis) -> None:
    page = open_page("/matches/")
    live(page)
    for number in range(125):
        new_match(watch, number)
    tell(redis, watch)
    expect(page.locator("#pill")).to_have_text("120+ new matches")
    page.locator("#pill").click()
    expect(page.locator("#feed article")).to_have_count(30)


def test_what_a_page_lets_go_of_is_still_found_under_older(
    open_page: Open, watch: Watch, redis: redis_library.Redis
) -> None:
    for number in range(30):
        new_match(watch, number)
    page = open_page("/matches/")
    live(page)
    expect(page.locator("#older")).to_be_hidden()
    for number in range(100, 200):
        new_match(watch, number)
    tell(redis, watch)
    expect(page.locator("#pill")).to_have_text("100 new matches")
    page.locator("#pill").click()
    expect(page.locator("#older")).to_be_visible()
    last = int(page.locator("#feed > [data-id]").last.get_attribute("data-id") or 0)
    page.locator("#older").click()
    expect(page.locator("#feed > [data-id]").first).to_have_attribute("data-id", str(last - 1))


def test_the_focus_stays_where_a_card_was_ignored_and_taken_back(open_page: Open, watch: Watch) -> None:
    new_match(watch, 1)
    page = open_page("/matches/")
    ignore = page.get_by_role("button", name="Ignore")
    ignore.focus()
    # A form that no script has taken over yet is sent as a page of its own, which is another story.
    page.wait_for_function(TAKEN_OVER)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.wait_for_function(TAKEN_OVER)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Ignore")).to_be_focused()


def test_keys_can_be_switched_off_for_good(open_page: Open, watch: Watch) -> None:
    new_match(watch, 1)
    page = open_page("/matches/")
    page.keyboard.press("?")
    page.get_by_label("Keys without Ctrl or Alt do something").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    live(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_form_saves_by_keys_and_asks_before_words_are_lost(open_page: Open) -> None:
    page = open_page("/watches/new/")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.locator("#id_must").press_sequentially("ルミナ")
    page.reload()
    assert asked == ["beforeunload"]
    page.locator("#id_must").fill("ルミナ")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/watches/*/")
    assert asked == ["beforeunload"]


def test_without_script_everything_that_needs_it_is_gone_and_the_search_is_there(open_page: Open, watch: Watch) -> None:
    new_match(watch, 1)
    page = open_page("/matches/", width=390, script=False)
    expect(page.locator("#chip")).to_be_hidden()
    expect(page.locator("#pause")).to_be_hidden()
    expect(page.locator("#q")).to_be_visible()
    page.locator(".why summary").click()
    expect(page.locator(".why")).to_contain_text("The title has every word: ルミナ")


def test_an_age_of_an_hour_becomes_the_clock_of_the_readers_zone(open_page: Open, alice: User, watch: Watch) -> None:
    alice.time_zone = "Asia/Tokyo"
    alice.save()
    listed = datetime.now(UTC) - timedelta(minutes=40)
    new_match(watch, 1, listing_listed_at=listed)
    page = open_page("/matches/")
    age = page.locator("time[data-ago]").first
    expect(age).to_have_text(re.compile("^4[0-9] min ago$"))
    # Not the browser's clock: the server's, which comes with every beat of the stream, would set it right again.
    age.evaluate("time => (time.dateTime = new Date(Date.parse(time.dateTime) - 18e5).toISOString())")
    expect(age).to_have_text(f"{listed.astimezone(ZoneInfo('Asia/Tokyo')):%H:%M}")
