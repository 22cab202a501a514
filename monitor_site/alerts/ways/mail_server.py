"""The operator's mail server: the setting ``EMAIL_URL``, read. Pure. No sentence and no repr shows the password."""

from dataclasses import dataclass, field
from functools import cache
from urllib.parse import parse_qsl, unquote, urlsplit

USUAL_PORTS = {"smtp": 587, "smtps": 465}
TLS = {"smtp": {"starttls", "none"}, "smtps": {"implicit"}}
FORM = "smtp://user:password@host:587?tls=starttls, smtps://user:password@host, or smtp://host:25?tls=none"


class BadMailServer(ValueError):
    """The setting cannot be read; its text is a sentence for the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Where mail is handed in; ``tls`` is ``implicit``, ``starttls`` or ``none``."""

    host: str
    port: int
    tls: str
    user: str = ""
    password: str = field(default="", repr=False)


@cache
def read_mail_server(text: str) -> MailServer | None:
    """The server, ``None`` where none is set. Raises :class:`BadMailServer`."""
    if not text:
        return None
    try:
        return _read(text)
    except (ValueError, KeyError):
        raise BadMailServer(f"EMAIL_URL cannot be read: write {FORM}.") from None


def _read(text: str) -> MailServer:
    parts = urlsplit(text)
    tls = dict(parse_qsl(parts.query)).get("tls") or {"smtp": "starttls", "smtps": "implicit"}[parts.scheme]
    if tls not in TLS[parts.scheme] or not parts.hostname or parts.path not in {"", "/"}:
        raise BadMailServer
    return MailServer(
        host=parts.hostname,
        port=parts.port or USUAL_PORTS[parts.scheme],
        tls=tls,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )
