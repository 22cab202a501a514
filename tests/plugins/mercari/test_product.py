"""What a look at a product of Mercari Shops tells, to the last value."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor_site.contract import Condition, Kind, LayoutChanged, Money, Seller, Shipping, Sighting, Status
from monitor_site.marketplaces.promises import Promise
from plugins.mercari.manifest import MANIFEST
from plugins.mercari.parse_product import read_product
from tests.plugins.mercari.samples import NOW
from tests.plugins.mercari.test_refusals import ANYTHING
from tests.plugins.mercari.things import GONE, PRODUCT_ID, answer, look_at_shop, product, product_detail, variant

SHOP = Seller(id="kotorishopKotorishop22", name="ことり商店", rating=4.8, count=1234)


def test_a_product_is_told_to_the_last_field():
    found = look_at_shop()
    variants = [{"id": "vaRiantOne00000000001", "name": "赤 / M", "size": "M", "quantity": 3}]
    assert json.loads(found.extra["variants"]) == variants
    assert found == Sighting(
        external_id=PRODUCT_ID,
        title='  帯付き レコード "夜"',
        url=f"https://jp.mercari.com/shops/product/{PRODUCT_ID}",
        price=Money(amount=4800, currency="JPY"),
        kind=Kind.SHOP,
        status=Status.ON_SALE,
        shipping=Shipping.INCLUDED,
        condition=Condition.UNKNOWN,
        seller=SHOP,
        images=("https://assets.mercari-shops-static.com/large.jpg",),
        created=datetime(2026, 9, 20, 10, 0, tzinfo=UTC),
        updated=datetime(2026, 9, 21, 10, 0, 0, 123456, tzinfo=UTC),
        description="店の説明",
        extra={
            "category": "700",
            "brand": "ミナモ楽団",
            "shop": "kotorishopKotorishop22",
            "condition_name": "Almost new",
            "variants": found.extra["variants"],
        },
    )


@pytest.mark.parametrize(
    ("tags", "quantities", "status"),
    [
        ([], ["1"], Status.ON_SALE),
        ([], ["0", "2"], Status.ON_SALE),
        ([], ["0", None, "1"], Status.ON_SALE),
        ([], ["0"], Status.SOLD),
        ([], ["0", 0], Status.SOLD),
        (["sold_out"], ["3"], Status.SOLD),
        (["sold_out"], [], Status.SOLD),
        ([], ["0", None], Status.UNKNOWN),
        ([], ["many"], Status.UNKNOWN),
        ([], [], Status.UNKNOWN),
        (None, [], Status.UNKNOWN),
        (["new"], [], Status.UNKNOWN),
    ],
)
def test_a_tag_or_the_stock_tells_whether_it_is_sold_out_and_silence_does_not(tags, quantities, status: Status):
    stock = [variant(quantity=quantity) for quantity in quantities]
    assert look_at_shop({"variants": stock}, productTags=tags).status == status


@pytest.mark.parametrize(
    ("payer", "shipping"),
    [
        ({"shippingPayerId": "1", "code": "SELLER"}, Shipping.INCLUDED),
        ({"shippingPayerId": "2", "code": "BUYER"}, Shipping.BUYER_PAYS),
        ({"shippingPayerId": "2"}, Shipping.UNKNOWN),
        ({"shippingPayerId": "1", "displayName": "送料込み(出品者負担)"}, Shipping.UNKNOWN),
        (None, Shipping.UNKNOWN),
    ],
)
def test_who_pays_is_told_by_the_code_alone(payer: object, shipping: Shipping):
    assert look_at_shop({"shippingPayer": payer}).shipping == shipping


def test_a_running_time_sale_leaves_the_price_and_is_told_beside_it():
    sale = {"percentage": 5, "price": "4560", "startTime": "2026-09-20T00:00:00Z", "endTime": "2026-09-30T00:00:00Z"}
    found = look_at_shop({"timeSaleDetails": sale})
    assert found.price == Money(amount=4800, currency="JPY")
    assert found.extra["time_sale_price"] == "4560"
    assert found.extra["time_sale_starts"] == "2026-09-20T00:00:00+00:00"
    assert found.extra["time_sale_ends"] == "2026-09-30T00:00:00+00:00"


@pytest.mark.parametrize("sale", [None, {}, [], {"price": "0", "endTime": "2026-09-30T00:00:00Z"}, {"price": "soon"}])
def test_a_time_sale_without_a_price_is_none(sale: object):
    assert not [name for name in look_at_shop({"timeSaleDetails": sale}).extra if name.startswith("time_sale")]


def test_every_variant_is_told_with_what_is_known_of_it():
    rows = [
        variant(),
        variant(variantId="vTwo", displayName="", quantity="0", size=""),
        variant(quantity=GONE),
        None,
        7,
    ]
    told = json.loads(look_at_shop({"variants": rows}).extra["variants"])
    assert [each["quantity"] for each in told] == [3, 0, None]
    assert (told[1]["id"], told[1]["name"], told[1]["size"]) == ("vTwo", None, None)


@pytest.mark.parametrize(
    ("shop", "known"),
    [
        ({"name": "s1", "shopStats": {"score": 0, "reviewCount": "0"}}, Seller(id="s1", count=0)),
        ({"name": "s1", "displayName": "店", "shopStats": None}, Seller(id="s1", name="店")),
        ({"displayName": "店"}, None),
        (None, None),
    ],
)
def test_the_seller_is_the_shop_as_far_as_told(shop: object, known: Seller | None):
    assert look_at_shop({"shop": shop}).seller == known


def test_the_small_picture_and_the_first_category_stand_in_for_missing_ones():
    found = look_at_shop({"photos": None, "categories": [{"categoryId": "9"}, {"categoryId": "5"}]})
    assert found.images == ("https://assets.mercari-shops-static.com/small.jpg",)
    assert found.extra["category"] == "9"


@pytest.mark.parametrize("price", ["9999999", "0", "", None, GONE, []])
def test_a_placeholder_and_nothing_are_no_price(price: object):
    assert look_at_shop(price=price).price is None


def test_half_a_sign_in_a_variant_costs_nothing():
    body = json.dumps(product({"variants": [variant(displayName="赤 \ud83d")]})).encode()
    found = read_product(answer(None, body=body), PRODUCT_ID, now=NOW)
    assert json.loads(found.extra["variants"])[0]["name"] == "赤 \ufffd"


@pytest.mark.parametrize(
    "told",
    [
        product(name="anotherProduct00000001"),
        product(name=GONE),
        product(displayName=GONE),
        product(price=GONE, productDetail=GONE),
        {"result": "OK", "data": product(), "meta": {}},
        [],
        None,
    ],
)
def test_another_product_and_another_layout_are_refused(told: object):
    with pytest.raises(LayoutChanged):
        read_product(answer(told), PRODUCT_ID, now=NOW)


@given(
    detail=st.dictionaries(st.sampled_from(sorted(product_detail())), ANYTHING),
    changes=st.dictionaries(
        st.sampled_from(sorted(set(product()) - {"name", "displayName", "productDetail"})), ANYTHING
    ),
)
@settings(max_examples=150, deadline=None)
def test_one_bad_field_never_costs_the_product(detail: dict[str, object], changes: dict[str, object]):
    found = look_at_shop(detail, **changes)
    assert Promise(manifest=MANIFEST).sighting(found, external_id=PRODUCT_ID).kind == Kind.SHOP
    assert look_at_shop(detail, **changes) == found
