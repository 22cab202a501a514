"""What a check says."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``name`` is what was looked at, ``words`` how it is, ``advice`` what to do; empty when all is well."""

    level: Level
    name: str
    words: str
    advice: str = ""


Check = Callable[[], Iterable[Finding]]


def ok(name: str, words: str) -> Finding:
    """All is well."""
    return Finding(level="ok", name=name, words=words)


def warn(name: str, words: str, advice: str) -> Finding:
    """It works, and somebody should look."""
    return Finding(level="warn", name=name, words=words, advice=advice)


def fail(name: str, words: str, advice: str) -> Finding:
    """Something does not work."""
    return Finding(level="fail", name=name, words=words, advice=advice)
