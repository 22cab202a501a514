"""Addresses that people paste; nothing here touches a network."""

from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.contract import Condition, ListingUrl, SearchUrl
from plugins.yahoo_auctions import plugin
from plugins.yahoo_auctions.ask import search_url
from plugins.yahoo_auctions.manifest import MANIFEST, Selling, YahooCriteria

HOME = "https://auctions.yahoo.co.jp"
SEARCH = f"{HOME}/search/search"


def asked(address: str) -> SearchUrl:
    found = plugin.parse_url(address)
    assert isinstance(found, SearchUrl), address
    return found


@pytest.mark.parametrize(
    ("address", "external_id"),
    [
        (f"{HOME}/jp/auction/b0900000011", "b0900000011"),
        ("https://page.auctions.yahoo.co.jp/jp/auction/b0900000011", "b0900000011"),
        ("http://auctions.yahoo.co.jp/jp/auction/0900000012", "0900000012"),
        ("auctions.yahoo.co.jp/jp/auction/z090000014", "z090000014"),
        ("//auctions.yahoo.co.jp:443/jp/auction/z090000014/", "z090000014"),
        (f"  {HOME}/jp/auction/b0900000011?utm_source=x&sc_i=auc#photo \n", "b0900000011"),
        (f"{HOME}/jp/auction/b0900000011/countdown", "b0900000011"),
        ("HTTPS://AUCTIONS.YAHOO.CO.JP/jp/auction/B0900000011", "b0900000011"),
        (f"{HOME}/jp/show/bid_hist?aID=b0900000011&typ=log", "b0900000011"),
        (f"{HOME}/jp/show/qanda?x=1&amp;aID=b0900000011", "b0900000011"),
    ],
)
def test_the_address_of_a_listing_gives_its_id(address: str, external_id: str):
    assert plugin.parse_url(address) == ListingUrl(external_id=external_id)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ルミナ",
        "https://",
        "https://[::",
        "https://auctions.yahoo.co.jp:port/jp/auction/b0900000011",
        "https://auctions.yahoo.co.jp:8443/jp/auction/b0900000011",
        "https://auctions.yahoo.co.jp.example.com/jp/auction/b0900000011",
        "https://xauctions.yahoo.co.jp/jp/auction/b0900000011",
        "https://auctions.yahoo.co.jp@example.com/jp/auction/b0900000011",
        "https://me@auctions.yahoo.co.jp/jp/auction/b0900000011",
        "https://example.com/?u=https://auctions.yahoo.co.jp/jp/auction/b0900000011",
        "ftp://auctions.yahoo.co.jp/jp/auction/b0900000011",
        "javascript:alert(1)//auctions.yahoo.co.jp/jp/auction/b0900000011",
        "https://auctіons.yahoo.co.jp/jp/auction/b0900000011",
        "https://shopping.yahoo.co.jp/search?p=x",
        HOME,
        f"{HOME}/",
        f"{HOME}/jp/auction/",
        f"{HOME}/jp/auction/not-an-id",
        f"{HOME}/jp/show/bid_hist",
        f"{HOME}/my/won",
        f"{HOME}/category/list/",
        f"{HOME}/category/list/cards/",
        f"{HOME}/seller/",
        f"{HOME}/seller/%E5%87%BA",
        SEARCH,
        f"{SEARCH}?p=&va=&b=1&n=50",
        f"{SEARCH}?aucmaxprice=5000",
        f"{SEARCH}?p=%28%29",
    ],
)
def test_other_sites_look_alikes_and_what_asks_nothing_are_not_understood(address: str):
    assert plugin.parse_url(address) is None


@pytest.mark.parametrize(
    "address",
    [
        f"{SEARCH}?p=ルミナ+T2&va=ルミナ+T2",
        f"{SEARCH}?va=%E3%83%AB%E3%83%9F%E3%83%8A%20T2",
        f"{SEARCH}/{quote('ルミナ T2')}/0/",
        f"{SEARCH}/{quote('ルミナ T2')}/0/?b=51",
        f"{SEARCH}/ルミナ　Ｔ２",
        f"{SEARCH}?p={quote('ルミナ T2'.encode('euc_jp'))}&ei=euc-jp",
        f"{SEARCH}?p={quote('ルミナ T2'.encode('cp932'))}",
        f"{SEARCH}?p={quote('（ルミナ）、Ｔ２')}",
        f"{HOME}/search/advanced?va={quote('ルミナ T2')}",
        f"{SEARCH}?p={quote('ルミナ T2')}&va=x",
        f"http://page.auctions.yahoo.co.jp/search/search?va=x&p={quote('ルミナ T2')}",
    ],
)
def test_a_keyword_is_understood_in_every_form_and_charset(address: str):
    found = asked(address)
    assert (found.criteria, found.leftovers) == (YahooCriteria(keyword="ルミナ T2"), ())


def test_signs_of_older_charsets_are_read_too():
    assert asked(f"{SEARCH}?p={quote('①'.encode('euc_jis_2004'))}").criteria.keyword == "1"


@pytest.mark.parametrize(
    ("query", "criteria"),
    [
        ("auccat=23336", {"category": 23336}),
        ("brand_id=104", {"brand": 104}),
        ("fixed=1", {"selling": Selling.FIXED}),
        ("fixed=2", {"selling": Selling.AUCTION}),
        ("fixed=3", {}),
        ("istatus=1,2", {"grades": (1, 2)}),
        ("istatus=0", {}),
        ("abatch=2%2C3", {"sellers": (2, 3)}),
        ("abatch=0", {}),
        ("loc_cd=13,27", {"prefectures": (13, 27)}),
        ("dest_pref_code=27&is_postage_mode=1", {"deliver_to": 27}),
        ("auchours=1", {"ending_soon": True}),
        ("is_appraisal=1", {"appraised": True}),
        ("privacy_delivery=1", {"anonymous_delivery": True}),
        ("shipping=113,114,115,116", {"store_pickup": True}),
        ("aucmin_bidorbuy_price=1,000", {"buy_now_from": 1000}),
        ("aucmax_bidorbuy_price=7", {"buy_now_to": 7}),
        ("min=10&max=90&price_type=bidorbuyprice", {"buy_now_from": 10, "buy_now_to": 90}),
        ("auccat=0&brand_id=&pstagefree=0", {}),
    ],
)
def test_parameters_become_criteria(query: str, criteria: dict[str, object]):
    found = asked(f"{SEARCH}?p=x&{query}")
    assert (found.criteria, found.leftovers) == (YahooCriteria(keyword="x", **criteria), ())
    assert (found.price_min, found.price_max, found.conditions, found.shipping_included) == (None, None, (), False)


@pytest.mark.parametrize(
    ("query", "limits"),
    [
        ("aucminprice=500&aucmaxprice=9000", {"price_min": 500, "price_max": 9000}),
        ("min=500&max=９０００&price_type=currentprice", {"price_min": 500, "price_max": 9000}),
        ("max=9000", {"price_max": 9000}),
        ("aucminprice=0", {}),
        ("istatus=1,3", {"conditions": (Condition.NEW, Condition.LIKE_NEW)}),
        ("istatus=7,6,5,4", {"conditions": (Condition.GOOD, Condition.FAIR, Condition.WORN, Condition.POOR)}),
        ("pstagefree=1", {"shipping_included": True}),
        ("vo=50mm+85mm", {"any_of": ("50mm", "85mm")}),
        ("ve=ジャンク+訳あり", {"none_of": ("ジャンク", "訳あり")}),
    ],
)
def test_parameters_that_we_check_ourselves_become_limits(query: str, limits: dict[str, object]):
    assert asked(f"{SEARCH}?p=x&{query}") == SearchUrl(criteria=YahooCriteria(keyword="x"), **limits)


def test_words_with_a_hyphen_are_words_to_leave_out_and_add_up():
    found = asked(f"{SEARCH}?p=レンズ+-ジャンク+－訳あり+F2-8&ve=部品+ジャンク")
    assert found.criteria.keyword == "レンズ F2-8"
    assert set(found.none_of) == {"ジャンク", "訳あり", "部品"}


def test_how_results_are_shown_and_what_the_site_adds_is_dropped_silently():
    noise = "b=51&n=100&s1=end&o1=a&mode=2&tab_ex=commerce&ei=utf-8&aq=-1&oq=y&sc_i=z&x=1&y=2&fr=auc&utm_medium=m"
    assert asked(f"{SEARCH}?{noise}&p=x&nockie=1&todayend=1&exflg=1&rc_ng=1&thumb=1&user_type=c") == SearchUrl(
        criteria=YahooCriteria(keyword="x")
    )


def test_what_is_not_understood_or_cannot_be_kept_is_named_as_it_stands():
    query = "new=1&f=0x4&exsid=a%2Cb&istatus=1,9&fixed=7&loc_cd=99&dest_pref_code=49&auccat=x&shipping=5&later"
    found = asked(f"{SEARCH}/x/25464/?{query}&blank=&new=1")
    assert found.leftovers == (
        "25464", "new=1", "f=0x4", "exsid=a%2Cb", "istatus=1,9", "fixed=7", "loc_cd=99", "dest_pref_code=49",
        "auccat=x", "shipping=5",
    )  # fmt: skip
    assert found.criteria == YahooCriteria(keyword="x")


def test_a_category_alone_is_a_question():
    assert asked(f"{HOME}/category/list/23336/?p=&tab_ex=commerce").criteria == YahooCriteria(category=23336)
    assert asked(f"{SEARCH}?auccat=23336").criteria == YahooCriteria(category=23336)


def test_a_seller_alone_is_a_question():
    found = asked("http://auctions.yahoo.co.jp/seller/SampleSeller_1?user_type=c&b=51")
    assert (found.criteria, found.leftovers) == (YahooCriteria(seller="SampleSeller_1"), ())
    assert asked(f"{HOME}/seller/SampleSeller_1?p=レンズ").criteria.keyword == "レンズ"


def test_words_of_which_any_will_do_are_a_question_and_those_to_leave_out_are_none():
    assert asked(f"{SEARCH}?vo=50mm").any_of == ("50mm",)
    assert plugin.parse_url(f"{SEARCH}?ve=50mm") is None


@pytest.mark.parametrize("path", ["?p=x&va=x", "/x/0/", "/x"])
def test_a_closed_search_gives_its_words_and_says_that_closed_cannot_be_kept(path: str):
    found = asked(f"{HOME}/closedsearch/closedsearch{path}")
    assert (found.criteria, found.leftovers) == (YahooCriteria(keyword="x"), ("closedsearch",))


def test_what_we_ask_ourselves_is_understood_again():
    question = YahooCriteria(
        keyword="x", category=5, brand=6, selling=Selling.FIXED, deliver_to=27, sellers=(1, 2), prefectures=(13,),
        buy_now_from=1, buy_now_to=9, ending_soon=True, appraised=True, anonymous_delivery=True, store_pickup=True,
    )  # fmt: skip
    found = asked(search_url(HOME, question, offset=51))
    assert (found.criteria, found.leftovers) == (question, ())


def test_the_link_to_a_listing_is_understood_again():
    address = plugin.link("b0900000011", web=HOME)
    assert address == f"{HOME}/jp/auction/b0900000011"
    assert plugin.parse_url(address) == ListingUrl(external_id="b0900000011")
    assert plugin.link("b09", web="http://127.0.0.1:9") == "http://127.0.0.1:9/jp/auction/b09"
    assert urlsplit(plugin.link("../x?y#z", web=HOME)).path == "/jp/auction/..%2Fx%3Fy%23z"


NAMES = st.sampled_from(
    ["p", "va", "vo", "ve", "auccat", "min", "istatus", "fixed", "loc_cd", "price_type", "f", "aID"]
)
VALUES = st.one_of(st.text(), st.integers().map(str), st.sampled_from(["%a5%ab", "%", "%zz", "１２", "１,2", "\ud800"]))
PATHS = st.sampled_from(["/search/search", "/search/search/%ff/0/", "/jp/auction/", "/seller/", "/category/list/１/"])
QUERIES = st.lists(st.tuples(NAMES, VALUES)).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs))
ADDRESSES = st.builds("{}{}{}?{}".format, st.sampled_from(["", "//", "https://"]), st.just(HOME[8:]), PATHS, QUERIES)


@given(st.one_of(st.text(), ADDRESSES, st.builds("{}{}".format, ADDRESSES, st.text())))
def test_no_text_at_all_makes_it_raise(text: str):
    found = plugin.parse_url(text)
    assert found is None or isinstance(found, ListingUrl) or found.criteria.asks_something or found.any_of


@given(st.text(st.characters(exclude_characters="/?#\\")))
def test_no_host_but_the_site_s_own_is_ever_understood(text: str):
    assert plugin.parse_url(f"https://{text}.example/jp/auction/b0900000011?p=x") is None


def test_hosts_of_addresses_are_those_of_the_manifest():
    assert all(plugin.parse_url(f"https://{host}/jp/auction/b0900000011") for host in MANIFEST.hosts)
