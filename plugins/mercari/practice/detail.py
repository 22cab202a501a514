"""A person's listing as a look at it and a list of the seller's items tell it, in the recorded shapes."""

from typing import Any

from .listing import NO_PRICE, ON_SALE, SOLD_OUT, TRADING, Auction, Listing
from .people import NO_NAME, person

CONDITIONS = (
    "新品、未使用",
    "未使用に近い",
    "目立った傷や汚れなし",
    "やや傷や汚れあり",
    "傷や汚れあり",
    "全体的に状態が悪い",
)
PAYERS = {1: ("着払い(購入者負担)", "buyer"), 2: ("送料込み(出品者負担)", "seller")}
EVIDENCE = {TRADING: "wait_shipping", SOLD_OUT: "done"}
# The smallest number a list may begin below.
FIRST_PAGER_ID = 5_000_000_000


def item(listing: Listing, base: str, *, with_auction: bool) -> dict[str, Any]:
    """What a look tells; without ``with_auction`` an auction looks like a sale at the current bid."""
    return (
        _head(listing)
        | {"seller": person(listing.seller, base), "description": description(listing)}
        | _pictures(listing, base)
        | _kind(listing)
        | _shipping(listing)
        | _rest(listing)
        | _deal(listing, "*")
        | (_auction(listing) if with_auction else {})
    )


def listed_item(listing: Listing, base: str, *, with_auction: bool) -> dict[str, Any]:
    """A row in the list of a seller's items."""
    pictures = {"thumbnails": _pictures(listing, base)["thumbnails"]}
    seller = {"seller": {"id": int(listing.seller), "name": NO_NAME}}
    category = {"item_category": {"id": listing.category}, "root_category_id": 5}
    auction = _auction(listing) if with_auction else {}
    return _head(listing) | seller | pictures | category | _deal(listing, NO_NAME) | auction


def description(listing: Listing) -> str:
    """What the seller wrote, or something that fits."""
    return listing.description or f"{listing.title}\r\n\r\n練習用の説明です。即購入歓迎 & 質問歓迎。"


def word_of(listing: Listing) -> str:
    """Its status as a look says it."""
    return listing.status.removeprefix("ITEM_STATUS_").lower()


def pager_id(listing: Listing) -> int:
    """The number by which lists of a seller's items are paged; later listings have higher ones."""
    return FIRST_PAGER_ID + listing.number


def _head(listing: Listing) -> dict[str, Any]:
    return {
        "id": listing.id,
        "status": word_of(listing),
        "name": listing.title,
        "price": NO_PRICE if listing.price is None else listing.price,
        "created": int(listing.created),
        "updated": int(listing.updated),
        "num_likes": 3,
        "num_comments": 0,
        "pager_id": pager_id(listing),
        "liked": False,
    }


def _pictures(listing: Listing, base: str) -> dict[str, Any]:
    names = [f"{listing.art}/{listing.id}_{n}.webp" for n in (1, 2)]
    photos = [f"{base}/photos/{name}?{int(listing.created)}" for name in names]
    return {"photos": photos, "photo_paths": [f"photos/{name}" for name in names], "thumbnails": photos[:1]}


def _kind(listing: Listing) -> dict[str, Any]:
    category = {"id": listing.category, "name": "練習", "parent_category_id": 5, "root_category_id": 5}
    brand = {"id": listing.brand, "name": f"Brand {listing.brand}", "sub_name": ""}
    return {
        "item_category": category,
        "item_category_ntiers": category,
        "parent_categories_ntiers": [{"id": 5, "name": "練習", "display_order": 0}],
        "item_condition": {"id": listing.condition, "name": CONDITIONS[listing.condition - 1], "subname": ""},
        "colors": [],
        **({"item_brand": brand} if listing.brand else {}),
        **({"item_size": {"id": 3, "name": listing.size}} if listing.size else {}),
    }


def _shipping(listing: Listing) -> dict[str, Any]:
    name, code = PAYERS[listing.payer]
    return {
        "shipping_payer": {"id": listing.payer, "name": name, "code": code},
        "shipping_method": {"id": 14, "name": "らくらくメルカリ便", "is_deprecated": "no"},
        "shipping_from_area": {"id": 99, "name": "未定"},
        "shipping_duration": {"id": 2, "name": "2~3日で発送", "min_days": 2, "max_days": 3},
        "shipping_class": {"id": 0, "fee": 0, "shipping_fee": 0, "total_fee": 0, "is_pickup": False},
    }


def _rest(listing: Listing) -> dict[str, Any]:
    return {
        "checksum": listing.checksum,
        "registered_prices_count": 0,
        "comments": [],
        "hash_tags": [],
        "photo_descriptions": ["", ""],
        "is_shop_item": "no",
        "is_dynamic_shipping_fee": False,
        "is_anonymous_shipping": True,
        "is_web_visible": True,
        "is_offerable": False,
        "is_cancelable": True,
        "is_stock_item": False,
        "is_degraded": False,
    }


def _deal(listing: Listing, name: str) -> dict[str, Any]:
    """Who bought it, on sold things only."""
    if listing.status not in EVIDENCE:
        return {}
    buyer = {"id": 900_099_999, "name": name}
    return {"buyer": buyer, "transaction_evidence": {"id": listing.number, "status": EVIDENCE[listing.status]}}


def _auction(listing: Listing) -> dict[str, Any]:
    return {} if listing.auction is None else {"auction_info": _auction_info(listing, listing.auction)}


def _auction_info(listing: Listing, auction: Auction) -> dict[str, Any]:
    bid = listing.price or 0
    return {
        "id": str(listing.number),
        "start_time": int(listing.created),
        "expected_end_time": int(auction.ends),
        "total_bids": auction.bids,
        "initial_price": bid if auction.start_price is None else auction.start_price,
        "highest_bid": bid,
        "state": "STATE_ONGOING" if auction.bids or listing.status != ON_SALE else "STATE_NO_BID",
        "auction_type": "AUCTION_TYPE_NORMAL",
    }
