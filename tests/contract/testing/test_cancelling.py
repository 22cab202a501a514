"""What the kit demands of a plugin that cancels, kept by one that does, over its own practice market."""

from typing import Any

import pytest

from monitor_site.contract import CancelReceipt, CancelRequest, Capability, PluginFault
from monitor_site.contract.rules import NotWhole, orders
from monitor_site.contract.rules.whole import examine_capabilities
from monitor_site.contract.testing.about_cancelling import AboutCancelling
from tests.contract.testing.cancelling import plugin
from tests.marketplaces.shop import Shop, plain_buy, shop

REQUEST = CancelRequest(external_id="b1", transaction_id="t1", reference="order-1")


class TestPluginThatCancels(AboutCancelling):
    plugin = plugin


def test_a_plugin_that_cancels_and_declares_it_is_whole():
    examine_capabilities(plugin)


def test_what_cannot_buy_cannot_cancel_either():
    from dataclasses import replace

    kind = type("Canceller", (Shop,), {"buy": None, "cancel": lambda *_: None})
    able = frozenset({Capability.SEARCH, Capability.CANCEL, Capability.OUTCOME})
    broken = shop(capabilities=able)
    with pytest.raises(NotWhole, match="cancel what it cannot buy"):
        examine_capabilities(replace(broken, connect=lambda session: kind(session, plain_buy)))


def test_a_receipt_for_the_very_purchase_is_believed():
    told = CancelReceipt(external_id="b1", transaction_id="t1")
    assert orders.cancel_receipt(told, request=REQUEST) is told


@pytest.mark.parametrize(
    "told",
    [
        None,
        "cancelled",
        CancelReceipt(external_id="b2", transaction_id="t1"),
        CancelReceipt(external_id="b1", transaction_id="t2"),
        CancelReceipt(external_id="b1", transaction_id=""),
    ],
    ids=str,
)
def test_any_other_receipt_is_the_plugins_fault(told: Any):
    with pytest.raises(PluginFault):
        orders.cancel_receipt(told, request=REQUEST)
