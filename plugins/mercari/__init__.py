"""Mercari Japan: flea-market listings and Mercari Shops, as its own web site reads them."""

from monitor_site.contract import Plugin

from .manifest import API, MANIFEST
from .marketplace import connect
from .pasted import parse_url
from .urls import link

__all__ = ["plugin"]

plugin = Plugin(
    manifest=MANIFEST,
    connect=connect,
    api=API,
    practice="plugins.mercari.practice",
    parse_url=parse_url,
    link=link,
)
"""What the catalog loads."""
