"""What waits for a channel's wishes waits for those that it has now."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from monitor_site.alerts.models import Alert, AlertKind, Held, Notice
from monitor_site.alerts.services import Manner, Place, change_channel, mute_channel
from monitor_site.outbox.models import OutboxRow
from tests.alerts.rows import channel_of

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def notice(channel, now, held):
    alert = Alert.objects.create(user=channel.user, kind=AlertKind.MATCH, key=held, created_at=now)
    return Notice.objects.create(
        alert=alert, channel=channel, due_at=now + timedelta(days=999), held=held, created_at=now
    )


def around(user, now):
    """Quiet hours that began an hour ago and end in an hour, by the person's clock."""
    local = now.astimezone(ZoneInfo(user.time_zone))
    minute = local.hour * 60 + local.minute
    return {"quiet_from": (minute - 60) % 1440, "quiet_until": (minute + 60) % 1440}


def planned(one):
    one.refresh_from_db()
    return one.due_at, one.held


def test_what_a_mute_held_comes_when_it_ends_also_where_it_would_have_ended_in_quiet_hours(alice, now):
    channel = channel_of(alice, now=now)
    found = [notice(channel, now, held) for held in (Held.MUTED, Held.QUIET)]
    cools = notice(channel, now, Held.COOL_DOWN)
    mute_channel(channel=channel, until=None, now=now)
    assert [planned(one) for one in found] == [(now, ""), (now, "")]
    assert planned(cools) == (now + timedelta(days=999), Held.COOL_DOWN)
    assert OutboxRow.objects.filter(topic="channel", object_id=channel.pk).exists()


def test_within_quiet_hours_it_comes_at_their_end(alice, now):
    channel = channel_of(alice, now=now, **around(alice, now))
    held = notice(channel, now, Held.MUTED)
    mute_channel(channel=channel, until=None, now=now)
    assert planned(held) == (now + HOUR, Held.QUIET)


def test_what_waits_for_the_end_of_quiet_hours_waits_for_a_longer_mute(alice, now):
    channel = channel_of(alice, now=now, **around(alice, now))
    held = notice(channel, now, Held.QUIET)
    mute_channel(channel=channel, until=now + 3 * HOUR, now=now)
    assert planned(held) == (now + 3 * HOUR, Held.MUTED)


@pytest.mark.parametrize("held", [Held.QUIET, Held.DIGEST, Held.DAY])
def test_what_waited_for_a_wish_that_is_gone_comes_now(alice, now, held):
    channel = channel_of(alice, now=now, digest_minutes=600, per_day=1, **around(alice, now))
    waits = notice(channel, now, held)
    place = Place(kind=channel.kind, values=channel.values)
    change_channel(channel=channel, place=place, manner=Manner(name="Phone"), now=now)
    assert planned(waits) == (now, "")
