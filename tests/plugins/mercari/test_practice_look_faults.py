"""What goes wrong on a look at the practice market over real HTTP, with the proofs it must carry."""

import pytest

from monitor_site.contract import (
    Blocked,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    Money,
    SignInNeeded,
    Throttled,
    Unavailable,
)
from monitor_site.marketplaces.gateway import Gateway
from plugins.mercari.ask import listing_address
from plugins.mercari.marketplace import Mercari
from tests.plugins.mercari.asking import ask
from tests.plugins.standins import Market, PlainSession

SHOP = "kotorishopKotorishop22"


async def test_the_wrong_call_answers_as_if_a_product_did_not_exist(market: Market, session: PlainSession):
    product = market.do("list", title="店の品", price=1, visible_in=0, shop=SHOP)["id"]
    assert (await ask(session, f"{market.base}/items/get?id={product}")).status == 404


async def test_a_look_counts_twice_and_signs_its_whole_address(market: Market, mercari: Mercari, session: PlainSession):
    made = market.do("list", title="重さ", price=1, visible_in=0)["id"]
    await mercari.look(made)
    (asked,) = session.asked
    assert (asked["weight"], asked["url"]) == (2, listing_address(market.base, made))
    assert market.truth("refused") == []


@pytest.mark.parametrize("signed", ["whole", "bare"])
async def test_the_market_takes_a_proof_for_the_address_with_and_without_its_query(
    market: Market, session: PlainSession, signed: str
):
    made = market.do("list", title="署名", price=1, visible_in=0)["id"]
    url = listing_address(market.base, made)
    assert (await ask(session, url, signed=url if signed == "whole" else url.partition("?")[0])).status == 200


async def test_the_market_refuses_a_proof_for_another_method(market: Market, session: PlainSession):
    url = listing_address(market.base, "m01")
    assert (await ask(session, url, method="POST")).status == 401
    assert market.truth("refused")[-1]["reason"] == "htm POST"
    assert (await session.get(url)).status == 401


WRONG: dict[str, tuple[dict[str, object], type[MarketplaceError]]] = {
    "throttle": ({"retry_after": 7}, Throttled),
    "maintenance": ({}, Unavailable),
    "block403": ({}, Blocked),
    "block200": ({}, Blocked),
    "truncate": ({}, LayoutChanged),
    "layout": ({}, LayoutChanged),
    "charset": ({}, LayoutChanged),
    "no_body": ({}, LayoutChanged),
    "empty": ({}, LayoutChanged),
    "status": ({"status": 404}, LayoutChanged),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize(("route", "shop"), [("items", ""), ("products", SHOP)])
async def test_what_goes_wrong_on_a_look_is_never_taken_for_gone(
    market: Market, mercari: Mercari, kind: str, route: str, shop: str
):
    options, error = WRONG[kind]
    made = market.do("list", title="壊れた眺め", price=1, visible_in=0, shop=shop)["id"]
    market.do("faults", kind=kind, route=route, count=1, **options)
    with pytest.raises(MarketplaceError) as caught:
        await mercari.look(made)
    assert type(caught.value) is error
    assert (await mercari.look(made)).external_id == made


async def test_a_renamed_id_is_another_layout(market: Market, mercari: Mercari):
    made = market.do("list", title="名前替え", price=1, visible_in=0)["id"]
    market.do("faults", kind="layout", part="rows", route="items", count=1)
    with pytest.raises(LayoutChanged):
        await mercari.look(made)


async def test_a_refused_proof_of_a_look_is_tried_once_more_with_a_new_key(
    market: Market, mercari: Mercari, session: PlainSession
):
    made = market.do("list", title="鍵", price=1, visible_in=0)["id"]
    market.do("faults", kind="expired", route="items", count=1)
    assert (await mercari.look(made)).external_id == made
    first, second = (asked["headers"]["DPoP"].split(".")[0] for asked in session.asked)
    assert first != second

    market.do("faults", kind="expired", route="items", count=2)
    with pytest.raises(SignInNeeded):
        await mercari.look(made)
    assert len(session.asked) == 4


async def test_the_core_gets_looks_and_their_refusals_as_promised(market: Market, gateway: Gateway):
    made = market.do("list", title="門を通る", price=777, visible_in=0)["id"]
    found = await gateway.look(marketplace="mercari", external_id=made)
    assert [sighting.price for sighting in found.sightings] == [Money(amount=777, currency="JPY")]
    market.do("remove", id=made)
    with pytest.raises(ListingGone):
        await gateway.look(marketplace="mercari", external_id=made)


async def test_a_throttled_look_makes_every_question_wait(market: Market, gateway: Gateway):
    made = market.do("list", title="待つ", price=1, visible_in=0)["id"]
    market.do("faults", kind="throttle", route="items", retry_after=7, count=1)
    with pytest.raises(Throttled) as caught:
        await gateway.look(marketplace="mercari", external_id=made)
    assert caught.value.retry_after == 7.0


@pytest.mark.parametrize(
    ("what", "order"),
    [
        ("stock", {"variant": 5, "quantity": 1}),
        ("stock", {"quantity": -1}),
        ("change", {"price": "x"}),
        ("edit", {"condition": "x"}),
    ],
)
def test_the_control_end_refuses_what_makes_no_sense(market: Market, what: str, order: dict[str, object]):
    made = market.do("list", title="無茶", price=1, visible_in=0, shop=SHOP)["id"]
    assert market.ask(what, {"id": made, **order}).status_code == 400
