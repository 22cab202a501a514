"""Addresses: what people paste, and where they are sent to buy."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor_site.contract import Condition, Kind, ListingUrl, SearchUrl
from plugins.mercari import plugin
from plugins.mercari.manifest import HOME, MercariCriteria
from plugins.mercari.pasted import parse_url
from plugins.mercari.urls import link, page_of

ITEM, PRODUCT = "m07799000001", "7kQw3nVbT9xYzRmPdHs5Lc"
SEARCH = "https://jp.mercari.com/search"


def searched(query: str) -> SearchUrl:
    found = parse_url(f"{SEARCH}?{query}")
    assert isinstance(found, SearchUrl)
    return found


@pytest.mark.parametrize(
    "url",
    [
        f"https://jp.mercari.com/item/{ITEM}",
        f"https://jp.mercari.com/item/{ITEM}/",
        f"http://jp.mercari.com/item/{ITEM}",
        f"jp.mercari.com/item/{ITEM}",
        f"//jp.mercari.com/item/{ITEM}",
        f"  https://JP.Mercari.com:443/item/{ITEM}\n",
        f"https://jp.mercari.com/en/item/{ITEM}",
        f"https://jp.mercari.com/item/{ITEM}?utm_source=x&source_location=share#photos",
        f"https://www.mercari.com/jp/items/{ITEM}/",
        f"www.mercari.com/jp/items/{ITEM}/?s=1",
        f"https://jp.mercari.com/purchase/{ITEM}",
        f"https://jp.mercari.com/transaction/{ITEM}",
    ],
)
def test_every_form_of_a_persons_listing_names_it(url: str):
    assert parse_url(url) == ListingUrl(external_id=ITEM)


@pytest.mark.parametrize(
    "url",
    [
        f"https://jp.mercari.com/shops/product/{PRODUCT}",
        f"https://jp.mercari.com/en/shops/product/{PRODUCT}/?source_location=x",
        f"jp.mercari.com/shops/product/{PRODUCT}#a",
    ],
)
def test_every_form_of_a_shops_product_names_it(url: str):
    assert parse_url(url) == ListingUrl(external_id=PRODUCT)


def test_a_product_is_told_by_the_form_of_its_id_and_not_by_its_length():
    assert parse_url(f"https://jp.mercari.com/shops/product/{PRODUCT[:-1]}") == ListingUrl(external_id=PRODUCT[:-1])
    assert parse_url(f"https://jp.mercari.com/shops/product/{ITEM}") is None
    assert parse_url(f"https://jp.mercari.com/item/{PRODUCT}") is None


def test_a_profile_asks_for_the_sellers_items():
    for url in ("https://jp.mercari.com/user/profile/880000001", "jp.mercari.com/en/user/profile/880000001/?x=1"):
        assert parse_url(url) == SearchUrl(criteria=MercariCriteria(seller=880000001))


def test_a_shop_is_understood_and_named_as_what_cannot_be_kept():
    found = parse_url("https://mercari-shops.com/shops/kotorishopKotorishop22")
    assert found == SearchUrl(criteria=MercariCriteria(), leftovers=("shops/kotorishopKotorishop22",))
    assert not found.criteria.asks_something


def test_a_search_is_understood_to_its_last_parameter():
    words = f"keyword={quote('ルミナ  T2')}&exclude_keyword={quote('ジャンク　部品 ジャンク')}"
    numbers = "category_id=846,847&brand_id=91001&price_min=5000&price_max=80000&item_condition_id=3,1"
    usual = "sort=created_time&order=desc&status=on_sale&item_types=mercari&shipping_payer_id=2&utm_campaign=x"
    assert searched(f"{words}&{numbers}&{usual}") == SearchUrl(
        criteria=MercariCriteria(
            keyword="ルミナ T2", category_ids=(846, 847), brand_ids=(91001,), sold_as=(Kind.FLEA, Kind.AUCTION)
        ),
        none_of=("ジャンク", "部品"),
        price_min=5000,
        price_max=80000,
        conditions=(Condition.NEW, Condition.GOOD),
        shipping_included=True,
    )


@pytest.mark.parametrize(
    ("query", "leftovers"),
    [
        ("sort=price&order=asc", ("sort=price", "order=asc")),
        ("status=on_sale,sold_out", ("status=sold_out",)),
        ("status=sold_out%7Ctrading", ("status=sold_out|trading",)),
        ("category_id=5,shoes", ("category_id=shoes",)),
        ("brand_id=0", ("brand_id=0",)),
        ("item_condition_id=1,9", ("item_condition_id=9",)),
        ("item_types=mercari,other", ("item_types=other",)),
        ("price_min=cheap&price_max=-5", ("price_min=cheap", "price_max=-5")),
        ("shipping_payer_id=1", ("shipping_payer_id=1",)),
        ("size_id=3,4&color_id=2", ("size_id=3", "size_id=4", "color_id=2")),
        ("keyword=a&keyword=b", ("keyword=b",)),
        ("d664efe3-xx=B38F%00", ("d664efe3-xx=B38F",)),
    ],
)
def test_what_is_not_understood_or_not_kept_is_named(query: str, leftovers: tuple[str, ...]):
    assert searched(query).leftovers == leftovers


@pytest.mark.parametrize(
    "query",
    ["", "keyword=", "price_min=0&price_max=0", "utm_source=a&gclid=b", "item_types=mercari,beyond", "status=on_sale",
     "shipping_payer_id=1,2"],
)  # fmt: skip
def test_what_limits_nothing_is_no_limit_and_no_leftover(query: str):
    assert searched(query) == SearchUrl(criteria=MercariCriteria())


@pytest.mark.parametrize("comma", [",", "%2C", "%2c"])
def test_lists_are_separated_by_commas_however_written(comma: str):
    assert searched(f"category_id=5{comma}6&category_id=7").criteria == MercariCriteria(category_ids=(5, 6, 7))


@pytest.mark.parametrize(
    ("types", "kinds"),
    [("mercari", (Kind.FLEA, Kind.AUCTION)), ("beyond", (Kind.SHOP,)), ("beyond,mercari", ()), ("", ())],
)
def test_people_and_shops_are_told_apart_by_item_types(types: str, kinds: tuple[Kind, ...]):
    assert searched(f"item_types={types}").criteria == MercariCriteria(sold_as=kinds)


def test_leftovers_are_few_short_and_can_be_seen():
    many = "&".join(f"{name}%0A={'x' * 20}" for name in range(90))
    assert len(searched(many).leftovers) == 30
    (one,) = searched(f"a%00%0Ab={'x' * 900}").leftovers
    assert (len(one), one.isprintable()) == (200, True)


@pytest.mark.parametrize(
    "url",
    [
        "", " ", "camera", "m07799000001", "https://", "jp.mercari.com", "https://jp.mercari.com/", "http://[::1",
        f"https://jp.mercari.com/item/{ITEM}x", "https://jp.mercari.com/item/m", "https://jp.mercari.com/item/M07799",
        f"https://jp.mercari.com/item/{ITEM}/comments", f"https://jp.mercari.com/items/{ITEM}",
        f"https://jp.mercari.com.example.org/item/{ITEM}", f"https://jp-mercari.com/item/{ITEM}",
        f"https://jp.mercari.com@example.org/item/{ITEM}", f"https://x@jp.mercari.com/item/{ITEM}",
        f"https://example.org/jp.mercari.com/item/{ITEM}", f"https://xjp.mercari.com/item/{ITEM}",
        f"https://tw.mercari.com/item/{ITEM}", f"https://hk.mercari.com/zh-hant/items/{ITEM}",
        f"https://www.mercari.com/us/item/{ITEM}", f"https://mercari-shops.com/item/{ITEM}",
        f"https://jp.mercari.com:8443/item/{ITEM}", f"https://jp.mercari.com:99999/item/{ITEM}",
        f"ftp://jp.mercari.com/item/{ITEM}", f"javascript://jp.mercari.com/item/{ITEM}", f"mailto:x@mercari.com/{ITEM}",
        "https://jp.mercari.com/user/profile/abc", "https://jp.mercari.com/user/profile/0",
        "https://jp.mercari.com/search/x", "https://auctions.yahoo.co.jp/search/search?p=x",
        f"https://jp.mercari.com/item/{ITEM}\x00", f"https://jp.mercari.com/item/{'m' + '9' * 5000}",
        f"ｊｐ．mercari.com/item/{ITEM}", f"https://jp.mercari.com/shops/product/{'x' * 65}",
    ],
)  # fmt: skip
def test_any_other_text_asks_for_nothing(url: str):
    assert parse_url(url) is None


@given(
    st.text(max_size=80) | st.builds("https://jp.mercari.com/{}?{}".format, st.text(max_size=20), st.text(max_size=60))
)
@settings(max_examples=300, deadline=None)
def test_no_text_makes_it_raise(url: str):
    assert parse_url(url) is None or isinstance(parse_url(url), ListingUrl | SearchUrl)


NAMES = ("keyword", "category_id", "brand_id", "price_min", "item_types", "item_condition_id", "status", "sort", "x",
         "exclude_keyword", "shipping_payer_id")  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.text(max_size=12)), max_size=8))
@settings(max_examples=300, deadline=None)
def test_any_value_of_any_parameter_is_understood_or_named(pairs: list[tuple[str, str]]):
    found = searched("&".join(f"{name}={quote(value, errors='replace')}" for name, value in pairs))
    assert isinstance(found.criteria, MercariCriteria)
    assert all(0 < number < 10**10 for number in (*found.criteria.category_ids, *found.criteria.brand_ids))
    assert found.price_min is None or found.price_min > 0
    assert all(each.isprintable() for each in found.leftovers)


def test_a_persons_thing_is_bought_where_the_purchase_is_confirmed_and_a_shops_on_its_page():
    assert link(ITEM, web=HOME) == f"https://jp.mercari.com/purchase/{ITEM}"
    assert link(PRODUCT, web=HOME) == f"https://jp.mercari.com/shops/product/{PRODUCT}"
    assert plugin.link is link


@given(st.from_regex("m[0-9]{1,20}|[0-9A-Za-z]{1,40}", fullmatch=True).filter(lambda each: len(each) <= 21))
def test_where_a_person_is_sent_is_understood_when_pasted_back(external_id: str):
    shop = not (external_id[0] == "m" and external_id[1:].isdecimal())
    assert parse_url(link(external_id, web=HOME)) == ListingUrl(external_id=external_id)
    assert parse_url(page_of(external_id, web=HOME, shop=shop)) == ListingUrl(external_id=external_id)


@given(st.text(max_size=40))
def test_no_id_makes_a_link_raise_or_leave_the_site(external_id: str):
    assert link(external_id, web=HOME).startswith(f"{HOME}/")
