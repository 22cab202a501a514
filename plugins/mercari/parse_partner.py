"""Answers of the partner API, read. Pure; what is not plainly so is never success, a refusal or "no purchase"."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor_site.contract import (
    Answer,
    LayoutChanged,
    ListingGone,
    Money,
    Purchase,
    PurchaseStage,
    Shipping,
    SignInNeeded,
    Status,
    Unavailable,
)

from . import fields
from .body import load
from .meaning import auction_of, is_personal, payer_by_code, price_among, status_of
from .refusals import object_of, refuse

GONE = {400, 403, 404, 412}
DENIED = {400, 401, 403}
LONGEST_TOKEN = 4096
USUAL_SECONDS = 3600

_STAGES = {
    "wait_payment": PurchaseStage.WAIT_PAYMENT,
    "wait_shipping": PurchaseStage.WAIT_SHIPPING,
    # On its way, or there: the buyer is to say that it came.
    "wait_review": PurchaseStage.SHIPPED,
    "wait_done": PurchaseStage.RECEIVED,
    "done": PurchaseStage.RECEIVED,
    "cancel_request": PurchaseStage.CANCEL_ASKED,
    "cancelled": PurchaseStage.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One of the things a shop's product can be bought as; ``quantity`` ``None`` is not known."""

    id: str
    quantity: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A listing as the partner API sells it. ``fee`` is what the buyer pays for shipping, ``None`` when not known.

    ``variant`` is the one to buy, once it is chosen.
    """

    external_id: str
    status: Status
    price: Money | None
    checksum: str
    auction: bool
    shop: bool
    shipping: Shipping
    fee: Money | None
    variants: tuple[Variant, ...]
    variant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What an access token is worth; ``refresh`` is the new refresh token, empty when the old one stays."""

    access: str
    seconds: int
    refresh: str = ""


def read_token(answer: Answer, *, now: datetime) -> Token:
    """The new access token. Raises: SignInNeeded (the credentials are refused), else as a search."""
    if answer.status in DENIED and (error := object_of(answer)):
        raise SignInNeeded(f"no token: {fields.word(error.get('error')) or answer.status}")
    refuse(answer, now=now)
    told = fields.mapping(load(answer.body))
    access = fields.word(told.get("access_token"), longest=LONGEST_TOKEN)
    if not access:
        raise LayoutChanged("an answer without a token")
    refresh = fields.word(told.get("refresh_token"), longest=LONGEST_TOKEN)
    return Token(access=access, seconds=fields.whole(told.get("expires_in")) or USUAL_SECONDS, refresh=refresh or "")


def read_partner_item(answer: Answer, external_id: str, *, now: datetime) -> Item:
    """A listing. Raises: ListingGone (a well-formed refusal of it alone), else as a search."""
    if answer.status in GONE and object_of(answer):
        raise ListingGone(f"the partner API answers {answer.status}")
    refuse(answer, now=now)
    row = fields.mapping(load(answer.body))
    checksum = fields.word(row.get("checksum"))
    if row.get("id") != external_id or not checksum:
        raise LayoutChanged(f"asked for {external_id}, told of {row.get('id')!r:.80}, or without a checksum")
    shipping = payer_by_code(fields.mapping(row.get("shipping_payer")).get("code"))
    return Item(
        external_id=external_id,
        status=status_of(row),
        price=None if row.get("is_no_price") is True else price_among((row.get("price"),)),
        checksum=checksum,
        auction=bool(auction_of(row)) or row.get("item_type") == "auction",
        shop=not is_personal(external_id),
        shipping=shipping,
        fee=_fee(shipping, fields.mapping(row.get("shipping_class"))),
        variants=_variants(row),
    )


def read_transaction(answer: Answer, external_id: str, *, now: datetime) -> Purchase | None:
    """What was bought of a listing; ``None`` for a well-formed "there is none" about a person's listing.

    Of a shop's product many may be bought, and nobody has shown how its orders are asked for: there no answer says
    that there is none. Raises as a search.
    """
    if answer.status == 404 and object_of(answer):
        if is_personal(external_id):
            return None
        raise Unavailable("a shop's orders cannot be looked up by the product")
    refuse(answer, now=now)
    row = fields.mapping(load(answer.body))
    number = fields.word(row.get("id"))
    if row.get("item_id") != external_id or not number or not fields.word(row.get("status")):
        raise LayoutChanged(f"asked for the transaction of {external_id}, told of {row.get('item_id')!r:.80}")
    return _purchase(row, external_id, number)


def read_nothing(answer: Answer, *, now: datetime) -> None:
    """An answer whose content does not matter. Raises as a search."""
    refuse(answer, now=now)
    if "data" not in fields.mapping(load(answer.body)):
        raise LayoutChanged("a list without data")


def yen(value: Any) -> Money | None:
    """A sum written as number or as text."""
    amount = fields.whole(value)
    return None if amount is None else Money(amount=amount, currency="JPY")


def paid(row: Mapping[str, Any], fee: Money | None) -> Money | None:
    """All that was paid: what the thing cost in the end, and shipping; not known unless both are."""
    price = yen(fields.first(row, "paid_price", "price"))
    return Money(amount=price.amount + fee.amount, currency="JPY") if price and fee else None


def _purchase(row: Mapping[str, Any], external_id: str, number: str) -> Purchase:
    parcel = fields.mapping(row.get("shipping_info"))
    return Purchase(
        external_id=external_id,
        transaction_id=number,
        stage=_STAGES.get(str(row["status"]), PurchaseStage.UNKNOWN),
        price=yen(row.get("price")),
        paid=paid(row, yen(parcel.get("buyer_shipping_fee"))),
        at=fields.unix_time(row.get("updated_time")),
        tracking=fields.word(parcel.get("tracking_number")),
        reference=fields.word(row.get("delivery_identifier")),
    )


def _fee(shipping: Shipping, told: Mapping[str, Any]) -> Money | None:
    """A buyer who pays does not pay 0: there it stands for "not known"."""
    if shipping == Shipping.INCLUDED:
        return Money(amount=0, currency="JPY")
    fee = yen(fields.first(told, "total_fee", "shipping_fee", "fee"))
    return fee if fee and fee.amount and shipping == Shipping.BUYER_PAYS else None


def _variants(row: Mapping[str, Any]) -> tuple[Variant, ...]:
    rows = [fields.mapping(each) for each in fields.items(row.get("item_variants"))]
    named = [(fields.word(each.get("id")), fields.whole(each.get("quantity"))) for each in rows]
    return tuple(Variant(id=known, quantity=quantity) for known, quantity in named if known)
