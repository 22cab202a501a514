"""One small fault in how this plugin buys is noticed by the rule that is about it."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from monitor_site.contract import (
    AccountInfo,
    BuyRequest,
    MarketplaceError,
    Purchase,
    Receipt,
    RefusalKind,
    Refused,
)
from plugins.mercari import after_buying, before_buying, plugin
from plugins.mercari.marketplace import Mercari
from tests.plugins.mercari import test_conformance as whole
from tests.plugins.standins import Market


class Retrying(Mercari):
    async def buy(self, request: BuyRequest) -> Receipt:
        with suppress(MarketplaceError):
            return await super().buy(request)
        return await super().buy(request)


class Trusting(Mercari):
    async def buy(self, request: BuyRequest) -> Receipt:
        try:
            return await super().buy(request)
        except Refused:
            raise
        except MarketplaceError:
            return Receipt(external_id=request.external_id, transaction_id="surely")


class Hasty(Mercari):
    async def find_purchase(self, external_id: str) -> Purchase | None:
        with suppress(MarketplaceError):
            return await super().find_purchase(external_id)
        return None


class Proving(Mercari):
    async def verify(self) -> AccountInfo:
        await self._session.commit(f"{self._session.base}/v1/items/purchase", json={})
        return await super().verify()


FAULTY = {
    Retrying: "test_a_purchase_whose_answer_is_lost_is_never_told_as_known",
    Trusting: "test_a_purchase_whose_answer_is_lost_is_never_told_as_known",
    Hasty: "test_no_block_says_that_nothing_was_bought",
    Proving: "test_an_account_is_verified_without_spending",
}


def judge(rule: str, market: Market, kind: type[Mercari] = Mercari) -> None:
    class Judged(whole.TestConformance):
        plugin = replace(plugin, connect=kind)

    getattr(Judged(), rule)(market)


def noticed(rule: str, market: Market, kind: type[Mercari] = Mercari) -> None:
    with pytest.raises(pytest.fail.Exception):
        judge(rule, market, kind)


@pytest.mark.parametrize("kind", FAULTY)
def test_a_small_fault_is_noticed(market: Market, kind: type[Mercari]):
    judge(FAULTY[kind], market)
    market.do("faults/clear")
    noticed(FAULTY[kind], market, kind)


def test_a_conflict_taken_for_a_refusal_is_noticed(market: Market, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(after_buying, "SAYS_NOTHING", set[int]())
    monkeypatch.setitem(after_buying.STATUSES, 409, RefusalKind.SOLD_OUT)
    noticed("test_a_purchase_whose_answer_is_lost_is_never_told_as_known", market)


@pytest.mark.parametrize("check", ["_refuse_price", "_refuse_dear"])
def test_a_price_that_is_not_looked_at_is_noticed(market: Market, monkeypatch: pytest.MonkeyPatch, check: str):
    def nothing(*_: Any) -> None:
        return None

    monkeypatch.setattr(before_buying, check, nothing)
    noticed("test_what_costs_more_is_refused_before_it_is_sent", market)
