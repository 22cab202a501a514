"""What one rule says. Pure."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypedDict


class Verdict(StrEnum):
    """What a rule says."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


class RuleVerdict(TypedDict):
    """One rule's decision with the value it saw; stored with the match and shown to the person."""

    rule: str
    verdict: str
    saw: str
    wanted: str
    words: list[str]


def said(
    rule: str, verdict: Verdict, *, saw: object = "", wanted: object = "", words: Iterable[str] = ()
) -> RuleVerdict:
    """A rule's decision; what it saw and wanted as text, empty where there is nothing."""
    return RuleVerdict(rule=rule, verdict=verdict.value, saw=_text(saw), wanted=_text(wanted), words=list(words))


def _text(value: object) -> str:
    return "" if value is None else str(value)


def yes_or_no(yes: bool) -> Verdict:
    """Pass or fail."""
    return Verdict.PASS if yes else Verdict.FAIL


def known_or(yes: bool | None) -> Verdict:
    """Pass or fail; ``None`` is unknown."""
    return Verdict.UNKNOWN if yes is None else yes_or_no(yes)
