"""Another signing secret, and a message to look at."""

from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings

from monitor_site.alerts import signing
from monitor_site.alerts.models import Alert
from monitor_site.alerts.sampling import sample_message
from monitor_site.marketplaces import vault
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


@pytest.mark.parametrize(("language", "price"), [("en", "¥48,000"), ("zh-hans", "48,000円"), ("ja", "48,000円")])
def test_a_sample_is_what_a_match_would_say_and_leaves_nothing_behind(language, price, now):
    message = sample_message(language=language, zone=ZoneInfo("Asia/Tokyo"), now=now)
    assert price in message.subject
    assert message.text
    assert message.payload["alerts"][0]["listing"]["price"] == 48_000
    assert not Alert.objects.exists()
