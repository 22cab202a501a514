"""What only a browser can tell of auctions and of a listing's page: clock, live rows, width, keys, no script."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis as redis_library
from playwright.sync_api import Page, expect

from monitor_site.accounts.models import User
from monitor_site.outbox import stream
from monitor_site.watches.models import Listing, Match, PricePoint, Watch
from tests.browser.conftest import Open
from tests.browser.test_pages import in_one_moment
from tests.web.rows import match, watch_of

pytestmark = pytest.mark.browser

WIDTHS = (320, 390, 768, 900, 1440)
LONG = "ルミナ T2 チタン 35mm F2.8 コンパクトフィルムカメラ 動作確認済 ケース・説明書付 " * 3
BOTH = "['end', 'in'].map((name) => document.querySelector(`time[data-${name}]`).textContent)"
CLOCK = re.compile(r"^\d\d:\d\d$")


@pytest.fixture
def watch(alice: User) -> Watch:
    return watch_of(alice, now=datetime.now(UTC), name="A watch with a rather long name for a narrow phone")


def auction(watch: Watch, number: int, *, left: timedelta = timedelta(minutes=30), **fields: object) -> Match:
    now = datetime.now(UTC)
    thing = {"kind": "auction", "bids": 3, "ends_at": now + left} | fields
    return match(watch, number, now=now, **{f"listing_{name}": value for name, value in thing.items()})


def tell(redis: redis_library.Redis, watch: Watch) -> None:
    stream.append(redis, user_id=watch.user_id, event="match", data={"match": 1, "watch": watch.pk})


def clock(page: Page) -> str:
    return page.locator("time[data-end]").first.inner_text()


def test_the_clock_of_an_auction_runs_and_its_spoken_twin_changes_by_the_minute(open_page: Open, watch: Watch) -> None:
    auction(watch, 1, left=timedelta(minutes=30, seconds=50))
    page = open_page("/auctions/")
    expect(page.locator("time[data-end]").first).not_to_have_text(clock(page))
    shown, spoken = page.evaluate(BOTH)
    assert CLOCK.match(shown)
    assert spoken == f"in {int(shown[:2])} min"
    assert page.locator("[aria-hidden=true] time[data-end]").count() == 1


def test_the_clock_shows_days_hours_and_stops_at_nought(open_page: Open, watch: Watch) -> None:
    for number, left in enumerate((-60, 200, 4100, 100_000)):
        auction(watch, number, left=timedelta(seconds=left))
    page = open_page("/auctions/")
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))
    page.clock.run_for(5_000)
    texts = [one.inner_text() for one in page.locator("time[data-end]").all()]
    assert texts[0] == "00:00"
    assert CLOCK.match(texts[1])
    assert re.match(r"^1:0\d:\d\d$", texts[2])
    assert texts[3] == "1 d 3 h"


def test_without_script_the_list_shows_when_each_ends(open_page: Open, watch: Watch) -> None:
    one = auction(watch, 1)
    page = open_page("/auctions/", script=False)
    expect(page.locator(".auc")).to_contain_text("3 bids")
    expect(page.locator(".auc time[data-at]")).to_be_visible()
    page.locator(".auc__title a").click()
    expect(page).to_have_url(re.compile(f"/listings/{one.listing_id}/$"))
    expect(page.locator("h1")).to_have_text("ルミナ カメラ 1")


def test_a_row_changes_in_place_and_new_auctions_are_offered(
    open_page: Open, watch: Watch, redis: redis_library.Redis
) -> None:
    one = auction(watch, 1)
    page = open_page("/auctions/")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    page.locator(".auc .btn").focus()
    Listing.objects.filter(pk=one.listing_id).update(price=43_210, bids=9)
    auction(watch, 2, left=timedelta(minutes=20))
    Match.objects.filter(listing__external_id="m00000000002").update(
        matched_at=datetime.now(UTC) + timedelta(seconds=2)
    )
    tell(redis, watch)
    expect(page.locator(".auc")).to_contain_text("¥43,210 9 bids")
    expect(page.locator(".auc .btn")).to_be_focused()
    expect(page.locator(".auc")).to_have_count(1)
    page.locator("#fresh a", has_text="1 new auction").click()
    expect(page.locator(".auc")).to_have_count(2)


@pytest.mark.parametrize("language", ["zh-CN", "ja", "en"])
def test_what_is_new_is_offered_on_the_narrowest_phone_without_sideways_scroll(
    open_page: Open, watch: Watch, redis: redis_library.Redis, language: str
) -> None:
    for address, offer in {"/auctions/": "#fresh a", "/matches/": "#pill"}.items():
        page = open_page(address, width=320, height=600, language=language)
        expect(page.locator("#chip[data-state=on]")).to_be_visible()
        one = auction(watch, len(address))
        Match.objects.filter(pk=one.pk).update(matched_at=datetime.now(UTC) + timedelta(seconds=2))
        tell(redis, watch)
        expect(page.locator(offer)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("address", ["/auctions/", "/matches/"])
def test_the_choices_of_a_chip_lie_open_on_a_phone(open_page: Open, watch: Watch, address: str) -> None:
    auction(watch, 1)
    page = open_page(address, width=390, height=700)
    page.locator("summary.chip").first.click()
    on_top = (
        "one => { const r = one.getBoundingClientRect();"
        " return one.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)) }"
    )
    choices = page.locator("details[open] .menu__item")
    assert choices.count() == 2
    assert [one.evaluate(on_top) for one in choices.all()] == [True, True]
    choices.last.click()
    page.wait_for_url(f"**{address}?watch={watch.pk}")


def test_the_keyboard_goes_to_the_auctions(open_page: Open, watch: Watch) -> None:
    page = open_page("/matches/")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    in_one_moment(page)
    page.keyboard.press("g")
    page.keyboard.press("u")
    page.wait_for_url("**/auctions/")


def test_the_badge_follows_what_ends_within_the_hour(open_page: Open, watch: Watch, redis: redis_library.Redis) -> None:
    page = open_page("/matches/")
    expect(page.locator("#chip[data-state=on]")).to_be_visible()
    expect(page.locator("#n-ending")).to_have_text("")
    auction(watch, 1)
    tell(redis, watch)
    expect(page.locator("#n-ending")).to_have_text("1")


@pytest.mark.parametrize("language", ["zh-CN", "ja", "en"])
def test_no_page_scrolls_sideways_at_any_width(open_page: Open, watch: Watch, alice: User, language: str) -> None:
    alice.time_zone = "America/New_York"
    alice.save()
    seller = {"seller_id": "s" * 60, "seller_rating": 99.2, "seller_count": 12_345}
    rich = {"price": 123_456_789, "buy_now": 987_654_321, "images": ["https://static.mercdn.net/1.jpg"] * 12}
    one = auction(watch, 1, title=LONG, left=timedelta(days=2), extra={"brand": "W" * 90}, **rich, **seller)
    auction(watch, 2, title="W" * 200, status="ended", **seller)
    auction(watch, 3, title=LONG, left=timedelta(hours=-2), **seller)
    for minutes, price in enumerate((123_456_789, 1, 999_999_999)):
        at = datetime.now(UTC) + timedelta(minutes=minutes)
        PricePoint.objects.create(listing=one.listing, price=price, at=at)
    page = open_page("/auctions/", language=language)
    site, wide = page.url.removesuffix("/auctions/"), []
    for address in ("/auctions/", f"/listings/{one.listing_id}/", "/matches/"):
        page.goto(site + address)
        for summary in page.locator("main details.why > summary").all():
            summary.click()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wide += [(address, width, over)] if over > 0 else []
    assert wide == []


@pytest.mark.parametrize(("width", "height", "theme"), [(1440, 1000, "light"), (390, 844, "dark")])
def test_pages_can_be_looked_at(
    open_page: Open, watch: Watch, shots: Path, width: int, height: int, theme: str
) -> None:
    for number, minutes in enumerate((-90, 12, 300, 2000)):
        one = auction(watch, number, left=timedelta(minutes=minutes))
    for name, address in {"auctions": "/auctions/", "listing": f"/listings/{one.listing_id}/"}.items():
        page = open_page(address, width=width, height=height, theme=theme, language="zh-CN")
        expect(page.locator("h1")).to_be_visible()
        page.screenshot(path=shots / f"{name}-{width}-{theme}.png")
