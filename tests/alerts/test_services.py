"""What people do with their channels: made, changed, kept secret, removed."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core import serializers
from django.core.checks import run_checks
from django.core.management import call_command

from monitor_site.alerts.models import Channel, Delivery, Notice
from monitor_site.alerts.services import Manner, Place, change_channel, remove_channel
from monitor_site.marketplaces import vault
from tests.alerts.rows import SECRET, channel_of

pytestmark = pytest.mark.django_db


def secrets_of(channel):
    channel.refresh_from_db()
    return vault.unseal(channel.sealed, identity=channel.identity)


def place(channel, **secrets):
    return Place(kind=channel.kind, values=channel.values, secrets=secrets)


def test_a_secret_stands_in_no_dump_of_the_database(alice, now):
    channel = channel_of(alice, now=now)
    assert SECRET not in serializers.serialize("json", Channel.objects.all())
    assert secrets_of(channel) == {"secret": SECRET}


def test_a_secret_that_is_not_given_again_stays(alice, now):
    channel = channel_of(alice, now=now)
    change_channel(channel=channel, place=place(channel), manner=Manner(name="New"), now=now)
    assert secrets_of(channel) == {"secret": SECRET}
    assert channel.name == "New"


def test_a_new_secret_replaces_the_old_one_and_takes_back_that_it_was_given_up(alice, now):
    channel = channel_of(alice, now=now)
    Channel.objects.update(disabled_at=now, failures=9, failing_since=now, rests_until=now + timedelta(hours=1))
    change_channel(channel=channel, place=place(channel, secret="whsec_bmV3"), manner=Manner(name="A"), now=now)
    assert secrets_of(channel) == {"secret": "whsec_bmV3"}
    assert (channel.disabled_at, channel.failures, channel.rests_until) == (None, 0, None)


def test_another_manner_alone_does_not_take_back_that_it_was_given_up(alice, now):
    channel = channel_of(alice, now=now)
    Channel.objects.update(disabled_at=now)
    change_channel(channel=channel, place=place(channel), manner=Manner(name="A"), now=now)
    channel.refresh_from_db()
    assert channel.disabled_at == now


def test_sealed_secrets_open_in_no_other_row(alice, bob, now):
    mine, theirs = channel_of(alice, now=now), channel_of(bob, now=now)
    Channel.objects.filter(pk=theirs.pk).update(sealed=mine.sealed)
    with pytest.raises(vault.CannotOpen):
        secrets_of(theirs)


def test_the_secrets_of_channels_come_under_the_new_key_too(alice, now, settings):
    channel = channel_of(alice, now=now)
    old, new = settings.SECRETS_KEYS[0], Fernet.generate_key().decode()
    settings.SECRETS_KEYS = [new, old]
    call_command("rotate_secrets", stdout=(out := StringIO()))
    assert "1 row" in out.getvalue()
    settings.SECRETS_KEYS = [new]
    assert secrets_of(channel) == {"secret": SECRET}


def test_what_was_removed_leaves_nothing_behind(alice, now):
    channel = channel_of(alice, now=now)
    remove_channel(channel=channel)
    assert not Channel.objects.exists()
    assert not Notice.objects.exists()
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("name", ["ALERT_NETWORKS", "EMAIL_URL"])
def test_a_setting_that_cannot_be_read_stops_the_start_with_a_sentence(settings, name):
    setattr(settings, name, ["nonsense"] if name == "ALERT_NETWORKS" else "nonsense")
    [error] = [error for error in run_checks(tags=["alerts"]) if error.id == "alerts.E001"]
    assert name in error.msg


def test_the_values_anybody_may_see_hold_no_secret(alice, now):
    assert SECRET not in json.dumps(channel_of(alice, now=now).values)
