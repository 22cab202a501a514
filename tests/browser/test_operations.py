"""What only a browser can tell of the operations page: it follows, what is open stays open, it fits, no script."""

from typing import Any

import pytest
from playwright.sync_api import ViewportSize, expect

from monitor_site.accounts.models import User
from monitor_site.connections import key
from monitor_site.engine import worker
from monitor_site.engine.counting import minute_key
from tests.browser.conftest import Open
from tests.engine.loads import say_load

pytestmark = pytest.mark.browser

PHONE, WIDE = ViewportSize(width=390, height=844), ViewportSize(width=1440, height=900)
WIDTHS = (320, 390, 768, 900, 1440)


@pytest.fixture(autouse=True)
def _staff(alice: User, redis: Any) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    for lane in ("express", "checks", "alerts"):
        worker.build(lane=lane, name=f"{lane}-1").register_birth()
    minute = redis.time()[0] // 60
    for ahead in range(-3, 5):  # whatever the clock does while the browser starts
        redis.hset(minute_key(minute + ahead), mapping={"late|fast|0": 5_000, "late|relaxed|13": 1})


def test_an_open_page_follows_and_what_is_open_stays_open(open_page: Open, redis: Any) -> None:
    page = open_page("/ops/")
    expect(page.locator("#ops-verdict")).to_contain_text("No promoter is alive")
    page.set_viewport_size(PHONE)
    page.locator("details.why summary").click()
    page.locator("details:has(#ops-parts) > summary").click()
    now = redis.time()[0] * 1000
    redis.hset(key("promoters"), "one", f"{now + 600_000}|{now}|attic")
    say_load(redis, "attic", level="shedding", age=-600)
    expect(page.locator("#ops-verdict")).not_to_contain_text("No promoter is alive")
    expect(page.locator("#ops-parts")).to_contain_text("attic")
    expect(page.locator("#ops-buckets tr").first).to_be_visible()
    expect(page.locator("#ops-parts dl").first).to_be_visible()


def test_on_a_phone_the_rest_is_folded_and_on_a_wide_page_it_is_not(open_page: Open) -> None:
    page = open_page("/ops/")
    parts = ("#ops-lanes table", "#ops-pace table", "#ops-past p", "#ops-tasks table", "#ops-parts dl")
    for size, shown in ((WIDE, True), (PHONE, False)):
        page.set_viewport_size(size)
        for part in ("#ops-verdict section", "#ops-late", "#ops-markets table", "#ops-workers table"):
            expect(page.locator(part).first).to_be_visible()
        for part in parts:
            expect(page.locator(part).first).to_be_visible(visible=shown)


@pytest.mark.parametrize("language", ["en", "ja", "zh-CN"])
def test_nothing_scrolls_sideways_but_the_tables_in_their_boxes(open_page: Open, language: str) -> None:
    page = open_page("/ops/", language=language)
    page.set_viewport_size(PHONE)
    for fold in page.locator("details.fold > summary").all():
        fold.click()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_works_without_script(open_page: Open) -> None:
    page = open_page("/ops/", script=False)
    expect(page.locator("#ops-late")).to_contain_text("p95")
    page.get_by_role("link", name="1 hour").click()
    expect(page.get_by_role("link", name="1 hour")).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name="Refresh").click()
    assert "window=60" in page.url


def test_an_operator_acts_without_script(open_page: Open) -> None:
    page = open_page("/ops/", script=False)
    page.locator("#ops-markets").get_by_role("link", name="Pause").first.click()
    page.get_by_label("Reason").fill("their word")
    page.get_by_role("button", name="Pause a marketplace").click()
    expect(page.locator("#ops-verdict")).to_contain_text("Mercari is paused by an operator.")
    expect(page.locator("#ops-past")).to_contain_text("their word")
