"""A passkey in a real browser, with a key that the browser plays: set up, asked for at the door, proven again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from monitor_site.accounts.factors import has_second_factor
from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token
from tests.browser.conftest import patient_context

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEY = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
       "isUserVerified": True, "automaticPresenceSimulation": True}  # fmt: skip


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def page(chromium: Browser, redis: object, complaints: list[str]) -> Iterator[Page]:
    """A page of a browser with a security key in it; whatever the policy refuses fails the test."""
    context = patient_context(chromium, locale="en")
    opened = context.new_page()
    opened.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    session = context.new_cdp_session(opened)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
    yield opened
    context.close()
    assert complaints == []


def set_up(page: Page, site: str, alice: User) -> str:
    """Add a passkey for alice; where the site is by a name that browsers give passkeys to."""
    home = site.replace("127.0.0.1", "localhost")
    page.goto(f"{home}/start/{make_token(alice)}/")
    page.goto(f"{home}/settings/security/passkeys/new/")
    page.fill("#id_name", "My phone")
    page.click("#passkey")
    page.wait_for_url("**/settings/security/codes/")
    return home


def test_a_passkey_is_set_up_and_asked_for_at_the_door(page: Page, site: str, alice: User) -> None:
    home = set_up(page, site, alice)
    assert has_second_factor(alice)
    page.goto(f"{home}/settings/security/")
    assert page.get_by_text("My phone", exact=True).count()
    page.context.clear_cookies()
    alice.refresh_from_db()
    page.goto(f"{home}/start/{make_token(alice)}/")
    page.wait_for_url("**/accounts/code/")
    page.click("#passkey")
    page.wait_for_url("**/matches/")


def test_it_proves_who_is_there(page: Page, site: str, alice: User, settings: object) -> None:
    home = set_up(page, site, alice)
    page.goto(f"{home}/accounts/prove/passkey/?next=/budgets/")
    page.click("#passkey")
    page.wait_for_url("**/budgets/")


def test_a_browser_that_gives_none_is_told_of_in_words(page: Page, site: str, alice: User) -> None:
    home = set_up(page, site, alice)
    page.goto(f"{home}/settings/security/passkeys/new/")
    page.click("#passkey")  # the same key again, which the browser refuses
    page.wait_for_selector("#passkey-failed:not([hidden])")
