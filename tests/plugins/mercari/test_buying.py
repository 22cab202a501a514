"""Buying at the practice market by the partner API, through the gateway and over real HTTP."""

import asyncio

import pytest

from monitor_site.contract import Money, Purchase, PurchaseStage, Refused
from monitor_site.marketplaces.gateway import Gateway
from tests.plugins.mercari.buying import Buyer, wish, yen
from tests.plugins.standins import Market

SHOP = "kotorishopKotorishop22"
VARIANTS = [{"name": "赤", "quantity": 1}, {"name": "青", "quantity": 0}]


async def kind(buyer: Buyer, external_id: str, **changes) -> str:
    """The word of the refusal, which sends nothing."""
    error = await buyer.refused(external_id, **changes)
    assert isinstance(error, Refused), error
    return error.kind.value


async def test_a_purchase_is_told_with_its_number_and_what_was_paid_and_found_again(alice_buys: Buyer):
    thing = alice_buys.offer()

    receipt = await alice_buys.buy(thing, reference="order-77")

    written = alice_buys.purchases(thing)
    assert [(each["buyer"], each["reference"], each["paid"]) for each in written] == [("alice", "order-77", 3000)]
    assert (receipt.external_id, receipt.transaction_id) == (thing, written[0]["transaction"])
    assert (receipt.paid, receipt.shipping) == (yen(3000), yen(0))
    found = await alice_buys.find(thing)
    assert isinstance(found, Purchase)
    assert (found.transaction_id, found.stage) == (receipt.transaction_id, PurchaseStage.WAIT_SHIPPING)
    assert (found.price, found.paid) == (yen(3000), yen(3000))


async def test_what_was_not_bought_is_not_found_and_neither_is_what_another_bought(alice_buys: Buyer, bob_buys: Buyer):
    thing = alice_buys.offer()
    assert await alice_buys.find(thing) is None

    await bob_buys.buy(thing)

    assert await alice_buys.find(thing) is None
    assert await bob_buys.find(thing) is not None


async def test_of_two_who_want_one_thing_exactly_one_gets_it(alice_buys: Buyer, bob_buys: Buyer):
    thing = alice_buys.offer()

    ended = await asyncio.gather(alice_buys.buy(thing), bob_buys.buy(thing), return_exceptions=True)

    refusals = [each for each in ended if isinstance(each, BaseException)]
    assert [getattr(each, "kind", each) for each in refusals] == ["sold_out"]
    assert len(alice_buys.purchases(thing)) == 1


@pytest.mark.parametrize(
    ("offer", "changes", "word"),
    [
        ({"auction_seconds": 3600}, {}, "auction_unsupported"),
        ({"price": None}, {}, "no_price"),
        ({"price": 9_999_999}, {"seen_price": yen(9_999_999), "price_max": yen(10**8)}, "no_price"),
        ({"payer": 1}, {"price_max": yen(9000)}, "buyer_pays_shipping"),
        ({"payer": 1, "fee": None}, {"price_max": yen(9000), "buyer_pays_ok": True}, "shipping_unknown"),
        ({"payer": 1, "fee": 0}, {"price_max": yen(9000), "buyer_pays_ok": True}, "shipping_unknown"),
        ({"payer": 1, "fee": 700}, {"buyer_pays_ok": True}, "over_limit"),
        ({"price": 3100}, {"price_max": yen(9000)}, "price_changed"),
        ({}, {"price_max": yen(2999)}, "over_limit"),
        ({}, {"price_max": Money(amount=9000, currency="USD")}, "over_limit"),
        ({}, {"seen_digest": "0" * 32}, "price_changed"),
        ({}, {"variant": "none-such"}, "variant_required"),
        ({"shop": SHOP, "variants": VARIANTS}, {}, "variant_required"),
        ({"shop": SHOP, "variants": [{"name": "青", "quantity": 0}]}, {}, "out_of_stock"),
    ],
)
async def test_what_must_not_be_bought_is_refused_before_anything_is_sent(
    alice_buys: Buyer, market: Market, offer, changes, word: str
):
    thing = alice_buys.offer(**offer)
    sent = market.look("state")["totals"].get("purchase", 0)

    assert await kind(alice_buys, thing, **changes) == word
    assert market.look("state")["totals"].get("purchase", 0) == sent


@pytest.mark.parametrize(
    ("order", "changes", "word"),
    [
        ("sell", {}, "sold_out"),
        ("sell", {"done": True}, "sold_out"),
        ("stop", {}, "not_on_sale"),
        ("cancel", {}, "listing_gone"),
        ("remove", {}, "listing_gone"),
        ("forget", {}, "listing_gone"),
    ],
)
async def test_what_is_no_more_on_sale_is_refused_by_its_own_word(
    alice_buys: Buyer, market: Market, order, changes, word
):
    thing = alice_buys.offer(price=9000)
    market.do(order, id=thing, **changes)

    assert await kind(alice_buys, thing) == word


async def test_an_edit_since_it_was_seen_is_refused_though_it_costs_the_same(
    alice_buys: Buyer, market: Market, mercari
):
    thing = alice_buys.offer()
    seen = (await mercari.look(thing)).extra["checksum"]
    market.do("edit", id=thing, description="ジャンク")

    assert await kind(alice_buys, thing, seen_digest=seen) == "price_changed"

    seen = (await mercari.look(thing)).extra["checksum"]
    assert (await alice_buys.buy(thing, seen_digest=seen)).external_id == thing


async def test_shipping_that_the_buyer_pays_is_within_the_limit_where_it_is_allowed(alice_buys: Buyer):
    thing = alice_buys.offer(payer=1, fee=701)

    receipt = await alice_buys.buy(thing, price_max=yen(3701), buyer_pays_ok=True)

    assert (receipt.paid, receipt.shipping) == (yen(3701), yen(701))


@pytest.mark.parametrize(("do", "more"), [("sell", {}), ("change", {"price": 9000}), ("stop", {}), ("edit", {})])
async def test_what_changes_between_the_look_and_the_purchase_is_not_bought(
    alice_buys: Buyer, market: Market, do: str, more
):
    thing = alice_buys.offer()
    market.do("meanwhile", id=thing, do=do, **more)

    assert await kind(alice_buys, thing) == "sold_out"
    assert alice_buys.purchases(thing) == []


async def test_a_shop_sells_until_its_variant_is_gone(alice_buys: Buyer, market: Market):
    thing = alice_buys.offer(shop=SHOP, variants=VARIANTS)
    red, blue = market.do("stock", id=thing, variant=1, quantity=0)["variants"]

    assert await kind(alice_buys, thing, variant=blue) == "out_of_stock"
    assert (await alice_buys.buy(thing, variant=red)).external_id == thing
    assert await kind(alice_buys, thing, variant=red) == "sold_out"
    assert [each["variant"] for each in alice_buys.purchases(thing)] == [red]


async def test_nobody_says_that_a_shops_product_was_not_bought(alice_buys: Buyer):
    thing = alice_buys.offer(shop=SHOP, variants=[{"quantity": 3}])
    with pytest.raises(Exception, match="cannot be looked up"):
        await alice_buys.find(thing)


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("wait_payment", "wait_payment"),
        ("wait_review", "shipped"),
        ("wait_done", "received"),
        ("done", "received"),
        ("cancel_request", "cancel_asked"),
        ("cancelled", "cancelled"),
    ],
)
async def test_a_purchase_is_followed_through_its_stages(alice_buys: Buyer, market: Market, status: str, stage: str):
    thing = alice_buys.offer()
    await alice_buys.buy(thing)
    market.do("transaction", id=thing, status=status, tracking="1234-5678")

    found = await alice_buys.find(thing)

    assert found is not None
    assert (found.stage, found.tracking) == (stage, "1234-5678")


async def test_a_cancelled_purchase_goes_on_sale_again(alice_buys: Buyer, market: Market, mercari):
    thing = alice_buys.offer()
    await alice_buys.buy(thing)
    market.do("transaction", id=thing, status="cancelled")

    assert (await mercari.look(thing)).status == "on_sale"


async def test_a_purchase_may_be_invisible_for_a_while(alice_buys: Buyer, market: Market):
    market.do("orders", history_lag=300)
    thing = alice_buys.offer()
    await alice_buys.buy(thing)

    assert await alice_buys.find(thing) is None
    market.do("clock", advance=301)
    assert await alice_buys.find(thing) is not None


@pytest.mark.parametrize(("tells_paid", "fee_as_text"), [(False, False), (True, True), (False, True)])
async def test_figures_come_as_text_or_not_at_all(alice_buys: Buyer, market: Market, tells_paid, fee_as_text):
    market.do("orders", tells_paid=tells_paid, fee_as_text=fee_as_text)
    thing = alice_buys.offer()

    assert (await alice_buys.buy(thing)).paid == yen(3000)


async def test_the_reference_is_not_told_where_the_account_does_not_want_it(bob_buys: Buyer):
    thing = bob_buys.offer()

    await bob_buys.buy(thing)

    assert [each["reference"] for each in bob_buys.purchases(thing)] == [""]


async def test_a_rehearsal_reads_all_and_sends_nothing(alice_buys: Buyer, gateway: Gateway, market: Market):
    thing = alice_buys.offer()

    would = await gateway.rehearse(marketplace="mercari", account_id=alice_buys.account.pk, request=wish(thing))

    assert would.url == f"{market.base}/v1/items/purchase"
    assert (would.json["item_id"], would.json["delivery_identifier"]) == (thing, "order-1")
    assert "access-" not in repr(would)
    assert alice_buys.purchases(thing) == []


async def test_reading_goes_on_without_any_account(gateway: Gateway, market: Market, transactional_db):
    thing = market.do("list", title="覗く 見本", price=4321, visible_in=0)["id"]
    found = await gateway.look(marketplace="mercari", external_id=thing)
    assert [each.external_id for each in found.sightings] == [thing]
