"""Which addresses belong to a marketplace. Pure."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}
_BEGINNING = re.compile(r"https?://", re.IGNORECASE)
# Not even a browser may read another host out of it than we do: no user, no backslash, no letters that fold.
_NAMES = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")


def host_matches(host: str, patterns: Iterable[str]) -> bool:
    """Whether ``host`` is one of the patterns; a leading dot means any sub-domain."""
    name = host.lower()
    return any(name.endswith(pattern) if pattern.startswith(".") else name == pattern for pattern in patterns)


def origin_of(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of a web address in small letters; ``None`` when it is none, or has a user in it."""
    if not _BEGINNING.match(url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or not _NAMES.fullmatch(parts.netloc):
        return None
    return parts.scheme, parts.hostname, port or PORTS[parts.scheme]
