"""Addresses that people paste, and the one where they buy. Pure; nothing here raises."""

import re
from urllib.parse import urlsplit

from monitor_site.contract import ListingUrl

from .manifest import HOME

_HOST = urlsplit(HOME).netloc
_PATH = re.compile(r"/item/([A-Za-z0-9]{1,40})/?")


def parse_url(url: str) -> ListingUrl | None:
    """The listing that an address of the web site shows; ``None`` for any other text."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    found = _PATH.fullmatch(parts.path)
    if parts.scheme not in {"https", "http"} or parts.netloc != _HOST or not found:
        return None
    return ListingUrl(external_id=found[1])


def link(external_id: str, *, web: str) -> str:
    """Where a person sees and buys a listing."""
    return f"{web}/item/{external_id}"
