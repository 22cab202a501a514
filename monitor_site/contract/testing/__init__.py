"""The conformance kit: what any plugin, in this tree or not, runs against its own samples and practice market.

A plugin's test is a class with a few attributes; pytest runs the rules it inherits, without Django or a network::

    class TestConformance(PluginConformance):
        plugin = plugin_in(Path(__file__).parent.parent)
        answers = Path(__file__).parent / "answers"

Each rule fails with one sentence. Sample answers and their ``manifest.json``: :mod:`.samples`. A session that answers
from them, one over real HTTP, and the practice market on a port are here for a plugin's further tests.
"""

from .conformance import PluginConformance
from .market import Market, quiet, served
from .origin import plugin_in
from .over_http import Got, PlainSession
from .samples import Sample, samples_in
from .session import Request, ScriptedSession

__all__ = [
    "Got",
    "Market",
    "PlainSession",
    "PluginConformance",
    "Request",
    "Sample",
    "ScriptedSession",
    "plugin_in",
    "quiet",
    "samples_in",
    "served",
]
