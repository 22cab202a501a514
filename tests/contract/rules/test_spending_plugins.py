"""A plugin that spends must be able to tell what became of it, in the name of an account that can be verified."""

from dataclasses import replace
from typing import Any

import pytest

from monitor_site.contract import CONSEQUENCES, FOR_GOOD, Capability, Pauses, RefusalKind, Refused
from monitor_site.contract.rules import NotWhole, examine
from tests.marketplaces.shop import ABLE, Shop, plain_buy, shop


def changed(**changes: Any) -> Any:
    plugin = shop()
    return replace(plugin, manifest=replace(plugin.manifest, **changes))


def lacking(name: str) -> Any:
    """A plugin that can buy and lacks one method."""
    kind = type("Lacking", (Shop,), {name: None})
    return replace(shop(), connect=lambda session: kind(session, plain_buy))


def test_a_plugin_that_has_all_of_it_is_whole():
    assert examine(shop(), name="bazaar").manifest.capabilities == ABLE


@pytest.mark.parametrize(
    ("plugin", "reason"),
    [
        (changed(settings=None), "no settings of an account"),
        (changed(lists_purchases=False), "lists purchases"),
        (lacking("purchases"), "lists purchases"),
        (lacking("verify"), "cannot verify"),
        (lacking("find_purchase"), "declares buy, outcome, search"),
        (changed(capabilities=frozenset({Capability.SEARCH})), "offers buy, outcome, search"),
    ],
)
def test_what_it_lacks_is_said(plugin: Any, reason: str):
    with pytest.raises(NotWhole, match=reason):
        examine(plugin, name="bazaar")


def test_whoever_spends_and_cannot_find_out_what_became_of_it_is_broken():
    kind = type("Blind", (Shop,), {"find_purchase": None})
    plugin = changed(capabilities=ABLE - {Capability.OUTCOME})
    with pytest.raises(NotWhole, match="cannot find out what became of it"):
        examine(replace(plugin, connect=lambda session: kind(session, plain_buy)), name="bazaar")


@pytest.mark.parametrize("kind", RefusalKind)
def test_every_refusal_carries_its_consequence(kind: RefusalKind):
    refused = Refused(kind)
    consequence = CONSEQUENCES[kind]
    assert (refused.code, refused.reason) == ("refused", kind.value)
    assert (refused.pauses, refused.tells) == (consequence.pauses, consequence.tells)
    assert (refused.retry_after is not None) == (refused.pauses == Pauses.ACCOUNT)


def test_an_account_that_may_not_buy_pauses_for_good_and_a_word_nobody_knows_is_none():
    assert Refused(RefusalKind.ACCOUNT_RESTRICTED).retry_after == FOR_GOOD
    with pytest.raises(ValueError, match="no such word"):
        Refused("no such word")  # type: ignore[arg-type]
