"""The outgoing question, to the last field."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from monitor_site.contract import Kind
from plugins.mercari.ask import SOLD, api_headers, listing_address, search_body, seller_items_address
from plugins.mercari.manifest import MercariCriteria

API = "https://api.mercari.jp"


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


def condition(criteria: MercariCriteria, **more: tuple[str, ...]) -> dict[str, object]:
    asked = search_body(criteria, page_token=None, session="5e55", device="de71", **more)["searchCondition"]
    assert isinstance(asked, dict)
    return asked


def test_what_was_sold_is_asked_for_with_exactly_these_statuses_newest_first():
    asked = condition(MercariCriteria(keyword="x"), statuses=SOLD)
    assert asked["status"] == ["STATUS_SOLD_OUT", "STATUS_TRADING"]
    assert (asked["sort"], asked["order"]) == ("SORT_CREATED_TIME", "ORDER_DESC")


@pytest.mark.parametrize(
    ("sold_as", "types"),
    [
        ((), []),
        ((Kind.FLEA,), ["ITEM_TYPE_MERCARI"]),
        ((Kind.SHOP,), ["ITEM_TYPE_BEYOND"]),
        (("flea",), ["ITEM_TYPE_MERCARI"]),
        ((Kind.AUCTION,), []),
        ((Kind.FLEA, Kind.AUCTION), []),
        ((Kind.FLEA, Kind.SHOP), []),
    ],
)
def test_people_or_shops_alone_are_asked_for_by_type_and_auctions_never(sold_as, types: list[str]):
    asked = condition(MercariCriteria(keyword="x", sold_as=sold_as))
    assert (asked["itemTypes"], asked["attributes"]) == (types, [])


def test_a_look_at_a_persons_listing_asks_for_everything_in_small_words():
    address = urlsplit(listing_address(API, "m07799000001"))
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{API}/items/get"
    assert dict(parse_qsl(address.query)) == {
        "id": "m07799000001",
        "include_item_attributes": "true",
        "include_product_page_component": "true",
        "include_non_ui_item_attributes": "true",
        "include_donation": "true",
        "include_item_attributes_sections": "true",
        "include_auction": "true",
        "country_code": "JP",
    }


@pytest.mark.parametrize(
    "product", ["7kQw3nVbT9xYzRmPdHs5Lc", "7kQw3nVbT9xYzRmPdHs5L", "mQw3nVbT9xYzRmPdHs5Lc", "x-77"]
)
def test_a_look_at_a_shops_product_has_a_call_of_its_own_whatever_the_length_of_the_id(product: str):
    address = f"{API}/v1/marketplaces/shops/products/{product}?view=FULL&imageType=JPEG"
    assert listing_address(API, product) == address


def test_an_odd_id_stays_inside_its_part_of_the_address():
    assert urlsplit(listing_address(API, "../a?b#c")).path.endswith("/products/..%2Fa%3Fb%23c")


def test_a_sellers_items_are_asked_for_in_every_state_with_auctions():
    first = f"{API}/items/get_items?seller_id=5&limit=30&with_auction=true&status=on_sale,trading,sold_out"
    assert seller_items_address(API, 5, page_token=None) == first
    assert seller_items_address(API, 5, page_token="77") == f"{first}&max_pager_id=77"


@pytest.mark.parametrize(
    ("criteria", "asks"),
    [
        (MercariCriteria(), False),
        (MercariCriteria(keyword=" 　 "), False),
        (MercariCriteria(sold_as=(Kind.FLEA,)), False),
        (MercariCriteria(keyword="x"), True),
        (MercariCriteria(category_ids=(5,)), True),
        (MercariCriteria(brand_ids=(5,)), True),
        (MercariCriteria(seller=5), True),
    ],
)
def test_a_category_a_brand_or_a_seller_asks_something_without_a_keyword(criteria: MercariCriteria, asks: bool):
    assert criteria.asks_something is asks
