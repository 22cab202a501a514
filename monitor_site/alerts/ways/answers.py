"""What an answer means: an outcome, how long to wait, and the provider's words. Pure."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from .values import MOST_WORDS, Answer, Outcome

LONGEST_WAIT = 24 * 3600.0
FORBIDDEN = {401, 403, 404}
SECONDS = re.compile(r"\d{1,9}(\.\d{1,6})?")
SPEAKS = ("description", "errmsg", "msg", "message", "errorDescription", "error")
"""Where providers put their words: Telegram, WeCom and DingTalk, Feishu, Discord and LINE and Bark, Gotify, ntfy."""
TOO_OFTEN = {45009, 45033, 130101, 130102, 410100, 9499, 11232, 11233}
"""Codes of WeCom, DingTalk and Feishu, in answers of status 200, that mean "too often"."""
WRONG_KEY = {40001, 40014, 93000, 93008, 300001, 310000, 400101, 19001, 19021, 19022}
"""Codes of the same that mean a key, a signature or a list of allowed addresses that does not fit."""
SHORTEST_SECRET = 6
BETWEEN_PARTS = re.compile(r"[/?=&@]+")
SHORTEST_PART = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request of a delivery: its status, ``None`` when no answer came, and the beginning of the answer."""

    status: int | None
    retry_after: str = ""
    body: str = ""


def outcome_of(status: int | None, *, asks_to_wait: bool = False) -> Outcome:
    """What an HTTP status means; ``asks_to_wait`` when it came with Retry-After."""
    if status is None or status == 408:
        return Outcome.UNREACHABLE
    if status >= 500:
        return Outcome.THROTTLED if status == 503 and asks_to_wait else Outcome.UNREACHABLE
    if status >= 400:
        return {429: Outcome.THROTTLED, 410: Outcome.GONE}.get(
            status, Outcome.FORBIDDEN if status in FORBIDDEN else Outcome.REFUSED
        )
    # Redirects are not followed, so the address is not the one to send to.
    return Outcome.FORBIDDEN if status >= 300 else Outcome.ACCEPTED


def wait_of(value: str, now: datetime) -> float | None:
    """The seconds that a Retry-After asks for, in either of its forms; nothing when it cannot be read."""
    value = value.strip()
    if SECONDS.fullmatch(value):
        return min(float(value), LONGEST_WAIT)
    try:
        until = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    # A date without a zone is in GMT, as the header is.
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max((until - now).total_seconds(), 0.0), LONGEST_WAIT)


def verdict(call: Call, now: datetime) -> Answer:
    """What one call's answer means, its words included: some providers refuse with a status of 200 and a code."""
    told = _told(call.body)
    waits = wait_of(call.retry_after, now)
    waits = _wait_in(told) if waits is None else waits
    outcome = outcome_of(call.status, asks_to_wait=waits is not None)
    if outcome is Outcome.ACCEPTED and (code := _code(told)):
        outcome = _meant(code)
    return Answer(
        outcome=outcome,
        status=call.status,
        words="" if outcome is Outcome.ACCEPTED else words_of(call.body),
        retry_after=waits if outcome is Outcome.THROTTLED else None,
    )


def _meant(code: int) -> Outcome:
    if code in TOO_OFTEN:
        return Outcome.THROTTLED
    return Outcome.FORBIDDEN if code in WRONG_KEY else Outcome.REFUSED


def _told(body: str) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _code(told: Mapping[str, Any]) -> int | None:
    """The code with which an answer refuses; nothing when it does not."""
    code = told.get("errcode", told.get("code", told.get("StatusCode")))
    if told.get("ok") is False:
        return -1
    return code if isinstance(code, int) and code not in {0, 200} else None


def _wait_in(told: Mapping[str, Any]) -> float | None:
    """Telegram and Discord also say it in the answer itself."""
    inner = told.get("parameters")
    value = told.get("retry_after", inner.get("retry_after") if isinstance(inner, dict) else None)
    return min(max(float(value), 0.0), LONGEST_WAIT) if type(value) in {int, float} else None


def words_of(body: str) -> str:
    """What the provider said, in one line; a page of HTML says nothing."""
    told = _told(body)
    said = next((told[name] for name in SPEAKS if isinstance(told.get(name), str) and told[name]), "")
    if not said and not told and "<" not in body[:200]:
        said = body
    return " ".join("".join(sign if sign.isprintable() else " " for sign in said).split())[:MOST_WORDS]


def without_secrets(words: str, secrets: Iterable[str]) -> str:
    """The words with everything the channel was set up with taken out: some providers repeat what they were sent."""
    whole = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
    parts = {part for secret in whole for part in BETWEEN_PARTS.split(secret) if len(part) >= SHORTEST_PART}
    for secret in sorted(whole | parts, key=len, reverse=True):
        words = words.replace(secret, "***")
    return words
