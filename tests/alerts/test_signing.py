"""Another signing secret, a mute that ends early, and a message to look at."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings

from monitor_site.alerts import services, signing
from monitor_site.alerts.models import Alert, AlertKind, Held, Notice
from monitor_site.alerts.sampling import sample_message
from monitor_site.marketplaces import vault
from monitor_site.outbox.models import OutboxRow
from tests.alerts.rows import channel_of

pytestmark = pytest.mark.django_db


def opened(channel):
    channel.refresh_from_db()
    return vault.unseal(channel.sealed, identity=channel.identity)


def test_a_new_secret_signs_beside_the_former_one_until_that_is_ended(alice, now):
    channel = channel_of(alice, now=now)
    before = opened(channel)["secret"]
    secret = signing.rotate_secret(channel=channel, now=now)
    assert secret.startswith("whsec_")
    assert opened(channel) == {"secret": secret, "former_secret": before}
    signing.forget_former_secret(channel=channel, now=now)
    assert opened(channel) == {"secret": secret, "former_secret": ""}


def test_what_cannot_be_opened_is_not_written_over(alice, now):
    channel = channel_of(alice, now=now)
    with (
        override_settings(SECRETS_KEYS=["MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="]),
        pytest.raises(vault.CannotOpen),
    ):
        signing.rotate_secret(channel=channel, now=now)
    assert opened(channel)["secret"]


def notice(channel, now, held):
    alert = Alert.objects.create(user=channel.user, kind=AlertKind.MATCH, key=held, created_at=now)
    return Notice.objects.create(
        alert=alert, channel=channel, due_at=now + timedelta(days=999), held=held, created_at=now
    )


def test_what_a_mute_held_comes_when_it_ends_also_where_it_would_have_ended_in_quiet_hours(alice, now):
    channel = channel_of(alice, now=now)
    found = [notice(channel, now, Held.MUTED), notice(channel, now, Held.QUIET)]
    waits = notice(channel, now, Held.DIGEST)
    services.mute_channel(channel=channel, until=None, now=now)
    for one in found:
        one.refresh_from_db()
        assert (one.due_at, one.held) == (now, "")
    waits.refresh_from_db()
    assert waits.due_at > now
    assert OutboxRow.objects.filter(topic="channel", object_id=channel.pk).exists()


def test_within_quiet_hours_it_comes_at_their_end(alice, now):
    local = now.astimezone(ZoneInfo(alice.time_zone))
    minute = local.hour * 60 + local.minute
    channel = channel_of(alice, now=now, quiet_from=(minute - 60) % 1440, quiet_until=(minute + 60) % 1440)
    held = notice(channel, now, Held.MUTED)
    services.mute_channel(channel=channel, until=None, now=now)
    held.refresh_from_db()
    assert (held.due_at, held.held) == (now + timedelta(hours=1), Held.QUIET)


@pytest.mark.parametrize(("language", "price"), [("en", "¥48,000"), ("zh-hans", "48,000円"), ("ja", "48,000円")])
def test_a_sample_is_what_a_match_would_say_and_leaves_nothing_behind(language, price, now):
    message = sample_message(language=language, zone=ZoneInfo("Asia/Tokyo"), now=now)
    assert price in message.subject
    assert message.text
    assert message.payload["alerts"][0]["listing"]["price"] == 48_000
    assert not Alert.objects.exists()
