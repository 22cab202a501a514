"""The partner API without a network: what is sent where, and what answers mean."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.contract import (
    Answer,
    Blocked,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    OutcomeUnknown,
    PurchaseStage,
    Receipt,
    RefusalKind,
    Refused,
    Shipping,
    SignInNeeded,
    Throttled,
    Unavailable,
)
from plugins.mercari.after_buying import read_purchase
from plugins.mercari.manifest import API, MANIFEST
from plugins.mercari.parse_partner import read_partner_item, read_token, read_transaction
from plugins.mercari.partner_account import PartnerAccount, access_of
from plugins.mercari.partner_ask import basic, item_address, places, purchase_body, signed, token_form
from plugins.mercari.practice import account
from tests.plugins.mercari.buying import ITEM, ITEM_ID, told, wish, yen
from tests.plugins.mercari.samples import NOW

PRODUCT_ID = "practiceProduct1234567"
OURS = PartnerAccount(**account())
DETAILS = {"trx_id": 511111151, "paid_method": "card", "price": 3001, "item_id": ITEM_ID}


def success(**changes: Any) -> dict[str, Any]:
    return {"request_id": "r", "transaction_status": "success", "transaction_details": DETAILS | changes}


def failure(code: str) -> dict[str, Any]:
    return {"request_id": "r", "transaction_status": "failure", "failure_details": {"code": code, "reasons": "x"}}


# -- what is sent -----------------------------------------------------------------------------------------------------


def test_tokens_and_purchases_go_to_mercari_its_sandbox_or_a_practice_market():
    sandbox = replace(OURS, place="sandbox")
    assert places(API, OURS).auth == "https://auth.mercari.com"
    assert places(API, OURS).api == "https://api.jp-mercari.com"
    assert places(API, sandbox).api == "https://api.mercari-sandbox.com"
    assert places("http://127.0.0.1:9", sandbox).auth == "http://127.0.0.1:9"
    live = [places(API, each) for each in (OURS, sandbox)]
    assert {urlsplit(url).hostname for each in live for url in (each.auth, each.api)} <= set(MANIFEST.hosts)


def test_a_purchase_names_the_checksum_of_the_item_just_read_and_where_it_goes():
    body = purchase_body(replace(OURS, address2="203"), replace(ITEM, checksum="ab12"), wish(ITEM_ID))
    assert (body["item_id"], body["checksum"], body["delivery_identifier"]) == (ITEM_ID, "ab12", "order-1")
    assert (body["zip_code1"], body["zip_code2"], body["address2"]) == ("100", "0001", "203")
    assert "variant_id" not in body
    assert not [name for name in body if "token" in name or "secret" in name]


def test_a_shops_product_names_its_variant_and_shipping():
    product = replace(ITEM, shop=True, variant="v1", fee=yen(700))
    body = purchase_body(OURS, product, wish(PRODUCT_ID))
    assert (body["variant_id"], body["shops_shipping_fee"]) == ("v1", 700)


@pytest.mark.parametrize("code", ["", "123", "12345678", "abcdefg"])
def test_a_postal_code_that_is_none_is_refused_before_anything_is_sent(code: str):
    with pytest.raises(Refused) as caught:
        purchase_body(replace(OURS, zip_code=code), ITEM, wish(ITEM_ID))
    assert caught.value.kind == RefusalKind.ADDRESS_INVALID


def test_an_item_is_asked_for_with_what_shipping_costs_there():
    url = urlsplit(item_address("https://api.example", "a/b", OURS))
    assert (url.path, parse_qs(url.query)) == ("/v1/items/a%2Fb", {"prefecture": ["東京都"]})


def test_the_token_is_sent_with_the_word_or_alone():
    assert signed(OURS, "t")["Authorization"] == "Bearer t"
    assert signed(replace(OURS, authorization="bare"), "t")["Authorization"] == "t"
    assert basic(OURS)["Authorization"].startswith("Basic ")
    assert token_form(OURS)["refresh_token"] == OURS.refresh_token


def test_a_kept_token_is_used_until_shortly_before_its_end_and_with_its_own_credentials_only():
    kept = replace(OURS, access=access_of("t", seconds=3600, whose=OURS.fingerprint, now=NOW))
    assert kept.token(NOW) == "t"
    assert kept.token(NOW + timedelta(minutes=59, seconds=30)) == ""
    assert replace(kept, refresh_token="another").token(NOW) == ""
    for broken in ("", "x", f"{OURS.fingerprint} soon t", f"{OURS.fingerprint}"):
        assert replace(OURS, access=broken).token(NOW) == ""


def test_no_secret_shows_in_what_is_said_of_an_account():
    kept = replace(OURS, access="canary")
    for secret in (kept.client_secret, kept.refresh_token, "canary"):
        assert secret not in f"{kept} {kept!r}"


# -- what a purchase is answered with ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "paid", "shipping"),
    [
        ({"buyer_shipping_fee": 701}, 3702, 701),
        ({"buyer_shipping_fee": "701"}, 3702, 701),
        ({"buyer_shipping_fee": "0"}, 3001, 0),
        ({}, 3001, 0),
        ({"paid_price": 2801}, 2801, 0),
        ({"paid_price": "2,801", "buyer_shipping_fee": "701"}, 3502, 701),
        ({"price": None}, None, 0),
    ],
)
def test_a_purchase_tells_what_was_paid_and_nothing_it_does_not_know(changes, paid: int | None, shipping: int):
    receipt = read_purchase(told(success(**changes)), ITEM)
    assert receipt == Receipt(
        external_id=ITEM_ID,
        transaction_id="511111151",
        paid=None if paid is None else yen(paid),
        shipping=yen(shipping),
    )


def test_an_order_of_a_shop_has_a_number_of_its_own():
    details = {"trx_id": None, "shop_order_id": "mnpq7Zx4"}
    assert read_purchase(told(success(**details)), ITEM).transaction_id == "mnpq7Zx4"


@pytest.mark.parametrize(
    "answer",
    [
        told(success(trx_id=None)),
        told(success(trx_id="")),
        told(success(item_id="m09999999999")),
        told({**success(), "transaction_status": "pending"}),
        told({"transaction_status": "success"}),
        told([success()]),
        told(b""),
        told(b'{"transaction_status": "succ'),
        told(success(), media_type="text/html"),
        told(b"<html>", media_type="application/json"),
        *(told(success(), status=status) for status in (201, 202, 204, 301, 400, 500, 504)),
        *(told(failure("F0105"), status=status) for status in (408, 409, 425, 429, 500, 502, 503, 504)),
        *(told(failure(code), status=400) for code in ("F9999", "F1004", "F1005", "", "f0105")),
        told({"code": 400, "message": "Bad Request"}, status=400),
        told({"code": 402, "message": "x"}, status=402, media_type="text/html"),
        told(failure("F1004"), status=402),
        told(failure("F1004"), status=401),
        told(b"<html>", status=401, media_type="text/html"),
    ],
    ids=lambda answer: f"{answer.status} {answer.body[:60]!r}",
)
def test_what_is_neither_a_purchase_nor_a_listed_refusal_leaves_it_unknown(answer: Answer):
    with pytest.raises(OutcomeUnknown):
        read_purchase(answer, ITEM)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (told(failure("F0105"), status=400), RefusalKind.SOLD_OUT),
        (told(failure("F0105"), status=200), RefusalKind.SOLD_OUT),
        (told(failure("F0104"), status=400), RefusalKind.ADDRESS_INVALID),
        (told(failure("F0017"), status=403), RefusalKind.ACCOUNT_RESTRICTED),
        (told({"code": 402, "message": "Payment Required"}, status=402), RefusalKind.PAYMENT_REQUIRED),
        (told({"code": 401, "message": "Unauthorized"}, status=401), RefusalKind.AUTH_EXPIRED),
    ],
    ids=lambda each: str(each) if isinstance(each, RefusalKind) else "",
)
def test_a_listed_refusal_has_its_word(answer: Answer, kind: RefusalKind):
    with pytest.raises(Refused) as caught:
        read_purchase(answer, ITEM)
    assert caught.value.kind == kind


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["success", "F0105", ITEM_ID]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["transaction_status", "transaction_details", "failure_details", "code", "errors", "item_id", "trx_id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(data=JSON, status=st.integers(100, 599))
def test_no_answer_makes_anything_but_a_receipt_a_refusal_or_an_unknown(data: Any, status: int):
    try:
        receipt = read_purchase(told(data, status=status), ITEM)
    except (Refused, OutcomeUnknown):
        return
    assert (status, receipt.external_id, bool(receipt.transaction_id)) == (200, ITEM_ID, True)


# -- what is read before and after ------------------------------------------------------------------------------------


def test_an_item_is_read_with_what_is_needed_to_buy_it():
    row = {"id": ITEM_ID, "status": "on_sale", "price": 3001, "checksum": "ff03"}
    payer = {"shipping_payer": {"id": 2, "name": "送料込み", "code": "seller"}}
    assert read_partner_item(told(row | payer), ITEM_ID, now=NOW) == ITEM
    bare = read_partner_item(told(row), ITEM_ID, now=NOW)
    assert (bare.shipping, bare.fee) == (Shipping.UNKNOWN, None)


@pytest.mark.parametrize("status", [400, 403, 404, 412])
def test_an_item_that_is_gone_is_refused_in_several_ways(status: int):
    with pytest.raises(ListingGone):
        read_partner_item(told({"code": status, "message": "x"}, status=status), ITEM_ID, now=NOW)
    with pytest.raises(Blocked):
        read_partner_item(told(b"<html>", status=status, media_type="text/html"), ITEM_ID, now=NOW)


@pytest.mark.parametrize("row", [{}, [], {"id": ITEM_ID}, {"id": "m1", "checksum": "ff"}, {"id": ITEM_ID, "price": 1}])
def test_an_item_without_its_id_or_checksum_cannot_be_read(row: Any):
    with pytest.raises(LayoutChanged):
        read_partner_item(told(row), ITEM_ID, now=NOW)


def test_a_transaction_is_read_as_far_as_it_tells():
    row = {"id": "767717376", "status": "wait_shipping", "item_id": ITEM_ID, "updated_time": 1225150621}
    found = read_transaction(told(row), ITEM_ID, now=NOW)
    assert found is not None
    assert (found.transaction_id, found.stage) == ("767717376", PurchaseStage.WAIT_SHIPPING)
    assert (found.price, found.paid, found.tracking) == (None, None, None)
    new_word = read_transaction(told(row | {"status": "on_its_way"}), ITEM_ID, now=NOW)
    assert new_word is not None
    assert new_word.stage == PurchaseStage.UNKNOWN


def test_only_a_well_formed_no_about_a_persons_thing_says_that_there_is_no_purchase():
    no = told({"code": 404, "message": "Not Found"}, status=404)
    assert read_transaction(no, ITEM_ID, now=NOW) is None
    with pytest.raises(Unavailable):
        read_transaction(no, PRODUCT_ID, now=NOW)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (told(b"", status=404), LayoutChanged),
        (told(b"<html>", status=404, media_type="text/html"), Blocked),
        (told([], status=404), LayoutChanged),
        (told({}), LayoutChanged),
        (told({"id": "1", "item_id": "m1", "status": "done"}), LayoutChanged),
        (told({"id": "", "item_id": ITEM_ID, "status": "done"}), LayoutChanged),
        (told({"code": 401}, status=401), SignInNeeded),
        (told({"code": 429}, status=429), Throttled),
        (told({"code": 500}, status=500), Unavailable),
        (told({"code": 403}, status=403), Blocked),
    ],
    ids=lambda each: f"{each.status} {each.body[:40]!r}" if isinstance(each, Answer) else "",
)
def test_nothing_else_says_so(answer: Answer, error: type[MarketplaceError]):
    with pytest.raises(error):
        read_transaction(answer, ITEM_ID, now=NOW)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (told({"error": "invalid_grant"}, status=400), SignInNeeded),
        (told({"error": "invalid_client"}, status=401), SignInNeeded),
        (told({"code": 403}, status=403), SignInNeeded),
        (told(b"<html>", status=403, media_type="text/html"), Blocked),
        (told({"expires_in": 3600}), LayoutChanged),
        (told({"access_token": "a\nb"}), LayoutChanged),
        (told({}, status=503), Unavailable),
    ],
)
def test_a_token_is_given_or_there_is_an_error(answer: Answer, error: type[MarketplaceError]):
    with pytest.raises(error):
        read_token(answer, now=NOW)


def test_a_token_comes_with_its_time_and_perhaps_with_another_refresh_token():
    given_token = read_token(told({"access_token": "a", "expires_in": "60", "refresh_token": "r"}), now=NOW)
    assert (given_token.access, given_token.seconds, given_token.refresh) == ("a", 60, "r")
    assert read_token(told({"access_token": "a"}), now=NOW).seconds == 3600
