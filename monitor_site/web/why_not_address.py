"""Which listing a person means by an address or an id."""

import re

import structlog

from monitor_site.contract import ListingUrl
from monitor_site.marketplaces.catalog import catalog

from .watch_paste import LONGEST_ADDRESS, asked_by

LONGEST_ID = 64
BARE_ID = re.compile(r"(?=[^0-9]*[0-9])[A-Za-z0-9_-]{8,64}")  # a word of a language is none

log = structlog.get_logger(__name__)


def listing_meant(text: str) -> tuple[str, str] | None:
    """(marketplace, external id) of an address, or of an id by itself; ``None`` when no marketplace here knows it."""
    plain = "".join(char for char in text if char.isprintable()).strip()
    if len(plain) > LONGEST_ADDRESS:
        return None
    for name in sorted(catalog().plugins):
        for address in (plain, _address_of(name, plain)):
            asked = asked_by(name, address) if address else None
            if isinstance(asked, ListingUrl) and len(asked.external_id) <= LONGEST_ID:
                return name, asked.external_id
    return None


def _address_of(name: str, text: str) -> str:
    """Where a marketplace would show a listing of that id; empty when the text cannot be one, or nobody can say."""
    plugin = catalog().get(name)
    if plugin.link is None or not BARE_ID.fullmatch(text):
        return ""
    try:
        return str(plugin.link(text, web=plugin.manifest.home.rstrip("/")))
    except Exception as error:  # noqa: BLE001 - a plugin's fault is no reason to refuse a person an answer
        log.warning("plugin.link_failed", plugin=name, error=repr(error))
        return ""
