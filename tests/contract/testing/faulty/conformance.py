"""The kit, run by hand and by a test over the faulty plugin; no run of all tests finds it by its name."""

from pathlib import Path

from monitor_site.contract.testing import PluginConformance, plugin_in

HERE = Path(__file__).parent


class TestConformance(PluginConformance):
    plugin = plugin_in(HERE)
    answers = HERE / "answers"
