"""Yahoo! Auctions Japan: auctions, fixed prices and flea-market items through the search pages that people see."""

from monitor_site.contract import Plugin

from .addresses import link, parse_url
from .manifest import HOME, MANIFEST
from .marketplace import connect

__all__ = ["plugin"]

plugin = Plugin(
    manifest=MANIFEST,
    connect=connect,
    api=HOME,
    practice="plugins.yahoo_auctions.practice",
    parse_url=parse_url,
    link=link,
)
"""What the catalog loads."""
