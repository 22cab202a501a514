"""Marketplaces that can look at one listing, or cannot, whatever their plugins do today."""

from dataclasses import replace

import pytest

from monitor_site.contract import Capability
from monitor_site.marketplaces.catalog import Catalog, catalog


def let_look(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Of all known marketplaces exactly these can look at a listing."""
    plugins = {}
    for name, plugin in catalog().plugins.items():
        able = plugin.manifest.capabilities - {Capability.LOOK} | ({Capability.LOOK} if name in names else set())
        plugins[name] = replace(plugin, manifest=replace(plugin.manifest, capabilities=frozenset(able)))
    shelf = Catalog(plugins=plugins, broken={})
    monkeypatch.setattr("monitor_site.watches.follow.catalog", lambda: shelf)
