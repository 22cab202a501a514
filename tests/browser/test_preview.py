"""The preview beside the form of a watch, in a browser: it follows what is typed, and works without script."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from monitor_site.accounts.models import User
from monitor_site.watches import asking
from monitor_site.watches.asking import Answer
from monitor_site.watches.models import Watch
from tests.browser.conftest import Open
from tests.watches.makers import sighting

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is not forgotten while a slow browser looks at it."""
    monkeypatch.setattr(asking, "FOUND_SECONDS", asking.WANTED_SECONDS)


def answer_all(redis: Any, user: User) -> None:
    """What a worker would write down."""
    want = asking.wanted(redis, user_id=user.pk, slot=asking.SEARCHES)
    assert want
    for question in want.questions:
        found = [sighting(1, price=5_000, images=()), sighting(2, price=72_000, images=())]
        asking.keep(redis, user_id=user.pk, key=question.key, answer=Answer(state="found", sightings=found))


def test_the_preview_follows_what_is_typed(open_page: Open, alice: User, redis: Any) -> None:
    page = open_page("/watches/new/", width=1440)
    pane = page.locator("#preview")
    expect(pane).to_contain_text("at least one word")
    page.fill("#id_must", "ルミナ")
    expect(pane).to_contain_text("is being asked")
    answer_all(redis, alice)
    expect(pane.get_by_role("link", name="ルミナ カメラ 1号").first).to_be_visible()
    expect(pane).to_contain_text(re.compile(r"Would match\s+4"))
    page.fill("#id_price_max", "60000")
    expect(pane).to_contain_text("¥72,000 > ¥60,000")
    expect(pane).to_contain_text(re.compile(r"Would match\s+2"))


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
def test_the_pane_fits_its_window(open_page: Open, alice: User, redis: Any, width: int, height: int) -> None:
    page = open_page("/watches/new/", width=width, height=height)
    page.fill("#id_must", "ルミナ")
    expect(page.locator("#preview")).to_contain_text("is being asked")
    answer_all(redis, alice)
    expect(page.locator("#preview .mini").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_script_a_button_leads_to_the_preview(open_page: Open, alice: User, redis: Any) -> None:
    page = open_page("/watches/new/", script=False)
    page.fill("#id_must", "ルミナ")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Preview: ルミナ")).to_be_visible()
    answer_all(redis, alice)
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_role("link", name="ルミナ カメラ 1号").first).to_be_visible()


def test_a_click_on_the_reason_loosens_that_rule_in_the_form(open_page: Open, alice: User, redis: Any) -> None:
    page = open_page("/watches/new/", width=1440)
    page.fill("#id_must", "ルミナ")
    page.fill("#id_price_max", "60000")
    pane = page.locator("#preview")
    expect(pane).to_contain_text("is being asked")
    answer_all(redis, alice)
    page.locator("summary", has_text="Would be rejected").click()
    page.get_by_role("button", name="Loosen: ≤ ¥72,000").first.click()
    expect(page.locator("#id_price_max")).to_have_value("72000")
    expect(page.get_by_role("status").first).to_contain_text("Nothing is saved yet")
    expect(pane).to_contain_text(re.compile(r"Would match\s+4"))
    assert not Watch.objects.exists()


def test_it_does_so_without_script_too(open_page: Open, alice: User, redis: Any) -> None:
    page = open_page("/watches/new/", script=False)
    page.fill("#id_must", "ルミナ")
    page.fill("#id_price_max", "60000")
    page.get_by_role("button", name="Preview").click()
    answer_all(redis, alice)
    page.get_by_role("link", name="Refresh").click()
    page.locator("summary", has_text="Would be rejected").click()
    page.get_by_role("button", name="Loosen: ≤ ¥72,000").first.click()
    expect(page.get_by_role("heading", name="New watch")).to_be_visible()
    expect(page.locator("#id_price_max")).to_have_value("72000")
    expect(page.locator("#preview")).to_contain_text(re.compile(r"Would match\s+4"))
    assert not Watch.objects.exists()
