"""How channels fare, which watches use them, and which watches reach nobody."""

from datetime import UTC, timedelta

import pytest

from monitor_site.alerts import faring, joining
from monitor_site.alerts.faring import Fare
from monitor_site.alerts.models import Channel, Delivery, Importance, WatchAlerts
from monitor_site.alerts.services import set_watch_alerts
from monitor_site.alerts.would_tell import Usage
from tests.alerts.rows import channel_of, watch_of

pytestmark = pytest.mark.django_db


def delivery(channel, state, now, *, seconds=0.0):
    made = now - timedelta(seconds=seconds)
    return Delivery.objects.create(
        channel=channel, state=state, created_at=made, due_at=made, ended_at=None if state == "waiting" else now
    )


def lost(user):
    return faring.untold(user, list(Channel.objects.of(user)))


def test_a_channel_that_did_nothing_is_not_fast_and_not_slow(alice, now):
    channel = channel_of(alice, now=now)
    assert faring.fares_of([channel], zone=UTC, now=now) == {channel.pk: Fare()}


def test_deliveries_of_the_day_are_counted_and_the_median_is_of_what_arrived(alice, now, django_assert_num_queries):
    channel, other = channel_of(alice, now=now), channel_of(alice, now=now)
    for seconds in (1, 2, 9):
        delivery(channel, "sent", now, seconds=seconds)
    delivery(channel, "dead", now, seconds=500)
    delivery(channel, "waiting", now)
    delivery(channel, "sent", now - timedelta(days=1), seconds=1)
    with django_assert_num_queries(2):
        found = faring.fares_of([channel, other], zone=UTC, now=now)
    assert found == {channel.pk: Fare(delivered=3, failed=1, seconds=1.5), other.pk: Fare()}


def test_only_the_last_deliveries_count_for_the_median(alice, now, monkeypatch):
    monkeypatch.setattr(faring, "LOOKED_AT", 2)
    channel = channel_of(alice, now=now)
    for hours, seconds in ((3, 900), (2, 2), (1, 4)):
        delivery(channel, "sent", now - timedelta(hours=hours), seconds=seconds)
    assert faring.fares_of([channel], zone=UTC, now=now)[channel.pk].seconds == 3


def test_default_channels_are_used_by_the_watches_that_name_none(alice, bob, now, django_assert_num_queries):
    phone, mail = channel_of(alice, now=now), channel_of(alice, now=now, is_default=False)
    watch_of(bob, now=now)
    watch_of(alice, now=now)
    named = watch_of(alice, now=now)
    set_watch_alerts(watch=named, importance=Importance.HIGH, channels=[mail])
    quiet = watch_of(alice, now=now)
    set_watch_alerts(watch=quiet, importance=Importance.LOW, channels=[])
    with django_assert_num_queries(3):
        uses = faring.uses_of(alice)
    assert uses.usage(phone) == Usage(watches=2, highest=Importance.NORMAL)
    assert uses.usage(mail) == Usage(watches=1, highest=Importance.HIGH)


def test_a_channel_that_nobody_uses_says_so(alice, now):
    assert faring.uses_of(alice).usage(channel_of(alice, now=now)) == Usage(watches=0, highest=None)


def test_a_watch_reaches_nobody_when_it_names_no_channel_and_none_is_default(alice, now):
    channel_of(alice, now=now, is_default=False)
    watch_of(alice, now=now)
    watch_of(alice, now=now, paused_at=now)
    assert lost(alice) == 1


def test_a_watch_reaches_nobody_when_all_its_channels_are_given_up_and_nothing_stands_in(alice, now):
    channel = channel_of(alice, now=now)
    watch_of(alice, now=now)
    named = watch_of(alice, now=now)
    set_watch_alerts(watch=named, importance=1, channels=[channel])
    assert lost(alice) == 0
    Channel.objects.update(disabled_at=now)
    assert lost(alice) == 2
    channel_of(alice, now=now, is_default=False)
    assert lost(alice) == 0


def test_undelivered_messages_are_the_persons_own(alice, bob, now):
    mine = delivery(channel_of(alice, now=now), "dead", now)
    delivery(channel_of(bob, now=now), "dead", now)
    assert list(faring.undelivered(alice)) == [mine]


def test_joining_adds_a_channel_to_the_watches_that_name_others_and_to_no_stranger(alice, bob, now):
    first, second = channel_of(alice, now=now), channel_of(alice, now=now, is_default=False)
    foreign = channel_of(bob, now=now)
    for user, channel in ((alice, first), (bob, foreign)):
        set_watch_alerts(watch=watch_of(user, now=now), importance=1, channels=[channel])
    set_watch_alerts(watch=watch_of(alice, now=now), importance=1, channels=[])
    assert joining.set_default(channel=second, is_default=True, join=True, now=now) == 1
    assert joining.join_watches(channel=second) == 0
    named = {one.watch.user: set(one.channels.all()) for one in WatchAlerts.objects.filter(channels__isnull=False)}
    assert named == {alice: {first, second}, bob: {foreign}}
    second.refresh_from_db()
    assert second.is_default
