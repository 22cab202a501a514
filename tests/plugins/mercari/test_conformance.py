"""The plugin keeps every rule of the contract."""

from pathlib import Path

from monitor_site.contract.testing import PluginConformance
from plugins.mercari import plugin
from plugins.mercari.partner_account import PartnerAccount
from plugins.mercari.practice import account


class TestConformance(PluginConformance):
    plugin = plugin
    answers = Path(__file__).parent / "answers"
    settings = PartnerAccount(**account())
