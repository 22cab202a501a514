"""From the answer to a look at a product of Mercari Shops to a sighting. Pure: same bytes, same sighting.

Names for people come in English for some callers, so ids and codes alone are compared. That leaves the condition
unknown, which has no id here.
"""

from datetime import datetime
from typing import Any

import orjson

from monitor_site.contract import Answer, Kind, LayoutChanged, Seller, Sighting, Status

from . import fields
from .body import load
from .manifest import HOME
from .meaning import payer_by_code, price_among
from .refusals import refuse_look
from .rows import Row
from .urls import page_of

SOLD_OUT_TAG = "sold_out"
MOST_VARIANTS = 200
MOST_IN_STOCK = 10**6


def read_product(answer: Answer, external_id: str, *, now: datetime, web: str = HOME) -> Sighting:
    """What ``answer`` tells of the product ``external_id``; ``now`` and ``web`` as for a search.

    ``price`` is the plain one: whether a running time sale is what a buyer pays, nobody has shown. ``extra`` holds
    the sale as ``time_sale_price``, ``_starts``, ``_ends`` and the ``variants`` as JSON, a list of objects with
    ``id``, ``name``, ``size``, ``quantity`` (null: unknown); an order needs a variant's id.

    Raises: ListingGone, Unavailable, Throttled, Blocked, SignInNeeded, LayoutChanged (another product's, too).
    """
    refuse_look(answer, now=now)
    product = _product(load(answer.body), external_id)
    detail = fields.mapping(product.get("productDetail"))
    return Sighting(
        external_id=external_id,
        title=fields.title(product["displayName"]),
        url=page_of(external_id, web=web, shop=True),
        price=price_among((product.get("price"),)),
        kind=Kind.SHOP,
        status=_status(product, _variants(detail)),
        shipping=payer_by_code(fields.mapping(detail.get("shippingPayer")).get("code")),
        seller=_seller(fields.mapping(detail.get("shop"))),
        images=_images(product, detail),
        created=fields.moment(product.get("createTime")),
        updated=fields.moment(product.get("updateTime")),
        description=fields.prose(detail.get("description")),
        extra=_extra(detail),
    )


def _product(data: Any, external_id: str) -> Row:
    product = fields.mapping(data)
    if product.get("name") != external_id:
        raise LayoutChanged(f"asked for {external_id}, told of {product.get('name')!r:.80}")
    if not isinstance(product.get("displayName"), str) or not {"price", "productDetail"} & set(product):
        raise LayoutChanged(f"no title, or neither price nor detail, among {sorted(map(str, product))[:12]}")
    return product


def _variants(detail: Row) -> list[dict[str, Any]]:
    rows = [fields.mapping(row) for row in fields.items(detail.get("variants"))[:MOST_VARIANTS]]
    return [_variant(row) for row in rows if row]


def _variant(row: Row) -> dict[str, Any]:
    return {
        "id": fields.word(row.get("variantId")),
        "name": _words(row.get("displayName")),
        "size": _words(row.get("size")),
        "quantity": fields.count(row.get("quantity"), most=MOST_IN_STOCK),
    }


def _words(value: Any) -> str | None:
    found = fields.text(value)
    return fields.title(found) if found else None


def _status(product: Row, variants: list[dict[str, Any]]) -> Status:
    """There is no status: a tag or the stock tells. Stock that nobody can read tells nothing."""
    quantities = [variant["quantity"] for variant in variants]
    if SOLD_OUT_TAG in fields.items(product.get("productTags")):
        return Status.SOLD
    if any(quantities):
        return Status.ON_SALE
    return Status.SOLD if quantities and None not in quantities else Status.UNKNOWN


def _seller(shop: Row) -> Seller | None:
    known, stats = fields.word(shop.get("name")), fields.mapping(shop.get("shopStats"))
    if not known:
        return None
    count = fields.count(stats.get("reviewCount"), most=fields.MOST_RATINGS)
    name = fields.text(shop.get("displayName"))
    return Seller(id=known, name=name, rating=fields.stars(stats.get("score")), count=count)


def _images(product: Row, detail: Row) -> tuple[str, ...]:
    return fields.addresses(fields.items(detail.get("photos"))) or fields.addresses([product.get("thumbnail")])


def _extra(detail: Row) -> dict[str, str]:
    variants = _variants(detail)
    return fields.named(
        category=_category(detail),
        brand=fields.text(fields.mapping(detail.get("brand")).get("displayName")),
        shop=fields.word(fields.mapping(detail.get("shop")).get("name")),
        condition_name=fields.text(fields.mapping(detail.get("condition")).get("displayName")),
        variants=orjson.dumps(variants).decode() if variants else None,
        **_time_sale(fields.mapping(detail.get("timeSaleDetails"))),
    )


def _time_sale(sale: Row) -> dict[str, str | None]:
    price = price_among((sale.get("price"),))
    starts, ends = fields.moment(sale.get("startTime")), fields.moment(sale.get("endTime"))
    return {
        "time_sale_price": str(price.amount) if price else None,
        "time_sale_starts": starts.isoformat() if price and starts else None,
        "time_sale_ends": ends.isoformat() if price and ends else None,
    }


def _category(detail: Row) -> str | None:
    """The deepest category, which is the one without children."""
    found = [fields.mapping(each) for each in fields.items(detail.get("categories"))]
    leaves = [each for each in found if each.get("hasChild") is False] or found
    return fields.text(leaves[0].get("categoryId")) if leaves else None
