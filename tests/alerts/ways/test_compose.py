"""A channel and a message as Apprise is told: nothing in a token, a topic or a title changes where it goes."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import Any
from urllib.parse import urlsplit

import apprise
import pytest
import requests
from apprise.manager_plugins import NotificationManager
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from monitor_site.alerts.ways.apprise_server import deliver
from monitor_site.alerts.ways.compose import destination, plainly, quiet, wording
from monitor_site.alerts.ways.kinds import KINDS, BadChannel, check
from monitor_site.alerts.ways.values import Message

from .asking import says
from .test_kinds import GOOD

Made = Callable[..., Message]
Requests = list[requests.PreparedRequest]

SERVICES = {
    "telegram": "api.telegram.org",
    "discord": "discord.com",
    "slack": "hooks.slack.com",
    "line": "api.line.me",
    "wecom": "qyapi.weixin.qq.com",
    "dingtalk": "oapi.dingtalk.com",
    "feishu": "open.feishu.cn",
    "ntfy": "ntfy.sh",
    "bark": "api.day.app",
    "gotify": "gotify.example.com",
}
HOSTILE = (
    '@everyone <!channel> <at user_id="all">x</at> *b* [x](https://evil.example) ![](https://evil.example/p.png) <b>&'
)


@pytest.fixture
def asked(apprise_loaded: NotificationManager, monkeypatch: pytest.MonkeyPatch) -> Requests:
    """What would go over the wire."""
    requested: list[requests.PreparedRequest] = []

    def send(_session: Any, request: requests.PreparedRequest, **_how: Any) -> requests.Response:
        requested.append(request)
        response = requests.Response()
        response.status_code, response._content = 200, b"ok" if "slack" in (request.url or "") else b"{}"
        return response

    monkeypatch.setattr(requests.Session, "send", send)
    return requested


def told(kind: str, given: dict[str, str], message: Message, *, plain: bool = False) -> dict[str, Any]:
    """What the process is told."""
    said = plainly(kind, message) if plain else wording(kind, message)
    to = destination(kind, given, message)
    return {"to": to, "title": said.title, "body": said.body, "format": said.format, "picture": None}


@pytest.mark.parametrize("kind", SERVICES)
def test_each_service_is_asked_at_its_own_host_over_https(kind: str, asked: Requests, message: Made) -> None:
    assert deliver(told(kind, {**GOOD[kind][0], **GOOD[kind][1]}, message()))

    assert {urlsplit(str(request.url))[:2] for request in asked} == {("https", SERVICES[kind])}
    assert len(asked) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(kind=some.sampled_from(sorted(SERVICES)), data=some.data())
def test_no_setting_whatever_it_is_changes_the_host(
    asked: Requests, message: Made, kind: str, data: some.DataObject
) -> None:
    """Text of any kind, and text with the signs by which addresses are taken apart."""
    given = {**GOOD[kind][0], **GOOD[kind][1]}
    names = [spec.name for spec in fields(KINDS[kind].settings) if spec.name != "server"]
    name = data.draw(some.sampled_from(names))
    signs = some.text(some.sampled_from("/?@%#:\\&=.-_ab1é鍵 \n"), max_size=40)
    given[name] = data.draw(
        some.one_of(signs, some.text(max_size=40), signs.map(lambda text: GOOD[kind][1].get(name, "") + text))
    )
    asked.clear()
    try:
        check(kind, {}, given, resolve=says("93.184.216.34"))
    except BadChannel:
        with suppress(ValueError):
            deliver(told(kind, given, message()))

    else:
        deliver(told(kind, given, message()))

    assert {urlsplit(str(request.url))[:2] for request in asked} <= {("https", SERVICES[kind])}
    assert not [request for request in asked if ".." in urlsplit(str(request.url)).path]


@pytest.mark.parametrize("kind", SERVICES)
def test_a_title_calls_nobody_and_formats_nothing(kind: str, asked: Requests, message: Made) -> None:
    for plain in (False, True):
        deliver(told(kind, {**GOOD[kind][0], **GOOD[kind][1]}, message(subject=HOSTILE, text=HOSTILE), plain=plain))

    for request in asked:
        body = request.body.decode() if isinstance(request.body, bytes) else str(request.body)
        sent = json.dumps(json.loads(body), ensure_ascii=False)
        if kind in {"discord", "feishu", "slack"}:
            assert "@everyone" not in sent
            assert "<!channel" not in sent
            assert "<at " not in sent
        if kind == "telegram":
            assert "<b>&" not in sent
            assert "<at " not in sent


def test_a_title_in_discord_is_no_link_and_no_picture(asked: Requests, message: Made) -> None:
    deliver(told("discord", GOOD["discord"][1], message(subject=HOSTILE)))

    content = json.loads(str(asked[0].body))["content"]
    assert "\\[x\\]\\(https" in content
    assert content.startswith("**")


def test_plain_text_in_discord_keeps_its_link_and_nothing_else(message: Made) -> None:
    said = plainly("discord", message(text=f"{HOSTILE}\nhttps://monitor.example/m/7_a_/"))

    assert said.body.endswith("\nhttps://monitor.example/m/7_a_/")
    assert "[x](" not in said.body
    assert "\\*b\\*" in said.body


@pytest.mark.parametrize("kind", SERVICES)
def test_a_message_that_is_too_long_is_cut_and_names_its_page(kind: str, message: Made) -> None:
    long = message(subject="長" * 5_000, text="い" * 9_000, html="い" * 9_000, markdown="い" * 9_000)

    said = wording(kind, long)

    assert len(said.title) + len(said.body) <= KINDS[kind].longest
    assert said.format == "text"
    assert said.body.endswith("…\nhttps://monitor.example/m/7/")


def test_telegram_gets_the_subject_in_bold_and_the_link(asked: Requests, message: Made) -> None:
    deliver(told("telegram", {**GOOD["telegram"][0], **GOOD["telegram"][1]}, message()))

    sent = json.loads(str(asked[0].body))
    assert sent["text"].splitlines()[0] == "<b>カメラ &lt;LUMINA&gt; 12,000円</b>"
    assert '<a href="https://monitor.example/m/7/">open</a>' in sent["text"]
    assert (sent["parse_mode"], sent["chat_id"]) == ("HTML", -1001234567890)


def test_dingtalks_signature_is_quoted_once(asked: Requests, message: Made) -> None:
    deliver(told("dingtalk", GOOD["dingtalk"][1], message()))

    assert "%25" not in str(asked[0].url)
    assert "sign=" in str(asked[0].url)


def test_lark_goes_to_its_own_site(asked: Requests, message: Made) -> None:
    webhook = GOOD["feishu"][1]["webhook"].replace("feishu.cn", "larksuite.com")

    deliver(told("feishu", {"webhook": webhook}, message()))

    assert urlsplit(str(asked[0].url)).netloc == "open.larksuite.com"


def test_an_urgent_message_is_urgent_where_the_service_knows_that(asked: Requests, message: Made) -> None:
    for kind in ("ntfy", "bark", "gotify"):
        deliver(told(kind, {**GOOD[kind][0], **GOOD[kind][1]}, message(urgent=True)))

    ntfy, bark, gotify = asked
    assert ntfy.headers["X-Priority"] == "high"
    assert ntfy.headers["X-Click"] == "https://monitor.example/m/7/"
    assert ntfy.headers["Authorization"] == "Bearer tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2"
    assert '"timeSensitive"' in str(bark.body)
    assert json.loads(str(gotify.body))["priority"] == 8


@given(text=some.text(max_size=80))
def test_quiet_text_reads_the_same(text: str) -> None:
    assert quiet(text).replace("\u200b", "") == text.replace("\u200b", "")


def test_apprise_is_the_version_that_these_tests_know() -> None:
    assert apprise.__version__.startswith("2.")
