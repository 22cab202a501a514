"""What goes out and what comes back: a message ready to send, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

MOST_WORDS = 300
PICTURE_ID = "picture"
"""A mail shows its picture by ``<img src="cid:picture">``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that goes along: fetched and encoded by us, never by its address at a marketplace."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message ready to send, in the channel's language.

    ``id`` stays over retries. ``subject`` is one line of plain text and stands in none of the bodies, since ways that
    have no subject put it before them. ``text`` is plain text; ``html`` is safe and has only ``b``, ``i``, ``a href``
    and ``br``; ``markdown`` is escaped for common chat markdown; ``mail_html`` is a document of its own. ``url`` is the
    page on our site to open, ``payload`` the JSON of the signed webhook.
    """

    id: str
    at: datetime
    subject: str
    text: str
    html: str
    markdown: str
    mail_html: str
    url: str
    picture: Picture | None
    payload: Mapping[str, Any]
    urgent: bool


class Outcome(StrEnum):
    """What became of a message."""

    ACCEPTED = "accepted"
    THROTTLED = "throttled"
    """The provider asks us to wait."""
    REFUSED = "refused"
    """This message is not taken; another may be."""
    FORBIDDEN = "forbidden"
    """The credentials or the address are wrong."""
    GONE = "gone"
    """Never again."""
    UNREACHABLE = "unreachable"
    """Time-out, connection, or the provider's own failure: nobody knows more."""
    UNSAFE = "unsafe"
    """The address leads to a place we do not go; nothing was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The end of one attempt.

    ``status`` is the last HTTP or SMTP status that counts. ``words`` are the provider's, at most 300 characters, and
    empty where the host is the user's own: there they could be the words of a machine that only we can reach.
    ``retry_after`` and ``seconds`` are seconds: how long to wait, if that was said, and how long the attempt took.
    """

    outcome: Outcome
    status: int | None = None
    words: str = ""
    retry_after: float | None = None
    seconds: float = 0.0
