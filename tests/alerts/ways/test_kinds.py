"""The kinds of channel: what their forms ask, and what they say to a person who typed something else."""

from contextlib import suppress
from dataclasses import MISSING, fields
from typing import Any

import pytest
from apprise.manager_plugins import NotificationManager
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as some

from monitor_site.alerts.ways.apprise_schemas import OFFERED, REFUSED
from monitor_site.alerts.ways.compose import COMPOSERS
from monitor_site.alerts.ways.kinds import KINDS, BadChannel, check, kinds, target_of

from .asking import says

PUBLIC = says("93.184.216.34")
TELEGRAM = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
FEISHU = "https://open.feishu.cn/open-apis/bot/v2/hook/0123abcd-0123-abcd"
# Kind → what a person would type: values, secrets.
GOOD: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "telegram": ({"chat_id": "-1001234567890", "topic": ""}, {"bot_token": TELEGRAM}),
    "discord": ({}, {"webhook": "https://discord.com/api/webhooks/123456789012345678/AbCdEfGhIjKlMnOpQrStUvWxYz_-"}),
    "slack": ({}, {"webhook": "https://hooks.slack.com/services/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"}),
    "line": ({"to": "U4af4980629e3b0c44298fc1c149afbf4"}, {"token": "abc+/def=" * 5}),
    "wecom": (
        {},
        {"webhook": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aaa-4bc4-97a0-0ec2sifa5aaa"},
    ),
    "dingtalk": (
        {},
        {
            "webhook": "https://oapi.dingtalk.com/robot/send?access_token=" + "a1" * 32,
            "signing_secret": "SEC" + "b2" * 32,
        },
    ),
    "feishu": ({}, {"webhook": FEISHU}),
    "ntfy": ({"server": "https://ntfy.sh", "topic": "mm-7f3k9q"}, {"token": "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2"}),
    "bark": ({"server": ""}, {"key": "yZ6hzfq3iWqmDkKpnT9vQe"}),
    "gotify": ({"server": "https://gotify.example.com/sub/path"}, {"token": "AeXmVlF3gDqVhKZ"}),
    "mail": ({"to": "alice@example.com"}, {}),
    "webhook": ({}, {"url": "https://example.com/hooks/monitor?x=1"}),
    "webpush": (
        {},
        {"endpoint": "https://push.example.com/abc", "p256dh": "B" * 87, "auth": "a" * 22},
    ),
    "other": ({}, {"address": "pover://user@token"}),
}


@pytest.fixture
def mail_is_set_up(settings: Any) -> None:
    settings.EMAIL_URL, settings.EMAIL_FROM = "smtp://mail.example.com", "monitor@example.com"


def test_every_kind_has_a_sample_here_and_a_way() -> None:
    assert set(GOOD) == set(kinds())
    assert set(COMPOSERS) == set(kinds()) - {"mail", "webhook", "webpush"}
    assert all(kind.per_minute > 0 for kind in kinds().values())


@pytest.mark.parametrize("kind", GOOD)
def test_what_a_person_would_type_is_taken(kind: str, mail_is_set_up: None) -> None:
    check(kind, *GOOD[kind], resolve=PUBLIC)


@pytest.mark.parametrize("kind", GOOD)
def test_each_field_that_is_needed_is_asked_for(kind: str, mail_is_set_up: None) -> None:
    values, secrets = GOOD[kind]
    for spec in fields(KINDS[kind].settings):
        if spec.default is MISSING:
            rest = {name: value for name, value in {**values, **secrets}.items() if name != spec.name}
            with pytest.raises(BadChannel, match="Fill this in") as refused:
                check(kind, {}, rest, resolve=PUBLIC)
            assert refused.value.field == spec.name


@pytest.mark.parametrize("kind", GOOD)
def test_a_stored_secret_may_stay_empty(kind: str, mail_is_set_up: None) -> None:
    values, secrets = GOOD[kind]

    check(kind, values, dict.fromkeys(secrets, ""), kept=tuple(secrets), resolve=PUBLIC)


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("bad", ["a\tb", "a\r\nb", " two words", "x" * 5000, "\u202eevil", "https://127.0.0.1/"])
def test_broken_input_gets_a_sentence_for_its_field(kind: str, bad: str, mail_is_set_up: None) -> None:
    values, secrets = GOOD[kind]
    for spec in fields(KINDS[kind].settings):
        given = {**values, **secrets} | {spec.name: f"x{bad}"}
        with pytest.raises(BadChannel) as refused:
            check(kind, {}, given, resolve=PUBLIC)
        assert refused.value.field == spec.name
        assert refused.value.sentence.endswith((".", ")", "?")) or "looks like this" in refused.value.sentence


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("telegram", "bot_token", "123456789"),
        ("telegram", "chat_id", "https://t.me/somebody"),
        (
            "discord",
            "webhook",
            "https://discord.com.evil.example/api/webhooks/123456789012345678/AbCdEfGhIjKlMnOpQrStUvWx",
        ),
        ("discord", "webhook", "https://discord.com/api/webhooks/123456789012345678/../../users"),
        ("slack", "webhook", "https://hooks.slack.com/services/T1JJ3T3L2/B1BRTD4JD/TIiajkdnla?x=1"),
        ("wecom", "webhook", "https://evil.example/cgi-bin/webhook/send?key=693a91f6-7aaa-4bc4-97a0"),
        ("dingtalk", "webhook", "https://oapi.dingtalk.com/robot/send?access_token=short"),
        ("feishu", "webhook", FEISHU.replace("feishu.cn", "feishu.cn.evil.example")),
        ("ntfy", "topic", "two words"),
        ("line", "to", "somebody"),
    ],
)
def test_a_value_that_only_resembles_the_right_one_shows_how_it_looks(kind: str, field: str, value: str) -> None:
    values, secrets = GOOD[kind]

    with pytest.raises(BadChannel, match="It looks like this") as refused:
        check(kind, {}, {**values, **secrets} | {field: value}, resolve=PUBLIC)

    assert refused.value.field == field


@pytest.mark.parametrize("server", ["https://ntfy.example.com/sub", "https://ntfy.example.com/?a=b"])
def test_a_server_with_more_than_its_name_is_refused_where_it_could_not_be_said(server: str) -> None:
    for kind in ("ntfy", "bark"):
        values, secrets = GOOD[kind]
        with pytest.raises(BadChannel, match="Only the server itself"):
            check(kind, {**values, "server": server}, secrets, resolve=PUBLIC)


def test_a_host_that_does_not_exist_is_named() -> None:
    with pytest.raises(BadChannel, match=r"example\.com was not found"):
        check("webhook", {}, {"url": "https://example.com/"}, resolve=says())


def test_a_kind_and_a_field_that_do_not_exist_are_refused() -> None:
    with pytest.raises(BadChannel, match="no such kind"):
        check("pigeon", {}, {})
    with pytest.raises(BadChannel, match="no such field"):
        check("telegram", {"shell": "x"}, {})


@pytest.mark.parametrize("scheme", sorted(REFUSED))
def test_a_service_that_works_on_this_machine_is_not_offered(scheme: str) -> None:
    with pytest.raises(BadChannel, match="works on this server itself"):
        check("other", {}, {"address": f"{scheme}://localhost"})


@pytest.mark.parametrize(
    "address", ["nonsense", "https://example.com/", "memory://x", "pover:user", "://x", "pover:// "]
)
def test_an_address_that_is_none_of_apprises_gets_a_sentence(address: str) -> None:
    with pytest.raises(BadChannel, match="Apprise does not know this address"):
        check("other", {}, {"address": address})


def test_what_is_offered_is_what_apprise_can_do_here(apprise_loaded: NotificationManager) -> None:
    usable = {schema for schema in apprise_loaded.schemas() if apprise_loaded[schema].enabled}

    assert usable - REFUSED == set(OFFERED)
    assert not OFFERED & REFUSED


def test_sentences_are_said_in_the_readers_language() -> None:
    said = set()
    for language in ("en", "ja", "zh-hans"):
        with translation.override(language), pytest.raises(BadChannel) as refused:
            check("telegram", {}, {})
        said.add(refused.value.sentence)

    assert len(said) == 3


@pytest.mark.parametrize("kind", GOOD)
def test_what_is_shown_of_a_channel_holds_no_secret(kind: str) -> None:
    values, secrets = GOOD[kind]

    shown = target_of(kind, {**values, **secrets})

    assert shown
    assert not [secret for secret in secrets.values() if secret in shown]


@given(kind=some.sampled_from(sorted(GOOD)), text=some.text(max_size=60))
def test_nothing_that_can_be_typed_breaks_a_form(kind: str, text: str) -> None:
    for spec in fields(KINDS[kind].settings):
        values, secrets = GOOD[kind]
        with suppress(BadChannel):
            check(kind, {}, {**values, **secrets} | {spec.name: text}, resolve=PUBLIC)
