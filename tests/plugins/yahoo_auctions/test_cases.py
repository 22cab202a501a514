"""What went wrong for users of comparable tools, where it could go wrong here too: prices, gaps, charsets, words."""

import pytest

from monitor_site.contract import Answer, Condition, LayoutChanged, Status
from plugins.yahoo_auctions import fields
from plugins.yahoo_auctions.ask import search_url
from plugins.yahoo_auctions.manifest import YahooCriteria
from plugins.yahoo_auctions.meaning import condition_of
from plugins.yahoo_auctions.parse import read_search
from plugins.yahoo_auctions.parse_closed import read_closed
from plugins.yahoo_auctions.parse_detail import read_listing
from tests.plugins.yahoo_auctions.items import ID, closed_page, item_page, sold
from tests.plugins.yahoo_auctions.samples import NOW, answer, card, only, page_of

NOTHINGS = (None, "", 0, [], {}, False, "?", [None], {"path": None})


def sighted(made: Answer) -> tuple[object, ...]:
    found = read_listing(made, ID, now=NOW)
    return found.external_id, found.title, found.price, found.status


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1,600円", 1600),
        ("￥1,600", 1600),
        ("¥ 1,600", 1600),
        ("１，６００円", 1600),
        ("1600", 1600),
        ("1,600\u00a0円", 1600),
        ("68 50円", None),
        ("1,600.00", 1600),
        ("1.600円", None),
        ("1 600〜2 000円", None),
        ("0円", None),
        ("円", None),
        ("9" * 30, None),
    ],
)
def test_a_price_is_read_as_yen_or_not_at_all(text: str, amount: int | None):
    assert fields.yen(text) == amount


def test_a_price_split_over_elements_is_joined_before_it_is_read():
    split = card(shown="@").replace("@", "<b>3,</b><!-- --><i>440</i><small>円</small>")
    assert only(split).price.amount == 3440


@pytest.mark.parametrize("price", [None, "", "many", [], {}, -5, 1.5])
def test_no_price_is_unknown_in_lists_and_another_layout_on_a_page_of_one(price: object):
    assert read_closed(closed_page(sold(price=price)), YahooCriteria(), now=NOW).sightings[0].price is None
    with pytest.raises(LayoutChanged, match="price"):
        sighted(item_page(price=price))


@pytest.mark.parametrize("key", ["seller", "category", "img", "description", "conditionName", "quantity", "startTime"])
@pytest.mark.parametrize("nothing", NOTHINGS, ids=repr)
def test_what_is_optional_on_a_page_may_be_missing_empty_or_odd(key: str, nothing: object):
    assert sighted(item_page(**{key: nothing})) == sighted(item_page()) == sighted(item_page(**{key: ...}))


@pytest.mark.parametrize("key", ["seller", "category", "categoryPath", "imageUrl", "itemCondition", "buyNowPrice"])
@pytest.mark.parametrize("nothing", NOTHINGS, ids=repr)
def test_what_is_optional_in_a_row_may_be_missing_empty_or_odd(key: str, nothing: object):
    page = read_closed(closed_page(sold(**{key: nothing})), YahooCriteria(keyword="x"), now=NOW)
    assert [found.external_id for found in page.sightings] == [sold()["auctionId"]]


def test_full_width_and_half_width_ask_the_same():
    wide, narrow = (YahooCriteria(keyword=text) for text in ("ＵＳＢ　ﾒﾓﾘ", "USB メモリ"))
    assert search_url("https://x", wide, offset=1) == search_url("https://x", narrow, offset=1)


@pytest.mark.parametrize(
    ("said", "grade"), [("未使用", Condition.NEW), ("未使用に近い", Condition.LIKE_NEW), ("新品", Condition.UNKNOWN)]
)
def test_a_condition_is_its_whole_word(said: str, grade: Condition):
    assert condition_of(said) == grade
    assert read_listing(item_page(conditionName=said), ID, now=NOW).condition == grade


@pytest.mark.parametrize("declared", ["header", "meta", "nowhere"])
def test_a_japanese_page_is_read_by_header_then_by_meta_then_by_trying(declared: str):
    body = page_of(card(title="㎝④のレンズ")).body.decode()
    if declared == "meta":
        body = body.replace("<head>", '<head><meta charset="euc-jp">')
    said = "text/html; charset=EUC-JP" if declared == "header" else "text/html"
    made = answer(body.encode("euc_jis_2004"), content_type=said)
    assert read_search(made, YahooCriteria(), now=NOW).sightings[0].title == "㎝④のレンズ"


def test_nothing_on_a_page_that_says_neither_results_nor_none_is_no_empty_page():
    with pytest.raises(LayoutChanged):
        read_search(answer("<html><body><div class='Products'></div></body></html>"), YahooCriteria(), now=NOW)


def test_an_attribute_that_went_away_is_unknown_on_a_card_and_said_when_it_is_gone_everywhere():
    assert only(card(end="", bids="")).bids is None
    assert only(card(end="", bids="")).status == Status.ON_SALE
    with pytest.raises(LayoutChanged, match="bids"):
        read_search(page_of(*(card(id=f"a090000000{n}", bids="") for n in range(9))), YahooCriteria(), now=NOW)
