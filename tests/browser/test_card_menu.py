"""The menu of a card in a browser: snooze in place, block with the way back."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from monitor_site.accounts.models import User
from monitor_site.watches.models import Block, Match
from tests.browser.conftest import Open
from tests.browser.test_pages import taken_over
from tests.web.rows import match, watch_of

pytestmark = pytest.mark.browser


@pytest.fixture
def found(alice: User) -> Match:
    now = datetime.now(UTC)
    return match(watch_of(alice, now=now), 1, now=now, listing_seller_id="900", listing_seller_name="Bad shop")


def test_a_card_is_snoozed_where_it_is_and_taken_back(open_page: Open, found: Match) -> None:
    page = open_page("/matches/", language="en")
    card = page.locator(f"#m-{found.public_id}")
    card.locator(".menu > summary").click()
    card.get_by_text("Snooze until tomorrow 08:00").click()
    expect(card).to_have_class("undo")
    found.refresh_from_db()
    assert found.snoozed_until is not None
    assert found.snoozed_until.astimezone(UTC).minute == 0
    assert found.snoozed_until > datetime.now(UTC) + timedelta(hours=1)
    taken_over(page)
    card.get_by_text("Undo").click()
    expect(card.locator(".match__title")).to_be_visible()
    found.refresh_from_db()
    assert found.snoozed_until is None


def test_a_seller_is_blocked_from_a_card_and_the_toast_takes_it_back(open_page: Open, found: Match) -> None:
    page = open_page("/matches/", language="en")
    card = page.locator(f"#m-{found.public_id}")
    card.locator(".menu > summary").click()
    card.get_by_text("Block this seller").click()
    expect(page.locator(".toast")).to_contain_text("1 new match is put aside.")
    expect(card).to_have_count(0)
    page.locator(".toast").get_by_text("Undo").click()
    expect(card.locator(".match__title")).to_be_visible()
    assert not Block.objects.exists()
