"""The signed webhook: a receiver can tell it is from us, once, and an address that misbehaves costs seconds at most."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from monitor_site.alerts.ways.send import Way, send
from monitor_site.alerts.ways.values import Message, Outcome
from monitor_site.alerts.ways.webhook import new_secret
from tests.house.source import ROOT
from tests.marketplaces.loopback import Asked, Loopback
from tests.waiting import PATIENCE_SECONDS

from .asking import SECRET, closes, drips, hangs, hook

DOCUMENTED = (ROOT / "docs" / "webhooks.md").read_text("utf-8")

Made = Callable[..., Message]


def verified(asked: Asked, secret: str) -> bool:
    """A receiver written after the specification, apart from ours."""
    key = base64.b64decode(secret[len("whsec_") :])
    content = b".".join((asked.headers["webhook-id"].encode(), asked.headers["webhook-timestamp"].encode(), asked.body))
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return any(
        version == "v1" and hmac.compare_digest(signature, expected)
        for version, _, signature in (each.partition(",") for each in asked.headers["webhook-signature"].split(" "))
    )


async def test_a_receiver_verifies_the_signature_over_id_time_and_body(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"")

    answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    (asked,) = sink.asked
    assert (answer.outcome, answer.status) == (Outcome.ACCEPTED, 200)
    assert verified(asked, SECRET)
    assert not verified(asked, new_secret())
    assert json.loads(asked.body) == {"type": "match", "title": "カメラ"}
    assert asked.headers["content-type"] == "application/json"


def test_a_specification_example_has_the_signature_it_should() -> None:
    """The example that Standard Webhooks gives."""
    from monitor_site.alerts.ways.webhook import signatures

    made = signatures(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


async def test_the_receiver_in_the_documentation_works(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"")
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", DOCUMENTED, re.DOTALL)[0], names)

    await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    (asked,) = sink.asked
    assert names["is_ours"](asked.headers, asked.body, SECRET)
    assert not names["is_ours"](asked.headers, asked.body + b" ", SECRET)


async def test_a_repeat_carries_the_same_id(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"")

    for _ in range(2):
        await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert {asked.headers["webhook-id"] for asked in sink.asked} == {"event-7"}


async def test_while_a_secret_is_rotated_both_sign(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"")
    former = new_secret()

    await send(kind="webhook", settings=hook(sink) | {"former_secret": former}, message=message(), way=way)

    (asked,) = sink.asked
    assert verified(asked, SECRET)
    assert verified(asked, former)
    assert asked.headers["webhook-signature"].count("v1,") == 2


@pytest.mark.parametrize("secret", ["", "whsec_not base64!", "whsec_é"])
async def test_without_a_usable_secret_nothing_is_sent(way: Way, sink: Loopback, message: Made, secret: str) -> None:
    answer = await send(kind="webhook", settings=hook(sink) | {"secret": secret}, message=message(), way=way)

    assert (answer.outcome, sink.asked) == (Outcome.FORBIDDEN, [])


@pytest.mark.parametrize(
    ("status", "headers", "outcome", "waits"),
    [
        (204, {}, Outcome.ACCEPTED, None),
        (301, {"location": "https://example.com/"}, Outcome.FORBIDDEN, None),
        (400, {}, Outcome.REFUSED, None),
        (403, {}, Outcome.FORBIDDEN, None),
        (410, {}, Outcome.GONE, None),
        (429, {"retry-after": "7"}, Outcome.THROTTLED, 7.0),
        (429, {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, Outcome.THROTTLED, 0.0),
        (429, {"retry-after": "soon"}, Outcome.THROTTLED, None),
        (500, {}, Outcome.UNREACHABLE, None),
    ],
)
async def test_a_status_becomes_an_outcome_and_the_words_are_not_shown(
    way: Way,
    sink: Loopback,
    message: Made,
    status: int,
    headers: Mapping[str, str],
    outcome: Outcome,
    waits: float | None,
) -> None:
    sink.answer("/hook", b"words of an inner machine", status=status, **headers)

    answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert (answer.outcome, answer.status, answer.retry_after, answer.words) == (outcome, status, waits, "")


async def test_a_sink_that_hangs_is_left_at_the_deadline(near: None, sink: Loopback, message: Made) -> None:
    sink.routes["/hook"] = hangs
    async with Way(deadline_seconds=0.3) as way:
        answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert answer.outcome is Outcome.UNREACHABLE
    assert 0.3 <= answer.seconds < PATIENCE_SECONDS


async def test_a_sink_that_drips_without_an_end_is_left_at_the_deadline(
    near: None, sink: Loopback, message: Made
) -> None:
    sink.routes["/hook"] = drips(b"")
    async with Way(deadline_seconds=0.3) as way:
        answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert answer.outcome is Outcome.UNREACHABLE


async def test_of_a_huge_answer_little_is_read(way: Way, sink: Loopback, message: Made) -> None:
    sink.routes["/hook"] = drips(b"x" * 65_536)

    answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert answer.outcome is Outcome.ACCEPTED


async def test_a_sink_that_hangs_up_is_unreachable(way: Way, sink: Loopback, message: Made) -> None:
    sink.routes["/hook"] = closes

    answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert answer.outcome is Outcome.UNREACHABLE


async def test_cookies_are_not_kept(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"", set_cookie="who=you")

    for _ in range(2):
        await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert "cookie" not in sink.asked[1].headers


async def test_no_proxy_of_the_environment_is_asked(
    near: None, sink: Loopback, message: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    sink.answer("/hook", b"")
    async with Way() as way:
        answer = await send(kind="webhook", settings=hook(sink), message=message(), way=way)

    assert answer.outcome is Outcome.ACCEPTED


async def test_an_unknown_kind_and_a_payload_that_is_no_json_raise_nothing(
    way: Way, sink: Loopback, message: Made
) -> None:
    first = await send(kind="pigeon", settings={}, message=message(), way=way)
    second = await send(kind="webhook", settings=hook(sink), message=message(payload={"x": object()}), way=way)

    assert (first.outcome, second.outcome, sink.asked) == (Outcome.UNREACHABLE, Outcome.UNREACHABLE, [])


def test_a_new_secret_is_long_and_never_the_same() -> None:
    made = {new_secret() for _ in range(20)}

    assert len(made) == 20
    assert all(len(base64.b64decode(secret.removeprefix("whsec_"))) == 32 for secret in made)
