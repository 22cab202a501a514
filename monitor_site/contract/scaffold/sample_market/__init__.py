"""Sample market: what it is, in one line."""

from monitor_site.contract import Plugin

from .addresses import link, parse_url
from .manifest import API, MANIFEST
from .marketplace import connect

__all__ = ["plugin"]

plugin = Plugin(
    manifest=MANIFEST,
    connect=connect,
    api=API,
    practice=f"{__name__}.practice",
    parse_url=parse_url,
    link=link,
)
"""What the catalog loads."""
