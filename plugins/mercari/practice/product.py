"""A product of a shop as a look at it tells it, in the recorded shape: no envelope, and no status."""

from datetime import UTC, datetime
from typing import Any

from monitor_site.contract.practice import random_for

from .detail import CONDITIONS, description
from .listing import NO_PRICE, ON_SALE, SOLD_OUT, TRADING, Listing
from .make import shop_id
from .words import SHOPS

SOLD = (SOLD_OUT, TRADING)


def variant_id(listing: Listing, at: int) -> str:
    """The id of the variant at a position."""
    return shop_id(random_for("variant", listing.id, at))


def product(listing: Listing, base: str) -> dict[str, Any]:
    """What a look tells."""
    picture = f"{base}/photos/{listing.art}/{listing.id}_1.webp"
    return {
        "name": listing.id,
        "displayName": listing.title,
        "productTags": ["sold_out"] if listing.status in SOLD else [],
        "thumbnail": picture,
        "price": str(NO_PRICE if listing.price is None else listing.price),
        "createTime": _moment(listing.created),
        "updateTime": _moment(listing.updated),
        "attributes": [],
        "productDetail": _detail(listing, picture),
    }


def _detail(listing: Listing, picture: str) -> dict[str, Any]:
    return _goods(listing, picture) | {
        "shop": _shop(listing),
        "shippingMethod": {"shippingMethodId": "3", "displayName": "らくらくメルカリ便", "isAnonymous": True},
        # 1 is the buyer for a person's listing: only the code means the same for both.
        "shippingPayer": {"shippingPayerId": "1", "displayName": "送料込み(出品者負担)", "code": "SELLER"},
        "shippingDuration": {"shippingDurationId": "2", "displayName": "2〜3日で発送", "minDays": 2, "maxDays": 3},
        "shippingFromArea": {"shippingAreaCode": "jp33", "displayName": "岡山県"},
        "promotions": [],
        "productStats": None,
        "timeSaleDetails": _time_sale(listing),
        "variants": [_variant(listing, at) for at in range(len(listing.variants))],
        "shippingFeeConfig": None,
        "variationGrouping": None,
    }


def _goods(listing: Listing, picture: str) -> dict[str, Any]:
    brand = {"brandId": str(listing.brand), "displayName": f"Brand {listing.brand}"}
    leaf = {"categoryId": str(listing.category), "displayName": "練習", "parentId": "5", "hasChild": False}
    return {
        "photos": [picture],
        "description": description(listing),
        "categories": [leaf, {"categoryId": "5", "displayName": "練習", "parentId": "5", "hasChild": True}],
        "brand": brand if listing.brand else None,
        "condition": {"displayName": CONDITIONS[listing.condition - 1]},
    }


def _shop(listing: Listing) -> dict[str, Any]:
    rng = random_for("shop face", listing.shop)
    return {
        "name": listing.shop,
        "displayName": rng.choice(SHOPS),
        "shopStats": {"shopId": listing.shop, "score": 5, "reviewCount": str(rng.randrange(1, 9000))},
        "allowDirectMessage": True,
        "shopItems": [],
        "badges": [],
    }


def _variant(listing: Listing, at: int) -> dict[str, Any]:
    variant = listing.variants[at]
    quantity = variant.quantity if listing.status == ON_SALE else 0
    named = {"displayName": variant.name, "size": variant.size}
    return {"variantId": variant_id(listing, at), "quantity": str(quantity), **named}


def _time_sale(listing: Listing) -> dict[str, Any] | None:
    sale = listing.time_sale
    if sale is None:
        return None
    usual = listing.price or sale.price
    return {
        "name": "",
        "percentage": max(0, 100 - sale.price * 100 // usual),
        "price": str(sale.price),
        "startTime": _moment(sale.starts),
        "endTime": _moment(sale.ends),
        "base": "STABLE_PRICE",
    }


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(int(seconds), tz=UTC):%Y-%m-%dT%H:%M:%SZ}"
