"""Mercari Japan: flea-market listings and Mercari Shops through the search its own web site uses."""

from monitor_site.contract import Plugin

from .manifest import API, MANIFEST
from .marketplace import connect

__all__ = ["plugin"]

plugin = Plugin(manifest=MANIFEST, connect=connect, api=API, practice="plugins.mercari.practice")
"""What the catalog loads."""
