"""The form of a channel: only the fields of its kind, secrets that are never shown again, refusals beside the field."""

import re
from datetime import datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings

from monitor_site.accounts.models import User
from monitor_site.alerts.models import Channel, WatchAlerts
from monitor_site.alerts.services import MOST_CHANNELS, Manner, Place, create_channel, set_watch_alerts
from monitor_site.alerts.ways.kinds import kinds
from monitor_site.marketplaces import vault
from tests.alerts.rows import channel_of, watch_of

pytestmark = pytest.mark.usefixtures("redis")

TOKEN = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx"
TELEGRAM = {"to_bot_token": TOKEN, "to_chat_id": "42"}
MANNER = {"name": "Phone", "least": "0", "tells": ["match"], "cool_down_minutes": "15m", "is_default": "on"}
WEBHOOK = {"to_url": "https://127.0.0.1/hook"}
HOME = override_settings(ALERT_NETWORKS=["127.0.0.0/8"])


@pytest.fixture
def page(client: Client, alice: User) -> Client:
    alice.language = "en"
    alice.save()
    client.force_login(alice)
    return client


def made(page: Client, kind: str, **fields: Any) -> HttpResponse:
    return page.post(f"/channels/new/{kind}/", MANNER | fields)


def secrets(channel: Channel) -> dict[str, str]:
    channel.refresh_from_db()
    return vault.unseal(channel.sealed, identity=channel.identity)


def telegram(user: User, now: datetime) -> Channel:
    place = Place(kind="telegram", values={"chat_id": "42", "topic": ""}, secrets={"bot_token": TOKEN})
    return create_channel(user=user, place=place, manner=Manner(name="Phone"), now=now)


def errors(answer: HttpResponse) -> dict[str, list[str]]:
    assert answer.status_code == 422
    return dict(answer.context["form"].errors)


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_each_kind_has_a_form_with_its_own_fields(page: Client, kind: str) -> None:
    html = page.get(f"/channels/new/{kind}/").content.decode()
    asked = set(re.findall(r'name="to_(\w+)"', html))
    assert asked <= set(kinds()[kind].settings.__dataclass_fields__)
    assert asked
    assert "None" not in re.findall(r'value="([^"]*)"', html)


def test_all_kinds_are_offered_and_no_others(page: Client) -> None:
    html = page.get("/channels/new/").content.decode()
    assert set(re.findall(r'href="/channels/new/(\w+)/"', html)) == set(kinds())
    assert page.get("/channels/new/pigeon/").status_code == 404


def test_a_channel_is_made_and_its_secrets_are_sealed(page: Client) -> None:
    answer = made(
        page, "telegram", **TELEGRAM, quiet_from="22:30", quiet_until="07:00", digest_minutes="1h", per_day="9"
    )
    channel = Channel.objects.get()
    assert answer["Location"] == f"/channels/{channel.pk}/"
    assert secrets(channel) == {"bot_token": TOKEN}
    assert channel.values == {"chat_id": "42", "topic": ""}
    assert (channel.quiet_from, channel.quiet_until, channel.digest_minutes, channel.per_day) == (1350, 420, 60, 9)
    assert (channel.tells, channel.cool_down_minutes, channel.weekly_test) == (["match"], 15, False)


def test_two_submits_of_one_page_make_one_channel(page: Client) -> None:
    for _ in range(2):
        made(page, "telegram", **TELEGRAM, form_key="one")
    assert Channel.objects.count() == 1


def test_a_stored_secret_is_never_shown_and_stays_when_its_field_is_empty(
    page: Client, alice: User, now: datetime
) -> None:
    channel = telegram(alice, now)
    address = f"/channels/{channel.pk}/"
    html = page.get(address).content.decode()
    assert TOKEN not in html
    assert "Stored, and not shown" in html
    assert page.post(address, MANNER | {"to_bot_token": "", "to_chat_id": "43"}).status_code == 302
    assert secrets(channel) == {"bot_token": TOKEN}
    assert channel.values["chat_id"] == "43"
    other = TOKEN[:-1] + "y"
    page.post(address, MANNER | {"to_bot_token": other, "to_chat_id": "43"})
    assert secrets(channel) == {"bot_token": other}


def test_a_secret_that_is_optional_can_be_forgotten(page: Client, alice: User, now: datetime) -> None:
    place = Place(kind="dingtalk", secrets={"webhook": "a" * 40, "signing_secret": "SEC" + "b" * 40})
    channel = create_channel(user=alice, place=place, manner=Manner(name="D"), now=now)
    page.post(f"/channels/{channel.pk}/", MANNER | {"drop_signing_secret": "on"})
    assert secrets(channel) == {"webhook": "a" * 40, "signing_secret": ""}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"to_bot_token": "nonsense", "to_chat_id": "42"}, "to_bot_token"),
        ({"to_bot_token": TOKEN, "to_chat_id": "no number"}, "to_chat_id"),
        ({"to_bot_token": TOKEN}, "to_chat_id"),
        (TELEGRAM | {"name": ""}, "name"),
        (TELEGRAM | {"least": "7"}, "least"),
        (TELEGRAM | {"tells": ["weather"]}, "tells"),
        (TELEGRAM | {"language": "tlh"}, "language"),
        (TELEGRAM | {"quiet_from": "22:30"}, "quiet_until"),
        (TELEGRAM | {"quiet_until": "22:30"}, "quiet_from"),
        (TELEGRAM | {"quiet_from": "25:00", "quiet_until": "07:00"}, "quiet_from"),
        (TELEGRAM | {"quiet_from": "07:00", "quiet_until": "07:00"}, "quiet_until"),
        (TELEGRAM | {"digest_minutes": "often"}, "digest_minutes"),
        (TELEGRAM | {"digest_minutes": "0"}, "digest_minutes"),
        (TELEGRAM | {"digest_minutes": "8d"}, "digest_minutes"),
        (TELEGRAM | {"cool_down_minutes": "999999"}, "cool_down_minutes"),
        (TELEGRAM | {"per_day": "0"}, "per_day"),
        (TELEGRAM | {"per_day": "100001"}, "per_day"),
        (TELEGRAM | {"backup": "987654"}, "backup"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_typed_is_lost(
    page: Client, fields: dict[str, Any], field: str
) -> None:
    answer = made(page, "telegram", **{"name": "My phone"} | fields)
    assert list(errors(answer)) == [field]
    html = answer.content.decode()
    assert all(str(value) in html for name, value in fields.items() if name.startswith("to_"))
    assert not Channel.objects.exists()


@pytest.mark.parametrize(
    "address", ["https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/", "ftp://x.example/", "x"]
)
def test_the_guards_refusal_stands_beside_the_address(page: Client, address: str) -> None:
    assert list(errors(made(page, "webhook", to_url=address))) == ["to_url"]


@HOME
def test_a_webhooks_secret_is_made_and_shown_once(page: Client) -> None:
    html = made(page, "webhook", **WEBHOOK, form_key="k").content.decode()
    channel = Channel.objects.get()
    secret = secrets(channel)["secret"]
    assert secret.startswith("whsec_")
    assert secret in html
    again = made(page, "webhook", **WEBHOOK, form_key="k")
    assert again.status_code == 302
    for address in ("/channels/", f"/channels/{channel.pk}/"):
        assert secret not in page.get(address).content.decode()


@HOME
def test_another_secret_signs_beside_the_former_one(page: Client) -> None:
    made(page, "webhook", **WEBHOOK)
    channel = Channel.objects.get()
    before = secrets(channel)["secret"]
    html = page.post(f"/channels/{channel.pk}/rotate/").content.decode()
    now = secrets(channel)
    assert (now["former_secret"], now["secret"] in html) == (before, True)
    page.post(f"/channels/{channel.pk}/", MANNER | {"to_url": ""})
    assert secrets(channel) == now
    assert "Two secrets sign now" in page.get(f"/channels/{channel.pk}/").content.decode()
    page.post(f"/channels/{channel.pk}/rotate/", {"end": "1"})
    assert secrets(channel)["former_secret"] == ""


def test_only_a_webhook_has_a_secret_to_rotate(page: Client, alice: User, now: datetime) -> None:
    assert page.post(f"/channels/{telegram(alice, now).pk}/rotate/").status_code == 404


def test_there_are_no_more_than_so_many(page: Client, alice: User, now: datetime) -> None:
    for _ in range(MOST_CHANNELS):
        channel_of(alice, now=now)
    answer = made(page, "telegram", **TELEGRAM)
    assert "already" in errors(answer)["__all__"][0]
    assert TOKEN in answer.content.decode()
    assert "more are not kept" in page.get("/channels/new/").content.decode()


def test_secrets_that_cannot_be_opened_are_said_to_be_lost_and_not_written_over(
    page: Client, alice: User, now: datetime
) -> None:
    channel = telegram(alice, now)
    sealed = channel.sealed
    with override_settings(SECRETS_KEYS=["MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="]):
        assert "cannot be opened any more" in page.get(f"/channels/{channel.pk}/").content.decode()
        assert page.get("/channels/").status_code == 200
        assert "__all__" in errors(page.post(f"/channels/{channel.pk}/", MANNER | TELEGRAM))
    channel.refresh_from_db()
    assert channel.sealed == sealed


def test_it_is_added_to_the_watches_that_name_others_when_that_is_ticked(
    page: Client, alice: User, now: datetime
) -> None:
    assert b'name="join"' not in page.get("/channels/new/telegram/").content
    set_watch_alerts(watch=watch_of(alice, now=now), importance=1, channels=[channel_of(alice, now=now)])
    assert b'name="join"' in page.get("/channels/new/telegram/").content
    made(page, "telegram", **TELEGRAM, join="on")
    assert WatchAlerts.objects.get().channels.count() == 2


def test_a_strangers_channel_stands_in_for_nobody(page: Client, bob: User, now: datetime) -> None:
    foreign = channel_of(bob, now=now)
    assert list(errors(made(page, "telegram", **TELEGRAM, backup=foreign.pk))) == ["backup"]


def test_a_message_is_shown_in_three_languages_the_channels_own_first(page: Client, alice: User, now: datetime) -> None:
    channel = channel_of(alice, now=now, kind="ntfy", values={"topic": "t"}, language="ja")
    html = page.get(f"/channels/{channel.pk}/").content.decode()
    assert re.findall(r'class="fold__in" lang="([\w-]+)"', html) == ["ja", "zh-Hans", "en"]
    assert html.count("48,000円") == 2
    assert "¥48,000" in html


def test_without_mail_the_form_says_whose_matter_that_is(page: Client) -> None:
    assert "EMAIL_URL" in errors(made(page, "mail", to_to="alice@example.com"))["to_to"][0]


def test_a_browsers_subscription_is_kept_under_seal(page: Client) -> None:
    keys = {"to_p256dh": "B" * 87, "to_auth": "a" * 22}
    assert "Allow messages" in errors(made(page, "webpush"))["__all__"][0]
    with HOME:
        assert made(page, "webpush", to_endpoint="https://127.0.0.1/push/1", **keys).status_code == 302
    channel = Channel.objects.get()
    assert secrets(channel) == {"endpoint": "https://127.0.0.1/push/1", "p256dh": "B" * 87, "auth": "a" * 22}
    html = page.get(f"/channels/{channel.pk}/").content.decode()
    assert "push/1" not in html


@pytest.mark.parametrize("endpoint", ["https://10.0.0.1/x", "javascript:alert(1)"])
def test_a_subscription_of_nowhere_is_refused(page: Client, endpoint: str) -> None:
    answer = made(page, "webpush", to_endpoint=endpoint, to_p256dh="B" * 87, to_auth="a" * 22)
    assert "__all__" in errors(answer)


def test_what_stands_in_is_offered_by_its_name_alone(page: Client, alice: User, now: datetime) -> None:
    channel_of(alice, now=now, name="Desk")
    html = page.get("/channels/new/telegram/").content.decode()
    assert ">Desk</option>" in html
