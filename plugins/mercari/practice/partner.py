"""The partner API: tokens, items, purchases and transactions, in the shapes that public clients read."""

import base64
import binascii
from typing import Any
from urllib.parse import parse_qs, unquote

import orjson

from monitor_site.contract.practice import Reply, Request, json_reply, random_for

from .deals import SECRET, TOKEN_SECONDS, Buyer, Deal, Deals, Denied, fee_of
from .detail import PAYERS, word_of
from .listing import NO_PRICE, Listing
from .product import variant_id

TOKEN, PURCHASE, CHORES = "/jp/v1/token", "/v1/items/purchase", "/v1/todolist"
ITEM, TRANSACTION, BY_NUMBER = "/v1/items/", "/v2/transactions/", "/v1/transactions/"


def route(path: str) -> str | None:
    """Which part of the partner API is asked; ``None`` when none is."""
    if exact := {TOKEN: "token", PURCHASE: "purchase", CHORES: "todolist"}.get(path):
        return exact
    heads = {ITEM: "partner_items", TRANSACTION: "transactions", BY_NUMBER: "transactions"}
    return next((name for head, name in heads.items() if path.startswith(head)), None)


def answer(deals: Deals, request: Request) -> Reply:
    """The answer to a request for a path of :func:`route`."""
    if request.path == TOKEN:
        return _token(deals, request)
    buyer = deals.signed_in(request.headers.get("authorization", ""))
    if buyer is None:
        deals.world.truth.write("refused", status=401, reason="no good access token")
        return failure(401, "Unauthorized")
    return _signed_in(deals, buyer, request)


def failure(status: int, message: str) -> Reply:
    """An error as the partner API words it."""
    return json_reply({"code": status, "message": message}, status)


def denied(code: str, reasons: str, *, status: int) -> Reply:
    """A refused purchase."""
    number = str(random_for("request", code, reasons).randrange(10**12))
    details = {"code": code, "reasons": reasons}
    return json_reply({"request_id": number, "transaction_status": "failure", "failure_details": details}, status)


def _signed_in(deals: Deals, buyer: Buyer, request: Request) -> Reply:
    if request.path == PURCHASE:
        return _purchase(deals, buyer, request)
    if request.path == CHORES:
        return json_reply({"data": [], "next_page_token": ""})
    if request.path.startswith(ITEM):
        return _item(deals, unquote(request.path.removeprefix(ITEM)), request.base)
    return _transaction(deals, buyer, request.path)


def _token(deals: Deals, request: Request) -> Reply:
    if _secret(request.headers.get("authorization", "")) != SECRET:
        return json_reply({"error": "invalid_client"}, 401)
    form = {name: values[-1] for name, values in parse_qs(request.body.decode("utf-8", "replace")).items()}
    try:
        buyer, token = deals.renew(form.get("refresh_token", ""))
    except LookupError:
        return json_reply({"error": "invalid_grant"}, 400)
    told = {"access_token": token, "expires_in": TOKEN_SECONDS, "token_type": "bearer", "scope": form.get("scope", "")}
    return json_reply(told | {"refresh_token": buyer.refresh_token})


def _secret(authorization: str) -> str:
    try:
        pair = base64.b64decode(authorization.removeprefix("Basic "), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return pair.partition(":")[2]


def _item(deals: Deals, external_id: str, base: str) -> Reply:
    listing = deals.world.listings.get(external_id)
    if listing is None or listing.removed:
        return failure(404 if listing is None else 403, "Not Found")
    deals.world.settle(listing, deals.world.clock.now())
    return json_reply(item(listing, base, deals.world.clock.now()))


def item(listing: Listing, base: str, now: float) -> dict[str, Any]:
    """A listing as the partner API tells it; that it is an auction is not among what it is known to tell."""
    name, code = PAYERS[2 if listing.shop else listing.payer]
    fee = fee_of(listing)
    return {
        "id": listing.id,
        "status": word_of(listing),
        "name": listing.title,
        "price": NO_PRICE if not listing.price else listing.asked(now),
        "item_type": "shops" if listing.shop else "mercari",
        "thumbnail": f"{base}/photos/{listing.art}/{listing.id}_1.webp",
        "created": int(listing.created),
        "updated": int(listing.updated),
        "seller": {"shop_id": listing.shop} if listing.shop else {"id": int(listing.seller)},
        "shipping_payer": {"id": listing.payer, "name": name, "code": code},
        "shipping_class": {"id": 0} | ({} if fee is None else {"fee": fee}),
        "item_variants": [_variant(listing, at) for at in range(len(listing.variants))],
        "checksum": listing.checksum,
    }


def _variant(listing: Listing, at: int) -> dict[str, Any]:
    variant = listing.variants[at]
    return {"id": variant_id(listing, at), "name": variant.name, "size": variant.size, "quantity": variant.quantity}


def _purchase(deals: Deals, buyer: Buyer, request: Request) -> Reply:
    order = _order(request)
    if request.method != "POST" or not order.get("item_id") or not order.get("zip_code1"):
        return failure(400, "Bad Request")
    try:
        return json_reply(_bought(deals, deals.buy(buyer, order)))
    except Denied as no:
        deals.world.truth.write("refused", status=no.status, reason=f"{no.code} {no}", listing=order["item_id"])
        return denied(no.code, str(no), status=no.status) if no.code else failure(no.status, str(no))


def _order(request: Request) -> dict[str, Any]:
    try:
        found = orjson.loads(request.body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _bought(deals: Deals, deal: Deal) -> dict[str, Any]:
    number: dict[str, Any] = {"shop_order_id": deal.number} if deal.listing.shop else {"trx_id": int(deal.number)}
    details = number | {
        "paid_method": "card",
        "price": deal.price,
        "buyer_shipping_fee": str(deal.fee) if deals.fee_as_text else deal.fee,
        "item_id": deal.listing.id,
        "checksum": deal.listing.checksum,
        "shipping_method_id": 1,
    }
    paid = {"paid_price": deal.price} if deals.tells_paid else {}
    return {
        "request_id": f"request-{deal.number}",
        "transaction_status": "success",
        "transaction_details": details | paid,
    }


def _transaction(deals: Deals, buyer: Buyer, path: str) -> Reply:
    """By the listing or by its own number; of a shop's products none is found, as far as anybody knows."""
    wanted = unquote(path.rpartition("/")[2])
    deal = deals.of(buyer, wanted) if path.startswith(TRANSACTION) else _numbered(deals, buyer, wanted)
    if deal is None or deal.listing.shop:
        return failure(404, "Not Found")
    return json_reply(transaction(deal))


def _numbered(deals: Deals, buyer: Buyer, number: str) -> Deal | None:
    deal = next((each for each in deals.deals if each.number == number), None)
    return deal if deal is not None and deals.of(buyer, deal.listing.id) is deal else None


def transaction(deal: Deal) -> dict[str, Any]:
    """A purchase as its buyer reads of it."""
    parcel: dict[str, Any] = {
        "shipping_method_name": "らくらくメルカリ便",
        "status": "shipped" if deal.shipped else "wait_shipping",
        "buyer_shipping_fee": deal.fee,
    }
    return {
        "id": deal.number,
        "status": deal.status,
        "item_id": deal.listing.id,
        "seller_id": deal.listing.seller,
        "price": deal.price,
        "paid_price": deal.price,
        "updated_time": int(deal.updated),
        "shipping_info": parcel | ({"tracking_number": deal.tracking} if deal.tracking else {}),
    }
