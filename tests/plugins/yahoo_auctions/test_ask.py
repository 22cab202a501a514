"""From a question to an address; nothing here touches a network."""

from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from monitor_site.contract import canonical, criteria_from
from plugins.yahoo_auctions import plugin
from plugins.yahoo_auctions.ask import closed_url, plain, search_headers, search_url
from plugins.yahoo_auctions.manifest import MANIFEST, Order, Selling, YahooCriteria


def asked(*, offset: int = 1, **criteria: object) -> dict[str, str]:
    url = search_url("https://auctions.yahoo.co.jp", YahooCriteria(**criteria), offset=offset)
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def test_a_plain_question_asks_for_the_newest_with_the_keyword_in_both_fields():
    assert asked(keyword="ルミナ T2") == {
        "p": "ルミナ T2",
        "va": "ルミナ T2",
        "is_postage_mode": "1",
        "dest_pref_code": "13",
        "s1": "new",
        "o1": "d",
        "b": "1",
        "n": "50",
    }


def test_spaces_are_sent_as_plus():
    assert "p=a+b&va=a+b" in search_url("https://x", YahooCriteria(keyword="a b"), offset=1)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("カード（初期）,鑑定", "カード 初期 鑑定"),
        ("【美品】ＬＵＭＩＮＡ、ﾚﾝｽﾞ", "美品 LUMINA レンズ"),
        ('"50mm" [F1.4]', "50mm F1.4"),
        ("ロイヤル・ナント R&B+C", "ロイヤル・ナント R&B+C"),
        ("  ", ""),
    ],
)
def test_signs_that_break_the_search_become_spaces(typed: str, sent: str):
    assert plain(typed) == sent


def test_finer_words_go_without_the_field_that_would_override_them():
    query = asked(keyword="レンズ", any_words=("50mm", "85mm"), without_words=("ジャンク", "訳（あり）"))
    assert {name: query.get(name) for name in ("p", "va", "vo", "ve")} == {
        "p": None,
        "va": "レンズ",
        "vo": "50mm 85mm",
        "ve": "ジャンク 訳 あり",
    }


def test_words_to_leave_out_are_not_asked_alone():
    query = asked(keyword="", without_words=("ジャンク",), category=23636)
    assert "ve" not in query
    assert query["auccat"] == "23636"


def test_a_category_alone_is_asked_without_empty_words():
    assert {"p", "va"}.isdisjoint(asked(category=23636))


def test_the_closed_search_is_asked_with_the_keyword_of_the_search_and_nothing_more():
    question = YahooCriteria(keyword="レンズ（初期）", category=5, price_to=900, sellers=(1,))
    query = parse_qsl(urlsplit(closed_url("https://x", question, offset=51)).query)
    assert query == [("p", "レンズ 初期"), ("va", "レンズ 初期"), ("b", "51"), ("n", "50")]
    finer = closed_url("https://x", YahooCriteria(keyword="a", without_words=("b",)), offset=1)
    assert finer == "https://x/closedsearch/closedsearch?p=a&va=a&b=1&n=50"


@pytest.mark.parametrize(
    ("criteria", "pair"),
    [
        ({"descriptions": True}, ("f", "0x4")),
        ({"fuzzy": True}, ("ngram", "1")),
        ({"selling": Selling.FIXED}, ("fixed", "1")),
        ({"selling": Selling.AUCTION}, ("fixed", "2")),
        ({"category": 23336}, ("auccat", "23336")),
        ({"brand": 104}, ("brand_id", "104")),
        ({"price_from": 500}, ("aucminprice", "500")),
        ({"price_to": 9000}, ("aucmaxprice", "9000")),
        ({"buy_now_from": 1}, ("aucmin_bidorbuy_price", "1")),
        ({"buy_now_to": 7}, ("aucmax_bidorbuy_price", "7")),
        ({"grades": (4, 1, 3)}, ("istatus", "1,3,4")),
        ({"sellers": (2, 3)}, ("abatch", "2,3")),
        ({"prefectures": (13, 27)}, ("loc_cd", "13,27")),
        ({"free_shipping": True}, ("pstagefree", "1")),
        ({"new_only": True}, ("new", "1")),
        ({"ending_soon": True}, ("auchours", "1")),
        ({"appraised": True}, ("is_appraisal", "1")),
        ({"anonymous_delivery": True}, ("privacy_delivery", "1")),
        ({"store_pickup": True}, ("shipping", "113,114,115,116")),
        ({"first_bid": True}, ("is_first_bid", "true")),
        ({"deliver_to": 27}, ("dest_pref_code", "27")),
        ({"deliver_to": 48}, ("dest_pref_code", "48")),
        ({"deliver_to": None}, ("dest_pref_code", "13")),
    ],
)
def test_every_option_has_its_parameter_and_is_left_out_when_not_set(
    criteria: dict[str, object], pair: tuple[str, str]
):
    name, value = pair
    assert asked(keyword="x", **criteria)[name] == value
    assert asked(keyword="x").get(name) in {None, "13"}


@pytest.mark.parametrize(
    ("order", "sent"),
    [
        (Order.NEWEST, ("new", "d")),
        (Order.ENDING, ("end", "a")),
        (Order.ENDING_LAST, ("end", "d")),
        (Order.CHEAPEST, ("tbids", "a")),
        (Order.DEAREST, ("tbids", "d")),
        (Order.CHEAPEST_BUY_NOW, ("tbidorbuy", "a")),
        (Order.DEAREST_BUY_NOW, ("tbidorbuy", "d")),
        (Order.MOST_BIDS, ("bids", "a")),
        (Order.FEWEST_BIDS, ("bids", "d")),
        (Order.POPULAR, ("popular", "d")),
        (Order.FEATURED, ("featured", "d")),
        (Order.RECOMMENDED, ("score2", "d")),
        ("most bids", ("bids", "a")),
        ("", ("new", "d")),
    ],
)
def test_orders_are_sent_in_the_words_of_the_site(order: str, sent: tuple[str, str]):
    query = asked(keyword="x", order=order)
    assert (query["s1"], query["o1"]) == sent


def test_the_next_page_begins_where_this_one_ended():
    assert asked(keyword="x", offset=51)["b"] == "51"


def test_a_question_survives_being_stored():
    question = YahooCriteria(keyword="x", order=Order.ENDING, selling=Selling.FIXED, grades=(3, 1), category=5)
    again = criteria_from(canonical(question), YahooCriteria)
    assert search_url("https://x", again, offset=1) == search_url("https://x", question, offset=1)


def test_every_request_looks_like_a_browser_on_a_desk():
    headers = search_headers()
    assert "Mozilla/5.0" in headers["User-Agent"]
    assert not any(phone in headers["User-Agent"] for phone in ("iPhone", "Android", "Mobile"))


def test_the_manifest_says_what_the_plugin_is():
    assert plugin.manifest is MANIFEST
    assert MANIFEST.name == "yahoo_auctions"
    assert MANIFEST.capabilities == {"search", "look", "sold_prices", "link"}
    assert MANIFEST.pace.concurrency == 1
    assert parse_qs(urlsplit(search_url(plugin.api, MANIFEST.control, offset=1)).query)["p"] == ["カメラ"]
