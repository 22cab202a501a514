"""The plugin keeps every rule of the contract."""

from pathlib import Path

from monitor_site.contract.testing import PluginConformance, plugin_in

HERE = Path(__file__).parent


class TestConformance(PluginConformance):
    """All rules, against the sample answers beside this file and the practice market."""

    plugin = plugin_in(HERE.parent)
    answers = HERE / "answers"
