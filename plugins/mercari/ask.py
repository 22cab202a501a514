"""Questions as Mercari wants them. Pure: values in; a request body, headers and addresses out."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from monitor_site.contract import Kind

from .manifest import MercariCriteria
from .meaning import is_personal

SEARCH_PATH = "/v2/entities:search"
ITEM_PATH = "/items/get"
PRODUCT_PATH = "/v1/marketplaces/shops/products/"
SELLER_ITEMS_PATH = "/items/get_items"
PAGE_SIZE = 120
SELLER_PAGE_SIZE = 30
ON_SALE = ("STATUS_ON_SALE",)
# What was sold is asked for together with what is in trade, as the site does.
SOLD = ("STATUS_SOLD_OUT", "STATUS_TRADING")

# Without a browser-like agent the search answers 200 with no rows.
USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

_ON = (
    "withItemBrand",
    "withItemPromotions",
    "withItemSizes",
    "useDynamicAttribute",
    "withSuggestedItems",
    "withOfferPricePromotion",
    "withProductSuggest",
    "withProductArticles",
    "withAuction",  # without it an auction looks like a sale at the current bid
)
_OFF = ("withItemSize", "withShopname", "withParentProducts", "withSearchConditionId")


def api_headers(proof: str) -> Mapping[str, str]:
    """All headers of a request; ``proof`` is a fresh one for this very request."""
    return {"DPoP": proof, "X-Platform": "web", "User-Agent": USER_AGENT, "Content-Type": "application/json"}


_LOOK_AT = (
    "include_item_attributes",
    "include_product_page_component",
    "include_non_ui_item_attributes",
    "include_donation",
    "include_item_attributes_sections",
    "include_auction",  # without it an auction looks like a sale at the current bid
)


def listing_address(base: str, external_id: str) -> str:
    """Where everything about one listing is told: a person's and a shop's have different calls.

    A shop's id in a person's call is answered as if the listing did not exist.
    """
    if not is_personal(external_id):
        return f"{base}{PRODUCT_PATH}{quote(external_id, safe='')}?view=FULL&imageType=JPEG"
    # Words, since Mercari reads only small ones: "True" would be no flag at all.
    flags = dict.fromkeys(_LOOK_AT, "true")
    return f"{base}{ITEM_PATH}?{urlencode({'id': external_id, **flags, 'country_code': 'JP'})}"


def seller_items_address(base: str, seller: int, *, page_token: str | None) -> str:
    """Where a person's items are listed, newest first; ``page_token`` is the number the page begins below."""
    asked = {
        "seller_id": seller,
        "limit": SELLER_PAGE_SIZE,
        "with_auction": "true",
        "status": "on_sale,trading,sold_out",
    }
    below = {"max_pager_id": page_token} if page_token else {}
    return f"{base}{SELLER_ITEMS_PATH}?{urlencode(asked | below, safe=',')}"


def search_body(
    criteria: MercariCriteria,
    *,
    page_token: str | None,
    session: str,
    device: str,
    statuses: tuple[str, ...] = ON_SALE,
) -> dict[str, Any]:
    """The body of a search for things of these ``statuses``, newest first.

    ``session`` and ``device`` are random hex ids; Mercari does not check them.
    """
    return {
        "userId": "",
        "pageSize": PAGE_SIZE,
        "pageToken": page_token or "",
        "searchSessionId": session,
        "laplaceDeviceUuid": device,
        "config": {"responseToggles": ["QUERY_SUGGESTION_WEB_1"]},
        "source": "BaseSerp",
        "indexRouting": "INDEX_ROUTING_UNSPECIFIED",
        "serviceFrom": "suruga",
        "thumbnailTypes": [],
        "searchCondition": search_condition(criteria, statuses=statuses),
        **dict.fromkeys(_ON, True),
        **dict.fromkeys(_OFF, False),
    }


def search_condition(criteria: MercariCriteria, *, statuses: tuple[str, ...]) -> dict[str, Any]:
    """The part of the body that says what is wanted; numbers of 0 and empty lists ask for everything."""
    return {
        "keyword": criteria.keyword,
        "excludeKeyword": "",
        "sort": "SORT_CREATED_TIME",
        "order": "ORDER_DESC",
        "status": list(statuses),
        "categoryId": list(criteria.category_ids),
        "brandId": list(criteria.brand_ids),
        "priceMin": 0,
        "priceMax": 0,
        "hasCoupon": False,
        **{name: [] for name in _EVERYTHING},
        "itemTypes": _item_types(criteria),
    }


def _item_types(criteria: MercariCriteria) -> list[str]:
    """Whether shops alone or people alone are asked for. Auctions may be of either; they are told apart by row."""
    if set(criteria.sold_as) == {Kind.FLEA}:
        return ["ITEM_TYPE_MERCARI"]
    return ["ITEM_TYPE_BEYOND"] if set(criteria.sold_as) == {Kind.SHOP} else []


_EVERYTHING = (
    "sizeId",
    "sellerId",
    "itemConditionId",
    "shippingPayerId",
    "shippingFromArea",
    "shippingMethod",
    "colorId",
    "attributes",
    "skuIds",
    "shopIds",
    "excludeShippingMethodIds",
)
