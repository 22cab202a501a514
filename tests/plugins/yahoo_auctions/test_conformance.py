"""The plugin keeps every rule of the contract."""

from pathlib import Path

from monitor_site.contract.testing import PluginConformance
from plugins.yahoo_auctions import plugin


class TestConformance(PluginConformance):
    plugin = plugin
    answers = Path(__file__).parent / "answers"
