"""What others fell into when they read this site, by number; :data:`PITFALLS` at the end says which test guards which.

Numbers that are missing there are about bidding. The numbers are those of the table in the plugin's README.
"""

import ast
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import plugins.yahoo_auctions as package
from monitor_site.contract import (
    Answer,
    Blocked,
    ChallengeRequired,
    Kind,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    Money,
    SearchPage,
    Sighting,
    Status,
    Throttled,
    Unavailable,
)
from plugins.yahoo_auctions import plugin
from plugins.yahoo_auctions.ask import plain, search_headers, search_url
from plugins.yahoo_auctions.manifest import Order, Selling, YahooCriteria
from plugins.yahoo_auctions.parse import read_search
from plugins.yahoo_auctions.parse_closed import read_closed
from plugins.yahoo_auctions.parse_detail import read_listing
from plugins.yahoo_auctions.practice.bidding import Bidding
from tests.plugins.yahoo_auctions import test_practice_faults, test_scenarios
from tests.plugins.yahoo_auctions.items import ID, STORE, at, closed_page, counted_page, item_page, sold
from tests.plugins.yahoo_auctions.samples import NOW, answer, buy_now, card, only, page_of, samples
from tests.plugins.yahoo_auctions.test_marketplace import VERBS, Counting


def yen(amount: int) -> Money:
    return Money(amount=amount, currency="JPY")


def search(made: Answer, **criteria: object) -> SearchPage:
    return read_search(made, YahooCriteria(**criteria), now=NOW)


def look(made: Answer) -> Sighting:
    return read_listing(made, ID, now=NOW)


def error(read: Callable[[Answer], object], made: Answer) -> MarketplaceError:
    with pytest.raises(MarketplaceError) as caught:
        read(made)
    return caught.value


def test_nothing_found_comes_as_404_and_is_no_failure():
    made = samples()["empty_404.html"].answer
    assert (made.status, search(made).sightings, search(made).about) == (404, (), 0)
    assert isinstance(error(search, samples()["moved_404.html"].answer), LayoutChanged)


@pytest.mark.parametrize("external_id", ["1239234527", "z123456789", "x1234567890", "12345678"])
def test_an_id_needs_no_letter(external_id: str):
    assert only(card(id=external_id)).external_id == external_id
    assert plugin.parse_url(f"auctions.yahoo.co.jp/jp/auction/{external_id}").external_id == external_id


def test_promoted_copies_are_dropped_and_pages_go_on_by_their_size():
    ids = [f"a09000000{at:02}" for at in range(50)]
    page = search(page_of(*(card(id=each) for each in (*ids[:3], *ids)), total=120, more=True))
    assert (len(page.sightings), page.padding, page.next_token) == (50, 3, "51")


def test_signs_that_break_the_search_are_sent_as_spaces():
    assert plain("カード（初期）,鑑定") == "カード 初期 鑑定"
    address = search_url("https://x", YahooCriteria(keyword="カード（初期）,鑑定"), offset=1)
    assert not any(sign in address for sign in ("%EF%BC%88", "%28", "%2C", ","))


def test_a_page_for_phones_is_a_block_and_not_nothing_found():
    assert isinstance(error(search, samples()["blocked_200.html"].answer), Blocked)
    assert "Mobile" not in search_headers()["User-Agent"]
    # Nothing that says "results" or "none" is another layout, never an empty page.
    assert isinstance(error(search, samples()["bare_shell.html"].answer), LayoutChanged)


def test_a_missing_count_of_bids_is_unknown_and_gone_from_all_cards_is_said():
    assert only(card(bids="")).bids is None
    assert only(card(bids="12件")).bids == 12
    gone = error(search, page_of(*(card(id=f"a090000000{n}", bids="") for n in range(6))))
    assert "gone from every card: bids" in gone.detail


def test_renamed_classes_are_said_with_the_test_bucket_and_are_not_nothing_found():
    gone = error(search, samples()["renamed_list.html"].answer)
    assert isinstance(gone, LayoutChanged)
    assert "6 ids and a count of 1234; test bucket exp7" in gone.detail


def test_a_store_s_prices_are_compared_with_tax_everywhere():
    assert only(card(shown="2,460円", price="2460", buy_now="17501", store="1", tax="10")).buy_now == yen(19251)
    listing = look(item_page(**STORE))
    assert (listing.price, listing.buy_now) == (yen(2460), yen(3300))
    # Without a rate nobody can tell, and a wrong sum would be worse than none.
    assert look(counted_page(isStore="1")).price is None


def test_digits_of_a_title_never_get_into_the_price():
    assert only(card(title="型番F26171", shown="23,100円", price="23100")).price == yen(23100)
    assert only(card(title="型番F26171", shown="F26171 23,100円", price="")).price is None


def test_the_price_of_a_recommended_thing_is_not_the_listing_s():
    made = item_page()
    assert "77,700円" in made.body.decode()
    assert look(made).price == yen(15200)
    assert isinstance(
        error(look, at(answer('<html><body><div id="itemTitle"></div>77,700円</body></html>'))), LayoutChanged
    )


def test_what_a_seller_writes_is_never_taken_for_an_error_page():
    words = "システムエラー ログインしてください メンテナンス 指定されたURLのページは存在しません captcha"
    assert look(item_page(description=[words], title=words)).status == Status.ON_SALE
    assert search(page_of(card(title=words))).sightings


def test_an_unsold_auction_has_no_price_that_was_paid():
    assert look(item_page(status="closed", bids=0, price=500, initPrice=500)).status == Status.ENDED
    page = read_closed(closed_page(sold(price=500, bidCount=0)), YahooCriteria(keyword="x"), now=NOW)
    assert (page.sightings, page.padding) == ((), 1)


@pytest.mark.parametrize("name", ["endTime", "price", "status", "title"])
def test_a_missing_field_is_an_error_and_never_ended_or_1970(name: str):
    assert isinstance(error(look, item_page(**{name: ...})), LayoutChanged)
    assert isinstance(error(look, item_page(**{name: None})), LayoutChanged)
    assert only(card(end="0")).ends_at is None
    assert only(card(end="")).status == Status.ON_SALE


@pytest.mark.parametrize("written", ["2026-10-08T21:05:00+09:00", "2026-10-08 21:05:00", "2026-10-08T12:05:00Z"])
def test_times_are_japanese_unless_they_say_otherwise_and_kept_in_utc(written: str):
    found = look(item_page(endTime=written))
    assert (found.ends_at, found.ends_at.tzinfo) == (datetime(2026, 10, 8, 12, 5, tzinfo=UTC), UTC)


@pytest.mark.parametrize("ahead", [-4, 0, 4])
def test_a_moment_that_the_site_names_is_measured_by_the_site_s_clock(ahead: int):
    theirs = NOW + timedelta(seconds=ahead)
    named = {"date": theirs, "retry_after": theirs + timedelta(seconds=45)}
    written = {name: f"{moment:%a, %d %b %Y %H:%M:%S GMT}" for name, moment in named.items()}
    assert error(search, answer("", status=429, **written)).retry_after == 45.0


def test_another_type_of_answer_is_classified_and_crashes_nothing():
    for made in (answer("{}", content_type="application/json"), answer("<html>", status=502), answer(b"\xff\xfe\x00")):
        for reader in (search, look, lambda each: read_closed(each, YahooCriteria(keyword="x"), now=NOW)):
            assert isinstance(error(reader, at(made)), LayoutChanged | Unavailable)


def test_a_captcha_needs_a_person_and_nobody_tries_again():
    for reader in (search, look):
        found = error(reader, samples()["captcha.html"].answer)
        assert isinstance(found, ChallengeRequired)
        assert (found.tells, found.pauses) == ("user", "account")


def test_the_notice_to_the_eea_is_told_from_an_empty_page_and_waits_for_a_day():
    for reader in (search, look):
        found = error(reader, samples()["geo.html"].answer)
        assert isinstance(found, Blocked)
        assert found.retry_after == 86_400.0
        assert "EEA" in found.detail


def test_the_rules_of_one_marketplace_are_not_those_of_another():
    state = Bidding(start=1000, price=1000)
    state.place("a", 9000)
    state.place("b", 3000)
    assert state.price == 3100  # what beats the second, not what the leader would pay
    assert not [name for name in imported() if name.startswith("plugins.") and "yahoo_auctions" not in name]


def test_an_extension_shows_in_the_end_whatever_the_flag_says():
    before, after = look(item_page()), look(item_page(endTime="2026-10-08T21:10:00+09:00", isExtendedAuction=False))
    assert after.ends_at - before.ends_at == timedelta(minutes=5)


@pytest.mark.parametrize("declared", ["text/html; charset=EUC-JP", "text/html", "text/html; charset=UTF-8"])
def test_a_page_in_euc_jp_is_read_whatever_it_declares(declared: str):
    body = page_of(card(title="見本①㎝")).body.decode()
    (found,) = search(answer(body.encode("euc_jis_2004"), content_type=declared)).sightings
    assert found.title == "見本①㎝"


async def test_a_500_is_asked_once_told_and_its_wait_is_kept():
    session = Counting(answer("", status=500, retry_after="120"))
    for verb in VERBS.values():
        with pytest.raises(Unavailable) as caught:
            await verb(plugin.connect(session))
        assert caught.value.retry_after == 120.0
    assert len(session.asked) == len(VERBS)


def test_an_order_that_the_site_ignored_is_noticed():
    assert search(page_of(card(), order="新着順")).sightings
    for asked, said in ((Order.NEWEST, "おすすめ順"), (Order.ENDING, "新着順")):
        assert (
            "sorted by"
            in error(lambda made, asked=asked: search(made, order=asked), page_of(card(), order=said)).detail
        )


FIXED = {"price": "500", "shown": "500円", "bids": "0", "more": buy_now("500円")}
IGNORED = {
    "auctions only": ({"selling": Selling.AUCTION}, FIXED),
    "fixed prices only": ({"selling": Selling.FIXED}, {}),
    "a category": ({"category": 26086}, {"path": "0,2500,2501"}),
    "stores": ({"sellers": (1,)}, {}),
    "people": ({"sellers": (2, 3)}, {"store": "1"}),
}


@pytest.mark.parametrize("asked", IGNORED)
def test_an_option_that_the_site_ignored_is_noticed_and_single_strangers_are_left_out(asked: str):
    criteria, other = IGNORED[asked]
    strangers = [card(id=f"a090000000{n}", **other) for n in range(6)]
    assert "are not what was asked for" in error(lambda made: search(made, **criteria), page_of(*strangers)).detail
    assert len(search(page_of(*strangers)).sightings) == 6


def test_one_stranger_among_what_was_asked_for_is_padding():
    wanted = [card(id=f"a090000000{n}") for n in range(5)]
    page = search(page_of(*wanted, card(id="a0900000009", **FIXED)), selling=Selling.AUCTION)
    assert (len(page.sightings), page.padding) == (5, 1)


def test_the_parser_is_the_one_that_is_still_there():
    assert {name for name in imported() if name.startswith("selectolax")} == {"selectolax.lexbor"}


def imported() -> set[str]:
    """All modules that the plugin itself imports, without its practice market."""
    trees = [ast.parse(path.read_text("utf-8")) for path in Path(package.__file__).parent.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return named | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}


def test_a_card_with_the_price_of_the_question_s_limit_in_a_link_keeps_its_own():
    linked = '<a href="/search/search?aucmaxprice=9999">9,999円以下</a>'
    made = page_of(*(card(id=f"a090000000{n}", shown=f"{n + 1},000円", more=linked) for n in range(6)))
    assert {found.price.amount for found in search(made, price_to=9999).sightings} == {1000 * n for n in range(1, 7)}


def test_a_price_equal_to_the_buy_now_price_is_a_fixed_price_unless_somebody_bid():
    assert only(card(price="500", shown="500円", bids="0", more=buy_now("500円"))).kind == Kind.FIXED
    assert only(card(price="500", shown="500円", bids="3", more=buy_now("500円"))).kind == Kind.AUCTION


def test_a_404_from_a_wrong_question_never_says_that_a_listing_is_gone():
    assert not isinstance(error(search, samples()["moved_404.html"].answer), ListingGone)
    assert isinstance(error(look, at(samples()["moved_404.html"].answer)), ListingGone)


def test_asked_too_often_is_told_from_being_blocked():
    assert isinstance(error(look, at(samples()["throttled_429.html"].answer)), Throttled)
    assert isinstance(error(look, at(samples()["blocked_403.html"].answer)), Blocked)


PITFALLS = {
    1: test_nothing_found_comes_as_404_and_is_no_failure,
    2: test_an_id_needs_no_letter,
    3: test_promoted_copies_are_dropped_and_pages_go_on_by_their_size,
    4: test_signs_that_break_the_search_are_sent_as_spaces,
    5: test_a_page_for_phones_is_a_block_and_not_nothing_found,
    6: test_a_missing_count_of_bids_is_unknown_and_gone_from_all_cards_is_said,
    7: test_renamed_classes_are_said_with_the_test_bucket_and_are_not_nothing_found,
    8: test_a_store_s_prices_are_compared_with_tax_everywhere,
    9: test_digits_of_a_title_never_get_into_the_price,
    10: test_the_price_of_a_recommended_thing_is_not_the_listing_s,
    11: test_what_a_seller_writes_is_never_taken_for_an_error_page,
    15: test_an_unsold_auction_has_no_price_that_was_paid,
    16: test_a_missing_field_is_an_error_and_never_ended_or_1970,
    17: test_times_are_japanese_unless_they_say_otherwise_and_kept_in_utc,
    18: test_a_moment_that_the_site_names_is_measured_by_the_site_s_clock,
    20: test_another_type_of_answer_is_classified_and_crashes_nothing,
    21: test_a_captcha_needs_a_person_and_nobody_tries_again,
    22: test_the_notice_to_the_eea_is_told_from_an_empty_page_and_waits_for_a_day,
    23: test_the_rules_of_one_marketplace_are_not_those_of_another,
    24: test_an_extension_shows_in_the_end_whatever_the_flag_says,
    25: test_a_page_in_euc_jp_is_read_whatever_it_declares,
    26: test_a_500_is_asked_once_told_and_its_wait_is_kept,
    27: test_an_order_that_the_site_ignored_is_noticed,
    28: test_the_parser_is_the_one_that_is_still_there,
}
BIDDING = {12, 13, 14, 19}
STORIES = test_scenarios.STORIES | test_practice_faults.STORIES


def test_every_pitfall_of_reading_has_its_test():
    assert set(PITFALLS) == set(range(1, 29)) - BIDDING
    assert len(set(PITFALLS.values())) == len(PITFALLS)


def test_every_story_of_reading_has_its_test():
    about_bids = {6, 7, 8, 9, 10, 11, 13, 17, 18, 20}
    assert set(STORIES) == set(range(1, 31)) - about_bids
    assert len(STORIES) == len(test_scenarios.STORIES) + len(test_practice_faults.STORIES)
