"""The account that rules ask with: invented from the plugin's settings, or the test class's own."""

from dataclasses import dataclass, replace

import pytest

from monitor_site.contract import AccountSettings, option
from monitor_site.contract.testing import PluginConformance, plugin_in
from tests.house.source import ROOT

PLUGIN = plugin_in(ROOT / "monitor_site" / "contract" / "scaffold" / "sample_market")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(AccountSettings):
    api_key: str = option(label="Key", secret=True)
    area: str = option(label="Area", choices={"east": "East", "west": "West"})
    label: str = option(label="Label", default="mine")

    def __post_init__(self) -> None:
        if self.api_key == "refused":
            raise ValueError("not such a key")


def rules_of(shape: type[AccountSettings] | None, given: AccountSettings | None = None) -> PluginConformance:
    class Judged(PluginConformance):
        plugin = replace(PLUGIN, manifest=replace(PLUGIN.manifest, settings=shape))
        settings = given

    return Judged()


def test_an_account_is_invented_where_the_plugin_has_settings():
    assert rules_of(Settings).account == Settings(api_key="practice", area="east")
    assert rules_of(None).account is None


def test_the_account_of_the_test_class_is_taken_as_it_is():
    own = Settings(api_key="own", area="west")
    assert rules_of(Settings, own).account is own


def test_an_account_that_cannot_be_invented_is_asked_for_in_a_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("monitor_site.contract.testing.rule.WORD", "refused")
    with pytest.raises(pytest.fail.Exception, match=r"give the test class `settings`: ValueError: not such a key"):
        _ = rules_of(Settings).account
