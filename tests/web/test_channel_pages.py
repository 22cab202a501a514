"""The pages of channels: the list, what is done there, removing, and what the list of watches says."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.alerts.models import Alert, Channel, Delivery, Importance, Notice, WatchAlerts
from monitor_site.alerts.services import MOST_CHANNELS, set_watch_alerts
from monitor_site.watches.models import Watch
from tests.alerts.rows import channel_of, match, watch_of

MOMENTS = {"delivered_at", "rests_until", "muted_until", "failing_since", "disabled_at"}
pytestmark = pytest.mark.usefixtures("redis")


def shown(page: Client, address: str = "/channels/") -> str:
    answer = page.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def dead(channel: Channel, now: datetime, number: int = 1) -> Delivery:
    found = match(watch_of(channel.user, now=now), number, now=now, listing_title=f"<b>Lumina {number}</b>")
    delivery = Delivery.objects.create(
        channel=channel, state="dead", due_at=now, ended_at=now, created_at=now,
        outcome="forbidden", status=401, words="<script>bot was blocked",
    )  # fmt: skip
    alert = Alert.objects.create(
        user=channel.user, kind="match", key=f"m{number}", listing=found.listing, facts={"price": 5000}, created_at=now
    )
    Notice.objects.create(alert=alert, channel=channel, delivery=delivery, due_at=now, created_at=now)
    return delivery


def test_without_a_channel_there_is_one_way_on(page: Client) -> None:
    html = shown(page)
    assert "No channel yet" in html
    assert html.count('href="/channels/new/"') == 1


def test_the_menu_and_the_more_page_lead_there(page: Client) -> None:
    assert shown(page, "/more/").count('href="/channels/"') == 2


def test_a_channel_shows_its_place_masked_and_never_a_secret(page: Client, alice: User, now: datetime) -> None:
    channel_of(alice, now=now, kind="ntfy", values={"server": "https://ntfy.sh", "topic": "mine"}, name="Phone")
    html = shown(page)
    for said in ("Phone", "ntfy", "https://ntfy.sh mine", "Untested", "never", "0 watches"):
        assert said in html
    assert "whsec_" not in html
    assert "c2VjcmV0" not in html


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"delivered_at": 0}, "OK"),
        ({"muted_until": 3600}, "Muted until"),
        ({"muted_until": 3600 * 24 * 365 * 499}, ">Muted<"),
        ({"failures": 2, "failing_since": -60, "last_outcome": "unreachable"}, "There was no answer in time"),
        ({"failures": 3, "failing_since": -60, "rests_until": 60}, "3 failures in a row; next try at"),
        ({"failures": 1, "failing_since": -60, "last_words": "Unauthorized <b>"}, "Unauthorized &lt;b&gt;"),
        ({"disabled_at": -60, "last_outcome": "gone", "last_status": 410}, "Given up since"),
    ],
)
def test_the_state_stands_in_words(page: Client, alice: User, fields: dict[str, Any], said: str) -> None:
    now = timezone.now()
    moments = {name: now + timedelta(seconds=value) for name, value in fields.items() if name in MOMENTS}
    Channel.objects.filter(pk=channel_of(alice, now=now).pk).update(**fields | moments)
    assert said in shown(page)


def test_quiet_hours_threshold_and_digest_stand_beside_it(page: Client, alice: User, now: datetime) -> None:
    manner = {"quiet_from": 22 * 60 + 30, "quiet_until": 7 * 60, "digest_minutes": 60, "per_day": 1500}
    channel_of(alice, now=now, least=Importance.HIGH, language="ja", **manner)
    html = shown(page)
    for said in ("quiet from 22:30 to 07:00", "together every 1 h", "at most 1,500 a day", "“high”", "日本語"):
        assert said in html


def test_many_channels_cost_no_more_queries_than_one(
    page: Client, alice: User, now: datetime, django_assert_max_num_queries: pytest.fixture
) -> None:
    for number in range(MOST_CHANNELS):
        channel_of(alice, now=now, name=f"c{number}")
    with django_assert_max_num_queries(16):
        html = shown(page)
    assert "more are not kept" in html
    assert 'href="/channels/new/"' not in html


def test_a_kind_that_is_gone_still_stands_there(page: Client, alice: User, now: datetime) -> None:
    Channel.objects.filter(pk=channel_of(alice, now=now).pk).update(kind="pigeon")
    assert "pigeon" in shown(page)
    assert page.get(f"/channels/{Channel.objects.get().pk}/").status_code == 404


def test_an_undelivered_message_says_why_and_is_sent_again(page: Client, alice: User, now: datetime) -> None:
    delivery = dead(channel_of(alice, now=now), now)
    html = shown(page)
    for said in ("¥5,000", "Lumina 1", "credentials are wrong", "401", "bot was blocked"):
        assert said in html
    assert "<script>bot" not in html
    answer = page.post(f"/channels/undelivered/{delivery.public_id}/again/", follow=True)
    assert "It is sent again." in answer.content.decode()
    delivery.refresh_from_db()
    assert delivery.state == "waiting"
    assert "Not delivered" not in shown(page)
    answer = page.post(f"/channels/undelivered/{delivery.public_id}/again/", follow=True)
    assert "not among the undelivered" in answer.content.decode()


def test_a_strangers_message_is_not_sent_again(page: Client, bob: User, now: datetime) -> None:
    delivery = dead(channel_of(bob, now=now), now)
    assert page.post(f"/channels/undelivered/{delivery.public_id}/again/").status_code == 404
    assert page.post("/channels/undelivered/%00/again/").status_code == 404
    delivery.refresh_from_db()
    assert delivery.state == "dead"


@pytest.mark.parametrize(("choice", "least"), [("hour", 3500), ("morning", 0), ("always", 3e9), ("nonsense", 3500)])
def test_a_channel_is_muted_and_the_toast_takes_it_back(page: Client, alice: User, choice: str, least: float) -> None:
    began = timezone.now()
    channel = channel_of(alice, now=began)
    html = page.post(f"/channels/{channel.pk}/mute/", {"for": choice}, follow=True).content.decode()
    assert f'action="/channels/{channel.pk}/unmute/"' in html
    channel.refresh_from_db()
    assert channel.muted_until is not None
    assert (channel.muted_until - began).total_seconds() > least
    page.post(f"/channels/{channel.pk}/unmute/")
    channel.refresh_from_db()
    assert channel.muted_until is None


def test_a_channel_becomes_the_default_and_joins_the_watches_that_name_others(
    page: Client, alice: User, now: datetime
) -> None:
    first, second = channel_of(alice, now=now), channel_of(alice, now=now, is_default=False)
    set_watch_alerts(watch=watch_of(alice, now=now), importance=1, channels=[first])
    answer = page.post(f"/channels/{second.pk}/default/", {"on": "1", "join": "1"}, follow=True)
    assert "1 other watch names it now, too." in answer.content.decode()
    assert set(WatchAlerts.objects.get().channels.all()) == {first, second}
    page.post(f"/channels/{second.pk}/default/", {"on": "0"})
    second.refresh_from_db()
    assert not second.is_default


def test_removing_asks_first_and_names_what_depends_on_it(page: Client, alice: User, now: datetime) -> None:
    channel = channel_of(alice, now=now, name="Old <phone>")
    channel_of(alice, now=now, name="Pager", backup=channel)
    set_watch_alerts(watch=watch_of(alice, now=now, name="Cameras"), importance=1, channels=[channel])
    html = page.post(f"/channels/{channel.pk}/remove/").content.decode()
    for said in ("Old &lt;phone&gt;", "Pager", "Cameras", "used by default"):
        assert said in html
    assert Channel.objects.filter(pk=channel.pk).exists()
    page.post(f"/channels/{channel.pk}/remove/", {"sure": "yes"})
    assert not Channel.objects.filter(pk=channel.pk).exists()


def test_the_list_of_watches_is_silent_about_channels_that_work(page: Client, alice: User, now: datetime) -> None:
    watch_of(alice, now=timezone.now())
    assert "channel" not in shown(page, "/watches/").split("<main")[1]
    channel_of(alice, now=now)
    assert 'aria-label="Needs attention"' not in shown(page, "/watches/")


def test_the_list_of_watches_names_a_channel_that_fails_and_watches_that_reach_nobody(
    page: Client, alice: User, now: datetime
) -> None:
    watch_of(alice, now=timezone.now())
    channel = channel_of(alice, now=now, name="My <phone>")
    Channel.objects.update(failures=5, failing_since=now)
    html = shown(page, "/watches/")
    assert "The channel <b><bdi>My &lt;phone&gt;</bdi></b> fails since" in html
    assert f'href="/channels/{channel.pk}/"' in html
    assert "no usable channel" not in html
    Channel.objects.update(disabled_at=now)
    assert "1 watch has no usable channel" in shown(page, "/watches/")


def test_how_a_watch_is_told_of_is_chosen_on_its_page(page: Client, alice: User, bob: User, now: datetime) -> None:
    watch, mine, foreign = watch_of(alice, now=now), channel_of(alice, now=now, name="Mine"), channel_of(bob, now=now)
    address = f"/watches/{watch.pk}/alerts/"
    assert "the default ones (Mine)" in shown(page, address)
    assert page.post(address, {"importance": "2", "channels": [mine.pk]}).status_code == 302
    wishes = WatchAlerts.objects.get()
    assert (wishes.importance, list(wishes.channels.all())) == (2, [mine])
    for wrong in (
        {"importance": "9"},
        {"importance": "2", "channels": [foreign.pk]},
        {"channels": ["x"]},
        {"importance": "2", "channels": ["9" * 400]},
    ):
        assert page.post(address, wrong).status_code == 422
    wishes.refresh_from_db()
    assert (wishes.importance, list(wishes.channels.all())) == (2, [mine])


def test_without_a_default_channel_the_page_of_a_watch_says_that_nobody_is_told(
    page: Client, alice: User, now: datetime
) -> None:
    watch = watch_of(alice, now=now)
    assert "nobody is told" in shown(page, f"/watches/{watch.pk}/alerts/")


def bulk(page: Client, act: str, *watches: Watch) -> str:
    answer = page.post("/watches/bulk/", {"act": act, "watch": [one.pk for one in watches]}, follow=True)
    return answer.content.decode()


def test_many_watches_get_an_importance_and_a_channel_at_once(page: Client, alice: User, now: datetime) -> None:
    one, two = watch_of(alice, now=now), watch_of(alice, now=now)
    mine = channel_of(alice, now=now, name="Pager")
    assert f'value="through-{mine.pk}">Alert through “Pager”, too' in shown(page, "/watches/")
    set_watch_alerts(watch=two, importance=Importance.HIGH, channels=[mine])
    assert "Importance: high: 1 watch. 1 was so already." in bulk(page, "importance-2", one, two)
    assert "Pager”, too: 1 watch. 1 was so already." in bulk(page, f"through-{mine.pk}", one, two)
    wishes = WatchAlerts.objects.order_by("pk")
    assert [(wish.importance, list(wish.channels.all())) for wish in wishes] == [(2, [mine])] * 2
    assert "alone: 2 watches." in bulk(page, "through-default", one, two)
    assert not any(wish.channels.exists() for wish in wishes)


@pytest.mark.parametrize("act", ["importance-9", "importance-", "through-0", "through-x", "through-{foreign}"])
def test_no_strangers_channel_and_nothing_unknown_is_named(
    page: Client, alice: User, bob: User, now: datetime, act: str
) -> None:
    watch = watch_of(alice, now=now)
    foreign = channel_of(bob, now=now)
    assert "Choose watches and what to do with them first." in bulk(page, act.format(foreign=foreign.pk), watch)
    assert not WatchAlerts.objects.exists()
