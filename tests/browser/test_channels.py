"""Channels in a browser: the worker for push, asking for messages, and a test that goes on by itself."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from monitor_site.accounts.models import User
from monitor_site.alerts.claiming import claim
from monitor_site.alerts.concluding import conclude
from monitor_site.alerts.models import Channel
from monitor_site.alerts.ways.values import Answer, Outcome
from tests.alerts.rows import RATES, channel_of, watch_of
from tests.browser.conftest import Open

pytestmark = pytest.mark.browser

REGISTER = """async () => {
  const made = await navigator.serviceWorker.register("/push.js", { scope: "/" });
  await navigator.serviceWorker.ready;
  return [made.scope, made.active.state];
}"""
SUBSCRIPTION = """() => {
  Notification.requestPermission = async () => "granted";
  PushManager.prototype.subscribe = async (options) => {
    window.asked = options;
    const keys = { p256dh: "B".repeat(87), auth: "a".repeat(22) };
    return { toJSON: () => ({ endpoint: "https://127.0.0.1/push/1", keys }) };
  };
}"""


def test_the_worker_is_taken_for_the_whole_site(open_page: Open) -> None:
    page = open_page("/channels/new/webpush/")
    scope, state = page.evaluate(REGISTER)
    assert scope == page.url.split("/channels/")[0] + "/"
    assert state in {"activating", "activated"}


def test_the_button_asks_the_browser_and_posts_what_it_gives(open_page: Open, complaints: list[str]) -> None:
    page = open_page("/channels/new/webpush/")
    page.evaluate(SUBSCRIPTION)
    page.get_by_role("button", name="Allow in this browser").click()
    # The guard refuses this machine itself, which proves that the subscription came as far as the form.
    expect(page.get_by_role("alert")).to_contain_text("127.0.0.1 leads to this server")
    assert page.locator("[name=to_auth]").input_value() == "a" * 22
    assert [line for line in complaints if "422" not in line] == []
    complaints.clear()


def test_who_refuses_is_told_where_that_can_be_changed(open_page: Open) -> None:
    page = open_page("/channels/new/webpush/")
    page.evaluate("() => { Notification.requestPermission = async () => 'denied'; }")
    page.get_by_role("button", name="Allow in this browser").click()
    expect(page.locator("#push output")).to_have_text("This browser does not allow it. Its settings for this site can.")


def test_without_script_the_page_says_what_is_missing(open_page: Open) -> None:
    page = open_page("/channels/new/webpush/", script=False)
    assert "This kind needs scripts." in page.content()
    expect(page.locator("#push button")).to_be_hidden()


@pytest.fixture
def channel(alice: User) -> Channel:
    now = datetime.now(UTC)
    watch_of(alice, now=now)
    return channel_of(alice, now=now)


def answered(channel: Channel) -> None:
    now = datetime.now(UTC)
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    assert parcel is not None
    conclude(parcel=parcel, answer=Answer(outcome=Outcome.ACCEPTED, status=200, seconds=0.412), now=now)


def test_a_test_goes_on_by_itself_until_it_has_arrived(open_page: Open, channel: Channel) -> None:
    page = open_page(f"/channels/{channel.pk}/test/")
    page.get_by_role("button", name="Send test").click()
    expect(page.locator("#test")).to_contain_text("Waits for a worker")
    answered(channel)
    expect(page.locator("#test")).to_contain_text("The provider answered 200 in 412 ms")
    expect(page.locator("#test")).to_contain_text("Real matches will arrive.")
    expect(page.locator("#test")).not_to_have_attribute("hx-get", f"/channels/{channel.pk}/test/")


def test_without_script_a_link_looks_again(open_page: Open, channel: Channel) -> None:
    page = open_page(f"/channels/{channel.pk}/test/", script=False)
    page.get_by_role("button", name="Send test").click()
    answered(channel)
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator("#test")).to_contain_text("Real matches will arrive.")


@pytest.mark.parametrize("language", ["zh-CN", "ja", "en"])
def test_no_page_of_channels_scrolls_sideways(open_page: Open, channel: Channel, language: str) -> None:
    now = datetime.now(UTC)
    place = {"server": "https://ntfy.example.com", "topic": "W" * 64}
    long = channel_of(channel.user, now=now, name="W" * 80, kind="ntfy", values=place, digest_minutes=60, per_day=9)
    Channel.objects.filter(pk=long.pk).update(failures=7, failing_since=now, last_words="W" * 300, last_status=500)
    page = open_page("/channels/", language=language)
    wide = []
    own = [f"{channel.pk}/", f"{long.pk}/", f"{long.pk}/test/", f"{long.pk}/remove/"]
    for address in ("", "new/", "new/webpush/", *own):
        page.goto(f"{page.url.split('/channels/')[0]}/channels/{address}")
        for width in (320, 390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wide += [(address, width, over)] if over > 0 else []
    assert wide == []
