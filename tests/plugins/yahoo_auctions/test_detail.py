"""The page of one listing."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from monitor_site.contract import (
    Answer,
    Blocked,
    ChallengeRequired,
    Condition,
    Kind,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    Money,
    Shipping,
    Sighting,
    SignInNeeded,
    Status,
    Unavailable,
)
from plugins.yahoo_auctions.parse_detail import read_listing
from tests.plugins.yahoo_auctions.items import ID, ITEM_URL, STORE, at, counted_page, cut_off, item_page
from tests.plugins.yahoo_auctions.samples import NOW, answer, samples


def look(made: Answer, external_id: str = ID) -> Sighting:
    return read_listing(at(made), external_id, now=NOW)


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


def test_an_open_auction_is_read_whole():
    found = look(item_page())
    assert (found.external_id, found.title) == ("r0900000031", "ルミナ 90mm マクロ")
    assert (found.price, found.buy_now, found.bids, found.kind) == (yen(15200), None, 9, Kind.AUCTION)
    assert (found.status, found.condition, found.shipping) == (Status.ON_SALE, Condition.GOOD, Shipping.BUYER_PAYS)
    assert (found.created, found.ends_at) == (
        datetime(2026, 10, 1, 11, tzinfo=UTC),
        datetime(2026, 10, 8, 12, 5, tzinfo=UTC),
    )
    assert (found.seller.id, found.seller.name, found.seller.rating, found.seller.count) == (
        "SampleSellerLong",
        "見本の出品者",
        97.1,
        210,
    )
    assert found.images == ("https://auctions.c.yimg.jp/a.jpg", "https://auctions.c.yimg.jp/b.jpg")
    assert found.extra == {"category": "2500", "extends": "1"}


def test_words_of_errors_in_a_description_are_only_a_description():
    assert "システムエラー" in (look(item_page()).description or "")


def test_the_price_of_a_recommended_thing_is_not_the_price():
    assert look(item_page()).price == yen(15200)
    assert look(counted_page()).price == yen(15200)


def test_a_store_s_prices_are_those_with_tax():
    found = look(item_page(**STORE))
    assert (found.price, found.buy_now, found.extra["store"]) == (yen(2460), yen(3300), "1")


def test_a_store_s_tax_is_reckoned_when_only_the_rate_is_told_and_unknown_without():
    assert look(item_page(**(STORE | {"taxinPrice": None}))).price == yen(2460)
    assert look(item_page(**(STORE | {"taxinPrice": None, "taxRate": None}))).price is None


def test_the_page_of_another_listing_is_no_answer():
    with pytest.raises(LayoutChanged, match="asked for r0900000032, shown r0900000031"):
        look(item_page(), "r0900000032")


@pytest.mark.parametrize("made", [item_page(), counted_page(closed=True)])
def test_a_page_that_was_cut_off_is_not_read(made: Answer):
    with pytest.raises(LayoutChanged, match="cut off"):
        look(cut_off(made))


def test_closed_without_a_count_of_bids_is_neither_sold_nor_unsold():
    assert look(item_page(status="closed", bids=...)).status == Status.UNKNOWN
    assert look(item_page(status="closed", bids="many")).status == Status.UNKNOWN


def test_a_counter_that_does_not_say_whether_it_is_over_is_not_believed():
    with pytest.raises(LayoutChanged, match="status"):
        look(counted_page(isClosed="?"))


def test_a_flea_item_that_is_closed_has_ended_since_nobody_tells_how():
    flea = look(item_page(auctionId="z090000032", isFleaMarket=True, status="closed"), "z090000032")
    assert flea.status == Status.ENDED


FRONT = "https://auctions.yahoo.co.jp/"
LIST = '<html><body><div class="Products"><li>メンテナンス、指定されたページを表示できません</li></div></body></html>'
PLAIN = "<html><body><p>ようこそ</p></body></html>"


def refused(made: Answer, url: str) -> MarketplaceError:
    with pytest.raises(MarketplaceError) as caught:
        read_listing(at(made, url), ID, now=NOW)
    return caught.value


@pytest.mark.parametrize("body", [LIST, PLAIN])
def test_sent_to_another_page_of_the_site_a_listing_is_gone(body: str):
    assert isinstance(refused(answer(body), FRONT), ListingGone)
    assert isinstance(refused(answer("", status=302, location="/"), ITEM_URL), ListingGone)
    assert isinstance(
        refused(answer("", status=301, location="https://page.auctions.yahoo.co.jp/"), ITEM_URL), ListingGone
    )


@pytest.mark.parametrize(
    ("location", "error"),
    [
        ("https://login.yahoo.co.jp/config/login?.src=auc", SignInNeeded),
        ("https://ncaptcha.yahoo.co.jp/x", ChallengeRequired),
        ("https://www.yahoo.co.jp/notice", LayoutChanged),
        ("http://[::", LayoutChanged),
        (ITEM_URL, LayoutChanged),
        ("", LayoutChanged),
    ],
)
def test_sent_anywhere_else_says_nothing_about_the_listing(location: str, error: type[Exception]):
    assert type(refused(answer("", status=302, location=location), ITEM_URL)) is error


@pytest.mark.parametrize("url", [ITEM_URL, FRONT])
@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize(
    ("file", "error"),
    [
        ("blocked_200.html", Blocked),
        ("geo.html", Blocked),
        ("captcha.html", ChallengeRequired),
        ("login.html", SignInNeeded),
        ("maintenance_200.html", Unavailable),
        ("busy_200.html", Unavailable),
        ("cut_off.html", LayoutChanged),
        ("no_body.html", LayoutChanged),
        ("json_instead.txt", LayoutChanged),
    ],
)
def test_a_wall_never_says_that_a_listing_is_gone(file: str, error: type[Exception], status: int, url: str):
    assert type(refused(replace(samples()[file].answer, status=status), url)) is error


def test_a_404_that_nothing_else_explains_is_a_listing_that_is_gone():
    assert isinstance(refused(answer(PLAIN, status=404), ITEM_URL), ListingGone)
    assert isinstance(refused(answer(PLAIN), ITEM_URL), LayoutChanged)


def test_the_sentence_counts_in_a_frame_that_speaks_of_maintenance_and_not_in_a_script_or_a_description():
    sentence = "指定されたURLのページは存在しません。"
    framed = f"<html><body><nav>メンテナンスのお知らせ</nav><p>{sentence}</p></body></html>"
    assert isinstance(refused(answer(framed), ITEM_URL), ListingGone)
    for element in ("script", 'div id="description"'):
        hidden = f"<html><body><{element}>{sentence}</{element.split()[0]}></body></html>"
        assert isinstance(refused(answer(hidden), ITEM_URL), LayoutChanged)


@pytest.mark.parametrize(("file", "error"), [("captcha.html", ChallengeRequired), ("login.html", SignInNeeded)])
def test_a_captcha_and_a_login_go_before_the_sentence(file: str, error: type[Exception]):
    body = (
        samples()[file].answer.body.decode().replace("</body>", "<p>指定されたURLのページは存在しません。</p></body>")
    )
    assert type(refused(answer(body, status=404), ITEM_URL)) is error


def test_an_extension_shows_in_the_end_and_not_in_the_flag():
    before, after = look(item_page()), look(item_page(endTime="2026-10-08T21:10:00+09:00", price=15700, bids=10))
    assert (after.ends_at - before.ends_at).total_seconds() == 300


def test_closed_with_bids_is_sold_and_closed_without_is_no_sale():
    assert look(item_page(status="closed")).status == Status.SOLD
    assert look(item_page(status="closed", bids=0, price=1000)).status == Status.ENDED
    assert look(item_page(status="cancel")).status == Status.UNKNOWN


def test_fixed_prices_and_flea_items_are_told_apart_from_auctions():
    assert look(item_page(price=3500, bidorbuy=3500, bids=0)).kind == Kind.FIXED
    flea = look(item_page(auctionId="z090000032", isFleaMarket=True, bidorbuy=15200, bids=1), "z090000032")
    assert (flea.kind, flea.bids) == (Kind.FLEA, None)


@pytest.mark.parametrize("gone", ["price", "status", "endTime", "auctionId", "title"])
def test_a_listing_without_a_needed_field_is_another_layout_and_never_ended(gone: str):
    with pytest.raises(LayoutChanged, match=gone):
        look(item_page(**{gone: ...}))


def test_without_its_own_data_a_page_is_read_from_the_counter_and_the_stable_ids():
    found = look(counted_page())
    assert (found.external_id, found.price, found.buy_now, found.bids) == ("r0900000031", yen(15200), None, 9)
    assert (found.status, found.condition, found.shipping) == (Status.ON_SALE, Condition.LIKE_NEW, Shipping.UNKNOWN)
    assert found.ends_at == datetime(2026, 10, 8, 12, 5, tzinfo=UTC)


def test_the_notice_of_the_end_counts_when_the_data_is_gone():
    assert look(counted_page(closed=True)).status == Status.SOLD
    assert look(counted_page(closed=True, bids="0")).status == Status.ENDED
    assert look(counted_page(isClosed="1")).status == Status.SOLD


def test_a_store_s_price_in_the_counter_is_without_tax_and_so_unknown():
    assert look(counted_page(isStore="1", winPrice="15200", bids="0")).price is None


def test_a_flea_item_is_told_by_its_id_when_the_data_is_gone():
    assert look(counted_page(productID="z090000032"), "z090000032").kind == Kind.FLEA


@pytest.mark.parametrize("file", ["moved_404.html", "moved_200.html"])
def test_a_listing_that_is_no_more_is_gone(file: str):
    with pytest.raises(ListingGone):
        look(samples()[file].answer)


@pytest.mark.parametrize(
    "body",
    [
        '<html><div id="itemTitle"></div><script>var pageDataV2 = {"items":{"price":"1"}};</script></html>',
        '<html><body><div id="itemTitle"></div><script>var pageData = {broken};</script></body></html>',
        '<html><script id="__NEXT_DATA__" type="application/json">{"cut</script></html>',
    ],
)
def test_a_changed_layout_is_said_and_never_a_price_of_nothing(body: str):
    with pytest.raises(LayoutChanged):
        look(answer(body))
