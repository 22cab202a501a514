"""Orders whose answer was lost at the practice market: asked about over real HTTP, never sent again."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from monitor_site.connections import async_redis_client
from monitor_site.contract import BuyRequest, Money, OutcomeUnknown
from monitor_site.engine import outcomes
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import reconciling, sweeping
from monitor_site.purchasing.models import LedgerEntry, Order
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from tests.plugins.mercari.buying import connected
from tests.plugins.standins import Market
from tests.purchasing.market import submitted
from tests.web.rows import listing

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]
LOST = {"kind": "lost", "seconds": 0}


@pytest.fixture
def now():
    return datetime.now(UTC)


@pytest.fixture
def account(market: Market, alice, settings, now) -> MarketplaceAccount:
    """Alice's, which may spend at the practice market."""
    settings.PRACTICE_MARKETS = {"mercari": market.base}
    market.do("orders", history_lag=0, rotates=False, tells_paid=True, fee_as_text=False)
    market.do("buyer", name="alice", banned=False, address=True, card=True, known=True, sign_out=True, reset=True)
    account = connected(alice)
    MarketplaceAccount.objects.filter(pk=account.pk).update(spends_since=now)
    return MarketplaceAccount.objects.get(pk=account.pk)


def offered(market: Market, number: int, now):
    """A thing on sale, and its listing here."""
    name = str(market.do("list", title="照会 見本", price=3000, visible_in=0)["id"])
    return listing(number, now=now, external_id=name, price=3000)


def bought(order: Order) -> str:
    """Send it, as a sender does; the marketplace's number for it."""
    money = Money(amount=3000, currency="JPY")
    names = {"external_id": order.listing.external_id, "reference": order.public_id}
    return asyncio.run(_send(BuyRequest(price_max=money, seen_price=money, **names), order.account_id))


async def _send(request: BuyRequest, account_id: int) -> str:
    async with async_redis_client() as client:
        gateway = Gateway(redis=client)
        try:
            receipt = await gateway.buy(marketplace="mercari", account_id=account_id, request=request)
        finally:
            await gateway.close()
    return receipt.transaction_id


def lost(alice, account, market, now, fault, number=1) -> Order:
    """An order whose answer told nothing."""
    order = submitted(alice, account, number, now=now, listing=offered(market, number, now), price=3000)
    market.do("faults", route="purchase", count=1, **fault)
    with pytest.raises(OutcomeUnknown):
        bought(order)
    reconciling.lose_sight(now=now + timedelta(seconds=21))
    order.refresh_from_db()
    return order


def asked(order: Order, now) -> Order:
    outcomes.ask([order.pk], now=now)
    order.refresh_from_db()
    return order


def truth(market: Market, order: Order) -> int:
    return sum(event["id"] == order.listing.external_id for event in market.truth("purchased"))


def earlier(alice, account, market, now) -> Order:
    """One that was bought a week before, without trouble."""
    order = submitted(alice, account, 9, now=now - timedelta(days=7), listing=offered(market, 9, now), price=3000)
    because = Because(actor="sender", fields={"reference": bought(order), "ask_at": None}, paid=3000)
    move(order=order, verb=Verb.PLACE, because=because, now=now - timedelta(days=7))
    order.submissions.update(outcome="placed")
    return order


@pytest.mark.parametrize("fault", [LOST, {"kind": "cut"}, {"kind": "layout"}, {"kind": "after", "status": 503}])
def test_what_was_taken_although_its_answer_was_lost_is_found_by_the_first_look_and_was_sent_once(
    alice, account, market, now, fault
):
    order = lost(alice, account, market, now, fault)
    assert order.state == State.UNKNOWN
    asked(order, now + timedelta(seconds=40))
    assert (order.state, order.paid, truth(market, order)) == (State.PLACED, 3000, 1)


def test_what_was_not_taken_is_ruled_out_only_beside_an_older_purchase_and_past_the_horizon(
    alice, account, market, now
):
    earlier(alice, account, market, now)
    order = lost(alice, account, market, now, {"kind": "close"})
    at = now + timedelta(seconds=40)
    while order.state == State.UNKNOWN and at < now + timedelta(hours=3):
        asked(order, at)
        at = max(at + timedelta(seconds=15), order.ask_at or at)
    assert (order.state, truth(market, order)) == (State.NOT_PLACED, 0)
    assert set(order.readings.values_list("seen", flat=True)) == {"absent"}
    assert order.stood_since > now + timedelta(minutes=30)


@pytest.mark.parametrize("kind", ["block403", "block200", "maintenance", "truncate"])
def test_a_page_that_is_no_answer_leaves_the_outcome_unknown_and_the_money_held(alice, account, market, now, kind):
    order = lost(alice, account, market, now, {"kind": "close"})
    market.do("faults", route="transactions", kind=kind)
    asked(order, now + timedelta(seconds=40))
    assert (order.state, order.readings.get().seen) == (State.UNKNOWN, "failed")
    assert not LedgerEntry.objects.filter(order=order, kind="release").exists()


def test_a_purchase_follows_what_mercari_says_of_it(alice, account, market, now):
    order = earlier(alice, account, market, now)
    for status, state in (("wait_review", State.SHIPPED), ("done", State.RECEIVED)):
        market.do("transaction", id=order.listing.external_id, status=status)
        sweeping.wake(now=now)
        account.sweep.__class__.objects.update(due_at=now)
        outcomes.sweep([account.pk], now=now)
        order.refresh_from_db()
        assert order.state == state
