"""Sending a test: every step in words until it has arrived or failed, and whether real matches would."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.alerts.claiming import claim
from monitor_site.alerts.concluding import conclude
from monitor_site.alerts.models import Channel, Notice
from monitor_site.alerts.ways.values import Answer, Outcome
from monitor_site.web.channel_test import last_test, progress_of
from tests.alerts.rows import RATES, channel_of, watch_of

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture
def channel(page: Client, alice: User) -> Channel:
    made = channel_of(alice, now=timezone.now())
    page.post(f"/channels/{made.pk}/test/")
    return made


def answered(channel: Channel, now: datetime, outcome: Outcome, **said: object) -> None:
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    assert parcel is not None
    conclude(parcel=parcel, answer=Answer(outcome=outcome, seconds=0.412, **said), now=now)


def shown(page: Client, channel: Channel) -> str:
    return page.get(f"/channels/{channel.pk}/test/").content.decode()


def test_a_look_begins_nothing(page: Client, alice: User, now: datetime) -> None:
    html = shown(page, channel_of(alice, now=now))
    assert "No test was sent yet" in html
    assert not Notice.objects.exists()


def test_it_is_queued_and_the_page_looks_again_with_and_without_script(page: Client, channel: Channel) -> None:
    html = shown(page, channel)
    assert "Queued" in html
    assert "Waits for a worker" in html
    assert 'hx-trigger="load delay:1s"' in html
    assert "<noscript>" in html


def test_a_script_gets_the_steps_alone(page: Client, channel: Channel) -> None:
    html = page.get(f"/channels/{channel.pk}/test/", headers={"HX-Request": "true"}).content.decode()
    assert html.startswith('<section class="card panel form" id="test"')


def test_what_is_on_its_way_says_so(page: Client, channel: Channel) -> None:
    claim(channel_id=channel.pk, rates=RATES, now=timezone.now())
    assert "Is being sent" in shown(page, channel)


def test_it_arrives_and_real_matches_will(page: Client, channel: Channel) -> None:
    watch_of(channel.user, now=timezone.now())
    answered(channel, timezone.now(), Outcome.ACCEPTED, status=200)
    html = shown(page, channel)
    assert "The provider answered 200 in 412 ms" in html
    assert "Real matches will arrive." in html
    assert 'hx-get="/channels/' not in html


def test_without_a_status_only_that_it_was_taken_is_said(page: Client, channel: Channel) -> None:
    answered(channel, timezone.now(), Outcome.ACCEPTED)
    assert "The provider took it after 412 ms" in shown(page, channel)


def test_it_arrives_and_each_reason_why_matches_would_not_is_named(page: Client, channel: Channel) -> None:
    answered(channel, timezone.now(), Outcome.ACCEPTED, status=204)
    Channel.objects.update(muted_until=timezone.now() + timedelta(days=200_000), tells=[])
    html = shown(page, channel)
    for said in ("No watch uses this channel.", "It does not tell of new matches.", "muted until you end that"):
        assert said in html
    assert "Real matches will arrive" not in html


def test_a_failure_says_what_the_provider_said_and_when_it_is_tried_again(page: Client, channel: Channel) -> None:
    answered(channel, timezone.now(), Outcome.FORBIDDEN, status=401, words="<i>Unauthorized")
    html = shown(page, channel)
    for said in ("After 412 ms", "credentials are wrong", "401", "&lt;i&gt;Unauthorized", "Try 1 of 10 failed"):
        assert said in html
    assert "hx-trigger" in html
    assert "Real matches" not in html


def test_a_place_that_is_gone_ends_it(page: Client, channel: Channel) -> None:
    answered(channel, timezone.now(), Outcome.GONE, status=410)
    html = shown(page, channel)
    assert "Not delivered, and not tried again." in html
    assert 'hx-get="/channels/' not in html
    assert "Test again" in html


def test_when_nobody_takes_it_the_page_asks_about_the_worker(page: Client, channel: Channel) -> None:
    notice = last_test(channel)
    assert notice is not None
    later = progress_of(notice, channel, now=notice.created_at + timedelta(minutes=2))
    assert "Is one running?" in later.steps[1].words
    assert later.every == 15


def test_a_second_press_is_the_same_test_and_a_later_one_another(page: Client, channel: Channel) -> None:
    page.post(f"/channels/{channel.pk}/test/")
    assert Notice.objects.count() == 1
    answered(channel, timezone.now(), Outcome.ACCEPTED)
    page.post(f"/channels/{channel.pk}/test/")
    assert Notice.objects.count() == 2
