"""The outgoing question, to the last field."""

from plugins.mercari.ask import api_headers, search_body
from plugins.mercari.manifest import MercariCriteria


def body(criteria: MercariCriteria, token: str | None = None) -> dict[str, object]:
    return search_body(criteria, page_token=token, session="5e55", device="de71")


def test_the_body_is_exactly_what_the_search_expects():
    assert body(MercariCriteria(keyword="ルミナ T2", category_ids=(846, 847), brand_ids=(91001,))) == {
        "userId": "",
        "pageSize": 120,
        "pageToken": "",
        "searchSessionId": "5e55",
        "laplaceDeviceUuid": "de71",
        "config": {"responseToggles": ["QUERY_SUGGESTION_WEB_1"]},
        "source": "BaseSerp",
        "indexRouting": "INDEX_ROUTING_UNSPECIFIED",
        "serviceFrom": "suruga",
        "thumbnailTypes": [],
        "withItemBrand": True,
        "withItemPromotions": True,
        "withItemSizes": True,
        "useDynamicAttribute": True,
        "withSuggestedItems": True,
        "withOfferPricePromotion": True,
        "withProductSuggest": True,
        "withProductArticles": True,
        "withAuction": True,
        "withItemSize": False,
        "withShopname": False,
        "withParentProducts": False,
        "withSearchConditionId": False,
        "searchCondition": {
            "keyword": "ルミナ T2",
            "excludeKeyword": "",
            "sort": "SORT_CREATED_TIME",
            "order": "ORDER_DESC",
            "status": ["STATUS_ON_SALE"],
            "sizeId": [],
            "categoryId": [846, 847],
            "brandId": [91001],
            "sellerId": [],
            "priceMin": 0,
            "priceMax": 0,
            "itemConditionId": [],
            "shippingPayerId": [],
            "shippingFromArea": [],
            "shippingMethod": [],
            "colorId": [],
            "hasCoupon": False,
            "attributes": [],
            "itemTypes": [],
            "skuIds": [],
            "shopIds": [],
            "excludeShippingMethodIds": [],
        },
    }


def test_a_later_page_sends_the_token_it_was_given():
    assert body(MercariCriteria(keyword="x"), "v1:3")["pageToken"] == "v1:3"


def test_numbers_in_the_body_are_numbers():
    condition = body(MercariCriteria(category_ids=(5,)))["searchCondition"]
    assert isinstance(condition, dict)
    assert condition["categoryId"] == [5]
    assert condition["keyword"] == ""


def test_the_headers_are_the_proof_the_platform_and_a_browser_like_agent():
    headers = api_headers("proof")
    assert set(headers) == {"DPoP", "X-Platform", "User-Agent", "Content-Type"}
    assert (headers["DPoP"], headers["X-Platform"]) == ("proof", "web")
    assert headers["User-Agent"].startswith("Mozilla/5.0")
