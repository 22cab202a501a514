"""The question as Mercari's search wants it. Pure: values in, a request body and headers out."""

from collections.abc import Mapping
from typing import Any

from .manifest import MercariCriteria

SEARCH_PATH = "/v2/entities:search"
PAGE_SIZE = 120

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


def search_headers(proof: str) -> Mapping[str, str]:
    """All headers of a search but the content type; ``proof`` is a fresh one for this very request."""
    return {"DPoP": proof, "X-Platform": "web", "User-Agent": USER_AGENT, "Content-Type": "application/json"}


def search_body(criteria: MercariCriteria, *, page_token: str | None, session: str, device: str) -> dict[str, Any]:
    """The body of a search for things on sale, newest first.

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
        "searchCondition": search_condition(criteria),
        **dict.fromkeys(_ON, True),
        **dict.fromkeys(_OFF, False),
    }


def search_condition(criteria: MercariCriteria) -> dict[str, Any]:
    """The part of the body that says what is wanted; numbers of 0 and empty lists ask for everything."""
    return {
        "keyword": criteria.keyword,
        "excludeKeyword": "",
        "sort": "SORT_CREATED_TIME",
        "order": "ORDER_DESC",
        "status": ["STATUS_ON_SALE"],
        "categoryId": list(criteria.category_ids),
        "brandId": list(criteria.brand_ids),
        "priceMin": 0,
        "priceMax": 0,
        "hasCoupon": False,
        **{name: [] for name in _EVERYTHING},
    }


_EVERYTHING = (
    "sizeId",
    "sellerId",
    "itemConditionId",
    "shippingPayerId",
    "shippingFromArea",
    "shippingMethod",
    "colorId",
    "attributes",
    "itemTypes",
    "skuIds",
    "shopIds",
    "excludeShippingMethodIds",
)
