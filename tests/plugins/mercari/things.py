"""Answers about one listing, a product and a seller's items, made on the spot out of invented values."""

import json
from typing import Any

from monitor_site.contract import Answer, SearchPage, Sighting
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.parse_item import read_item
from plugins.mercari.parse_product import read_product
from plugins.mercari.parse_seller import read_seller_items
from tests.plugins.mercari.samples import NOW

ITEM_ID = "m07799000001"
PRODUCT_ID = "7kQw3nVbT9xYzRmPdHs5Lc"
SELLER = 880000001
GONE = object()
"""Given for a field: the field is not there."""


def answer(data: Any, *, status: int = 200, kind: str = "application/json", body: bytes | None = None) -> Answer:
    raw = json.dumps(data).encode() if body is None else body
    return Answer(status=status, headers={"content-type": kind}, body=raw, url="https://api.mercari.jp/")


def error(code: str, *, status: int) -> Answer:
    return answer({"result": "error", "errors": [{"code": code, "message": "見本"}], "meta": {}}, status=status)


def without_gone(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not GONE}


def seller(**changes: Any) -> dict[str, Any]:
    usual = {"id": SELLER, "name": "そらまめ7", "star_rating_score": 5, "num_ratings": 212}
    return without_gone({**usual, "ratings": {"good": 210, "normal": 1, "bad": 1}, "score": 209, **changes})


def item(**changes: Any) -> dict[str, Any]:
    usual = {
        "id": ITEM_ID,
        "seller": seller(),
        "status": "on_sale",
        "name": "ルミナ T2 &amp; ケース",
        "price": 68000,
        "description": "一行目\r\n二行目 & 続き",
        "photos": ["https://static.mercdn.net/item/m07799000001_1.jpg?1"],
        "thumbnails": ["https://static.mercdn.net/thumb/m07799000001_1.jpg?1"],
        "item_category": {"id": 840, "name": "練習"},
        "item_category_ntiers": {"id": 846, "name": "練習"},
        "item_condition": {"id": 2, "name": "Almost new"},
        "item_brand": {"id": 91001, "name": "Lumina", "sub_name": "ルミナ"},
        "item_size": {"id": 3, "name": "M"},
        "shipping_payer": {"id": 2, "name": "Paid by seller", "code": "seller"},
        "created": 1_790_000_001,
        "updated": 1_790_000_061,
        "checksum": "00112233445566778899aabbccddeeff",
    }
    return without_gone({**usual, **changes})


def auction(**changes: Any) -> dict[str, Any]:
    usual = {
        "id": "5",
        "start_time": 1_790_000_001,
        "expected_end_time": 1_790_086_400,
        "total_bids": 4,
        "initial_price": 500,
        "highest_bid": 2500,
        "state": "STATE_ONGOING",
        "auction_type": "AUCTION_TYPE_NORMAL",
    }
    return without_gone({**usual, **changes})


def envelope(data: Any) -> dict[str, Any]:
    return {"result": "OK", "data": data, "meta": {}}


def look(**changes: Any) -> Sighting:
    return read_item(answer(envelope(item(**changes))), ITEM_ID, now=NOW)


def variant(**changes: Any) -> dict[str, Any]:
    usual = {"variantId": "vaRiantOne00000000001", "displayName": "赤 / M", "quantity": "3", "size": "M"}
    return without_gone({**usual, **changes})


def product(detail: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """``detail`` changes what stands in productDetail."""
    usual = {
        "name": PRODUCT_ID,
        "displayName": "  帯付き レコード &quot;夜&quot;",
        "productTags": [],
        "thumbnail": "https://assets.mercari-shops-static.com/small.jpg",
        "price": "4800",
        "createTime": "2026-09-20T10:00:00Z",
        "updateTime": "2026-09-21T10:00:00.123456Z",
        "productDetail": without_gone({**product_detail(), **(detail or {})}),
    }
    return without_gone({**usual, **changes})


def product_detail() -> dict[str, Any]:
    return {
        "shop": {
            "name": "kotorishopKotorishop22",
            "displayName": "ことり商店",
            "shopStats": {"score": 4.8, "reviewCount": "1234"},
        },
        "photos": ["https://assets.mercari-shops-static.com/large.jpg"],
        "description": "店の説明",
        "categories": [
            {"categoryId": "5", "hasChild": True},
            {"categoryId": "700", "hasChild": False},
        ],
        "brand": {"brandId": "91010", "displayName": "ミナモ楽団"},
        "condition": {"displayName": "Almost new"},
        "shippingPayer": {"shippingPayerId": "1", "displayName": "Included", "code": "SELLER"},
        "timeSaleDetails": None,
        "variants": [variant()],
    }


def look_at_shop(detail: dict[str, Any] | None = None, **changes: Any) -> Sighting:
    return read_product(answer(product(detail, **changes)), PRODUCT_ID, now=NOW)


def listed(number: int = 1, **changes: Any) -> dict[str, Any]:
    """One row in the list of a seller's items."""
    usual = {
        "id": f"m0779900{number:04d}",
        "seller": {"id": SELLER, "name": "dont-use-this"},
        "status": "on_sale",
        "name": f"見本 {number}",
        "price": 1000 + number,
        "thumbnails": ["https://static.mercdn.net/thumb/1.jpg"],
        "created": 1_790_000_000 + number,
        "updated": 1_790_000_100 + number,
        "item_category": {"id": 846, "name": "練習"},
        "pager_id": 5_000_000_000 + number,
    }
    return without_gone({**usual, **changes})


def seller_page(*rows: Any, more: object = False, asked: str | None = None, **criteria: Any) -> SearchPage:
    data = {"result": "OK", "meta": {"has_next": more}, "data": list(rows)}
    wanted = MercariCriteria(seller=SELLER, **criteria)
    return read_seller_items(answer(data), wanted, now=NOW, asked=asked)
