"""What an answer means, read from what providers really say."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from monitor_site.alerts.ways.answers import Call, verdict, wait_of, without_secrets, words_of
from monitor_site.alerts.ways.send import _understood
from monitor_site.alerts.ways.values import Outcome

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
# Kind, status, answer → outcome, words, seconds to wait.
SAID: list[tuple[int | None, Any, Outcome, str, float | None]] = [
    (200, {"ok": True, "result": {}}, Outcome.ACCEPTED, "", None),
    (
        429,
        {
            "ok": False,
            "error_code": 429,
            "description": "Too Many Requests: retry after 34",
            "parameters": {"retry_after": 34},
        },
        Outcome.THROTTLED,
        "Too Many Requests: retry after 34",
        34.0,
    ),
    (
        403,
        {"ok": False, "description": "Forbidden: bot was blocked by the user"},
        Outcome.FORBIDDEN,
        "Forbidden: bot was blocked by the user",
        None,
    ),
    (
        400,
        {"ok": False, "description": "Bad Request: can't parse entities"},
        Outcome.REFUSED,
        "Bad Request: can't parse entities",
        None,
    ),
    (
        429,
        {"message": "You are being rate limited.", "retry_after": 0.65},
        Outcome.THROTTLED,
        "You are being rate limited.",
        0.65,
    ),
    (404, {"message": "Unknown Webhook", "code": 10015}, Outcome.FORBIDDEN, "Unknown Webhook", None),
    (200, {"errcode": 0, "errmsg": "ok"}, Outcome.ACCEPTED, "", None),
    (200, {"errcode": 93000, "errmsg": "invalid webhook url"}, Outcome.FORBIDDEN, "invalid webhook url", None),
    (200, {"errcode": 45009, "errmsg": "api freq out of limit"}, Outcome.THROTTLED, "api freq out of limit", None),
    (200, {"errcode": 310000, "errmsg": "sign not match"}, Outcome.FORBIDDEN, "sign not match", None),
    (200, {"errcode": 130101, "errmsg": "send too fast"}, Outcome.THROTTLED, "send too fast", None),
    (200, {"errcode": 40035, "errmsg": "bad param"}, Outcome.REFUSED, "bad param", None),
    (200, {"code": 0, "msg": "success"}, Outcome.ACCEPTED, "", None),
    (200, {"StatusCode": 0, "StatusMessage": "success"}, Outcome.ACCEPTED, "", None),
    (
        200,
        {"code": 19001, "msg": "param invalid: incoming webhook access token invalid"},
        Outcome.FORBIDDEN,
        "param invalid: incoming webhook access token invalid",
        None,
    ),
    (200, {"code": 200, "message": "success"}, Outcome.ACCEPTED, "", None),
    (404, "no_service", Outcome.FORBIDDEN, "no_service", None),
    (500, "<html><h1>oops</h1></html>", Outcome.UNREACHABLE, "", None),
    (None, "", Outcome.UNREACHABLE, "", None),
    (408, "", Outcome.UNREACHABLE, "", None),
    (302, "", Outcome.FORBIDDEN, "", None),
    (413, "", Outcome.REFUSED, "", None),
]


@pytest.mark.parametrize(("status", "said", "outcome", "words", "waits"), SAID)
def test_what_a_provider_says_is_understood(
    status: int | None, said: Any, outcome: Outcome, words: str, waits: float | None
) -> None:
    body = said if isinstance(said, str) else json.dumps(said)

    found = verdict(Call(status=status, body=body), NOW)

    assert (found.outcome, found.words, found.retry_after) == (outcome, words, waits)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("34", 34.0),
        (" 5 ", 5.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("999999999", 86_400.0),
        ("Fri, 01 May 2026 03:01:00 GMT", 60.0),
        ("Fri, 01 May 2026 02:00:00 GMT", 0.0),
        ("Friday, 01-May-26 03:01:00 GMT", 60.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("nan", None),
    ],
)
def test_retry_after_is_read_in_both_forms_and_never_beyond_a_day(value: str, seconds: float | None) -> None:
    assert wait_of(value, NOW) == seconds


@given(body=some.text(max_size=600))
def test_words_are_one_short_line_whatever_comes(body: str) -> None:
    words = words_of(body)

    assert len(words) <= 300
    assert words.isprintable()


@given(body=some.text(max_size=100), status=some.integers(200, 599), header=some.text(max_size=30))
def test_no_answer_breaks_the_reading(body: str, status: int, header: str) -> None:
    found = verdict(Call(status=status, body=body, retry_after=header), NOW)

    assert found.status == status
    assert found.outcome is Outcome.THROTTLED or found.retry_after is None


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"retry_after": "x"}', '{"parameters": 5}', "[]", "null", '{"code": true}']
)
def test_odd_json_is_no_trouble(body: str) -> None:
    verdict(Call(status=429, body=body), NOW)


def test_a_provider_that_repeats_a_secret_does_not_publish_it() -> None:
    token = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

    assert without_secrets(f"no bot {token} here", ["42", token]) == "no bot *** here"


def test_the_token_within_a_secret_address_is_not_published_either() -> None:
    webhook = "https://discord.com/api/webhooks/123456789012345678/AbCdEfGhIjKlMnOpQrStUvWxYz_-"

    said = without_secrets("no token AbCdEfGhIjKlMnOpQrStUvWxYz_- of 123456789012345678", [webhook])

    assert said == "no token *** of ***"


def ended(*statuses: int | None, taken: bool | None, unsafe: bool = False) -> dict[str, Any]:
    calls = [{"status": status, "retry_after": "", "body": ""} for status in statuses]
    return {"taken": taken, "unsafe": unsafe, "calls": calls}


@pytest.mark.parametrize(
    ("found", "kind", "outcome"),
    [
        (None, "telegram", Outcome.UNREACHABLE),
        (ended(taken=None), "other", Outcome.FORBIDDEN),
        (ended(taken=False), "other", Outcome.UNREACHABLE),
        (ended(taken=True), "other", Outcome.ACCEPTED),
        (ended(200, taken=True), "telegram", Outcome.ACCEPTED),
        (ended(200, 400, taken=False), "discord", Outcome.ACCEPTED),
        (ended(200, taken=False), "slack", Outcome.REFUSED),
        (ended(200, 400, taken=False), "other", Outcome.REFUSED),
        (ended(200, 200, taken=False), "other", Outcome.REFUSED),
        (ended(None, taken=False), "telegram", Outcome.UNREACHABLE),
        (ended(taken=False, unsafe=True), "other", Outcome.UNSAFE),
    ],
)
def test_a_text_that_was_taken_is_delivered_whatever_became_of_its_picture(
    found: dict[str, Any] | None, kind: str, outcome: Outcome
) -> None:
    assert _understood(found, kind, NOW).outcome is outcome
