"""Purchases that go wrong at the practice market: after a purchase was sent, only a listed refusal is a refusal."""

import asyncio

import pytest

from monitor_site.contract import (
    Blocked,
    LayoutChanged,
    NotSent,
    OutcomeUnknown,
    PurchaseStage,
    Refused,
    SignInNeeded,
    Throttled,
    Unavailable,
)
from monitor_site.marketplaces.accounts import FOR_GOOD
from monitor_site.marketplaces.models import MarketplaceAccount
from tests.marketplaces.clock import let_time_pass
from tests.plugins.mercari.buying import Buyer
from tests.plugins.standins import Market, struck

# Faults of a purchase, with whether Mercari took it all the same.
SILENT = [
    ({"kind": "lost", "seconds": 0}, True),
    ({"kind": "cut"}, True),
    ({"kind": "truncate"}, True),
    ({"kind": "layout"}, True),
    ({"kind": "after", "status": 500}, True),
    ({"kind": "after", "status": 503}, True),
    ({"kind": "after", "status": 409}, True),
    ({"kind": "after", "status": 429}, True),
    ({"kind": "after", "status": 400}, True),
    ({"kind": "close"}, False),
    ({"kind": "hang"}, False),
    ({"kind": "status", "status": 500}, False),
    ({"kind": "status", "status": 503}, False),
    ({"kind": "status", "status": 409}, False),
    ({"kind": "throttle"}, False),
    ({"kind": "maintenance"}, False),
    ({"kind": "block200"}, False),
    ({"kind": "block403"}, False),
    ({"kind": "no_body"}, False),
    ({"kind": "failure", "code": "F9999"}, False),
    ({"kind": "failure", "code": "F1004"}, False),
    ({"kind": "failure", "code": "F0105", "status": 503}, False),
    ({"kind": "failure", "code": "F0105", "status": 409}, False),
]


def _name(case) -> str:
    return " ".join(map(str, case.values())) if isinstance(case, dict) else ""


@pytest.mark.parametrize(("fault", "taken"), SILENT, ids=_name)
async def test_an_answer_that_says_nothing_leaves_the_outcome_unknown_and_the_truth_is_found_later(
    alice_buys: Buyer, market: Market, fault, taken: bool
):
    thing = alice_buys.offer()
    market.do("faults", route="purchase", count=1, **fault)

    ending = asyncio.ensure_future(alice_buys.refused(thing))
    if fault["kind"] == "hang":
        await struck(market)
        let_time_pass()
    error = await ending

    assert isinstance(error, OutcomeUnknown), error
    found = await alice_buys.find(thing)
    assert (found is not None) == taken
    assert len(alice_buys.purchases(thing)) == int(taken)


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ({"kind": "failure", "code": "F0105"}, "sold_out"),
        ({"kind": "failure", "code": "F0104"}, "address_invalid"),
        ({"kind": "failure", "code": "F0017", "status": 403}, "account_restricted"),
        ({"kind": "verification"}, "verification_required"),
        ({"kind": "status", "status": 402}, "payment_required"),
        ({"kind": "status", "status": 401}, "auth_expired"),
    ],
    ids=_name,
)
async def test_a_listed_refusal_is_refused_by_its_word_and_nothing_is_sent_again(
    alice_buys: Buyer, market: Market, fault, word: str
):
    thing = alice_buys.offer()
    market.do("faults", route="purchase", count=1, **fault)
    before = market.look("state")["totals"].get("purchase", 0)

    error = await alice_buys.refused(thing)

    assert isinstance(error, Refused), error
    assert error.kind == word
    assert market.look("state")["totals"]["purchase"] == before + 1
    assert alice_buys.purchases(thing) == []


@pytest.mark.parametrize(
    ("standing", "word"),
    [
        ({"banned": True}, "account_restricted"),
        ({"address": False}, "address_invalid"),
        ({"card": False}, "payment_required"),
    ],
)
async def test_an_account_that_may_not_buy_is_refused_and_pauses(alice_buys: Buyer, market: Market, standing, word):
    thing = alice_buys.offer()
    market.do("buyer", name="alice", **standing)

    with pytest.raises(Refused) as caught:
        await alice_buys.buy(thing)

    assert caught.value.kind == word
    row = await MarketplaceAccount.objects.aget(pk=alice_buys.account.pk)
    assert row.pause_reason == word
    assert (row.paused_until == FOR_GOOD) == (word == "account_restricted")
    with pytest.raises(NotSent, match="paused"):
        await alice_buys.buy(thing)
    assert await alice_buys.find(thing) is None  # questions go on


async def test_a_lost_answer_pauses_buying_until_it_is_resolved_and_no_question(alice_buys: Buyer, market: Market):
    thing, other = alice_buys.offer(), alice_buys.offer()
    market.do("faults", route="purchase", count=1, kind="lost", seconds=0)
    with pytest.raises(OutcomeUnknown):
        await alice_buys.buy(thing)

    with pytest.raises(NotSent, match="outcome_unknown"):
        await alice_buys.buy(other)

    found = await alice_buys.find(thing)
    assert found is not None
    assert found.stage == PurchaseStage.WAIT_SHIPPING


async def test_sold_out_after_a_lost_answer_proves_nothing_the_purchase_does(alice_buys: Buyer, market: Market):
    thing = alice_buys.offer()
    market.do("faults", route="purchase", count=1, kind="lost", seconds=0)
    await alice_buys.refused(thing)

    again = await alice_buys.refused(thing)

    assert getattr(again, "kind", again) == "sold_out"
    assert await alice_buys.find(thing) is not None
    assert len(alice_buys.purchases(thing)) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "status", "status": 500}, Unavailable),
        ({"kind": "close"}, Unavailable),
        ({"kind": "throttle"}, Throttled),
        ({"kind": "block403"}, Blocked),
        ({"kind": "block200"}, Blocked),
        ({"kind": "truncate"}, LayoutChanged),
        ({"kind": "layout"}, LayoutChanged),
    ],
    ids=_name,
)
@pytest.mark.parametrize("route", ["items", "partner_items", "token", "transactions"])
async def test_what_goes_wrong_before_it_is_an_error_that_says_nothing_was_sent(
    alice_buys: Buyer, market: Market, fault, error, route: str
):
    thing = alice_buys.offer()
    if route == "transactions":
        await alice_buys.buy(thing)
    before = market.look("state")["totals"].get("purchase", 0)
    market.do("faults", route=route, count=3, **fault)

    with pytest.raises(error):
        await (alice_buys.find(thing) if route == "transactions" else alice_buys.buy(thing))

    assert market.look("state")["totals"].get("purchase", 0) == before


async def test_a_token_that_ran_out_is_renewed_before_and_kept(alice_buys: Buyer, market: Market):
    first, second, third = (alice_buys.offer() for _ in range(3))
    await alice_buys.buy(first)
    renewals = market.do("buyer", name="alice")["renewals"]
    await alice_buys.buy(second)
    assert market.do("buyer", name="alice")["renewals"] == renewals

    market.do("buyer", name="alice", sign_out=True)

    assert (await alice_buys.buy(third)).external_id == third
    assert market.do("buyer", name="alice")["renewals"] == renewals + 1


async def test_a_refresh_token_that_changes_with_every_use_is_kept(alice_buys: Buyer, market: Market):
    market.do("orders", rotates=True)
    for _ in range(3):
        market.do("buyer", name="alice", sign_out=True)
        thing = alice_buys.offer()
        assert (await alice_buys.buy(thing)).external_id == thing


async def test_a_token_that_ends_between_the_look_and_the_purchase_is_not_renewed_after_it(
    alice_buys: Buyer, market: Market
):
    thing = alice_buys.offer()

    async def signed_out() -> None:
        market.do("buyer", name="alice", sign_out=True)

    error = await alice_buys.refused(thing, before_commit=signed_out)

    assert getattr(error, "kind", error) == "auth_expired"
    assert alice_buys.purchases(thing) == []


@pytest.mark.parametrize("standing", [{"known": False}])
async def test_revoked_credentials_are_told_by_a_try(alice_buys: Buyer, market: Market, standing):
    market.do("buyer", name="alice", sign_out=True, **standing)

    with pytest.raises(SignInNeeded):
        await alice_buys.gateway.verify(marketplace="mercari", account_id=alice_buys.account.pk)


async def test_good_credentials_are_told_by_a_try_that_writes_nothing(alice_buys: Buyer, market: Market):
    told = await alice_buys.gateway.verify(marketplace="mercari", account_id=alice_buys.account.pk)
    assert told.label == "partner-alice"


@pytest.mark.parametrize("kind", ["block200", "block403", "no_body", "empty", "truncate", "expired", "maintenance"])
async def test_no_page_of_another_kind_ever_says_that_nothing_was_bought(alice_buys: Buyer, market: Market, kind: str):
    thing = alice_buys.offer()
    market.do("faults", route="transactions", kind=kind)

    with pytest.raises((Blocked, LayoutChanged, SignInNeeded, Unavailable)):
        await alice_buys.find(thing)
