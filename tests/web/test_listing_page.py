import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from monitor_site.accounts.models import User
from monitor_site.marketplaces.catalog import Catalog, catalog
from monitor_site.watches.models import (
    EventKind,
    Listing,
    ListingEvent,
    Match,
    MatchState,
    PricePoint,
    Target,
    Watch,
    WatchPrices,
)
from monitor_site.web import cards, history
from tests.web.rows import listing, match, watch_of

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def now() -> datetime:
    return NOW


def address(one: Match) -> str:
    return reverse("listing", args=[one.listing_id])


def html_of(client: Client, one: Match, language: str = "en", later: timedelta = timedelta(0)) -> str:
    with time_machine.travel(NOW + later, tick=False):
        return client.get(address(one), headers={"accept-language": language}).content.decode()


def text_of(client: Client, one: Match, **more: Any) -> str:
    """The page as words."""
    inside = re.search(r"<main.*</main>", html_of(client, one, **more), re.DOTALL)
    assert inside
    return " ".join(re.sub(r"<[^>]+>", " ", inside[0]).split())


def prices(one: Match, *steps: tuple[int, int]) -> None:
    """Prices with the minutes that have passed since."""
    for minutes, price in steps:
        PricePoint.objects.create(listing=one.listing, price=price, at=NOW - minutes * MINUTE)


def test_to_a_stranger_a_listing_is_as_if_it_did_not_exist(hers: Client, bob: User) -> None:
    theirs = match(watch_of(bob, now=NOW), 1, now=NOW)
    nobodys = listing(2, now=NOW)
    pages = {}
    for pk in (theirs.listing_id, nobodys.pk, 987_654_321, 2**70):
        for name in ("listing", "listing-ignore", "listing-restore"):
            where = reverse(name, args=[pk])
            answer = hers.get(where) if name == "listing" else hers.post(where)
            assert answer.status_code == 404
            pages[name, pk] = re.sub(r"[\w-]{64}|(?<=page=)[\w-]+|(?<=after=)[\d-]+", "", answer.content.decode())
            pages[name, pk] = pages[name, pk].replace(where, "")
    assert len({html for (name, _), html in pages.items() if name == "listing"}) == 1
    theirs.refresh_from_db()
    assert theirs.state == MatchState.NEW


def test_it_says_everything_that_is_known(hers: Client, alice: User, watch: Watch) -> None:
    one = match(
        watch, 1, now=NOW, listing_price=4_200, listing_seller_id="s1", listing_seller_name="みかん堂",
        listing_seller_rating=4.9, listing_seller_count=312, listing_shipping="buyer_pays", listing_shipping_fee=800,
        listing_seen_at=NOW - MINUTE, listing_first_seen_at=NOW - 9 * MINUTE, listing_edited_at=NOW - 5 * MINUTE,
        listing_extra={"brand": "ルミナ", "category": "1234", "unheard_of": "x"},
    )  # fmt: skip
    prices(one, (9, 5_000), (4, 4_200))
    words = text_of(hers, one)
    for part in ("On sale ¥4,200 16% cheaper", "last looked at 1 min ago", "Condition No visible damage",
                 "Shipping Buyer pays shipping (¥800)", "Brand ルミナ",
                 "Item ID m00000000001", "Seller みかん堂 4.9 (312)", "Listed", "Edited", "First seen",
                 "The title has every word: ルミナ", "Open at Mercari", "Ignore"):  # fmt: skip
        assert part in words, part
    assert "1234" not in words
    assert "unheard_of" not in words


def test_the_prices_are_a_drawing_with_a_table_behind_it(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_price=5_500)
    prices(one, (30, 5_000), (20, 4_000), (10, 5_500))
    html = html_of(hers, one)
    label = "2 changes from ¥5,000 to ¥5,500; lowest ¥4,000, highest ¥5,500."
    assert f'role="img" aria-label="{label}"' in html
    assert 'd="M8.0 44.0H202.7V108.0H397.3V12.0H592"' in html
    cells = re.findall(r'<td class="num">([^<]+)</td>', html)
    assert cells == ["¥5,500", "+38%", "¥4,000", "-20%", "¥5,000", "—"]


def test_one_price_is_a_sentence_and_none_is_nothing(hers: Client, watch: Watch) -> None:
    one, other = match(watch, 1, now=NOW), match(watch, 2, now=NOW, listing_price=None)
    prices(one, (10, 5_000))
    assert "¥5,000, the only price that we have seen, from 10 min ago on." in text_of(hers, one)
    words = text_of(hers, other)
    assert "Price unknown" in words
    assert "Price history" not in words


def test_limit_and_median_stand_beside_the_prices_and_in_the_legend(hers: Client, watch: Watch) -> None:
    Watch.objects.update(price_max=4_500)
    one = match(watch, 1, now=NOW, listing_price=4_000)
    figures = dict.fromkeys(("p5", "p25", "median", "p75", "p95"), 5_200)
    WatchPrices.objects.create(watch=watch, sales=9, worked_out_at=NOW, **figures)
    prices(one, (30, 5_000), (20, 4_000))
    html = html_of(hers, one)
    assert re.findall(r'<path class="(?:cap|mid)" d="M0 ([\d.]+)H600"', html) == ["68.0", "12.0"]
    words = text_of(hers, one)
    assert "Price history your limit, ¥4,500 90-day median ¥5,200 ¥5,200 ¥4,000" in words


def test_a_limit_in_another_currency_or_far_away_is_not_drawn(hers: Client, watch: Watch) -> None:
    far, foreign = match(watch, 1, now=NOW), match(watch, 2, now=NOW)
    for one in (far, foreign):
        prices(one, (30, 5_000), (20, 4_000))
    Watch.objects.update(price_max=90_000)
    assert "your limit" not in text_of(hers, far)
    Watch.objects.update(price_max=4_500, currency="EUR")
    assert "your limit" not in text_of(hers, foreign)


def test_the_sale_is_marked_where_it_happened(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_status="sold", listing_paid=4_000, listing_sold_at=NOW - 10 * MINUTE)
    prices(one, (30, 5_000), (20, 4_000))
    assert '<path class="" d="M397.3 0V120"/>' in html_of(hers, one)
    assert "Price history Sold ¥5,000" in text_of(hers, one)


def test_while_it_was_away_there_is_a_gap_and_no_price(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    prices(one, (40, 5_000), (10, 4_000))
    for minutes, kind, after in ((30, EventKind.STOPPED, None), (20, EventKind.BACK, 5_000)):
        ListingEvent.objects.create(listing=one.listing, kind=kind, at=NOW - minutes * MINUTE, after=after)
    assert 'd="M8.0 12.0H154.0M300.0 12.0H446.0V108.0H592"' in html_of(hers, one)
    assert "a gap: not on sale" in text_of(hers, one)


def test_what_left_and_never_came_back_is_no_gap(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_status="removed")
    prices(one, (40, 5_000), (30, 4_000))
    ListingEvent.objects.create(listing=one.listing, kind=EventKind.REMOVED, at=NOW - 20 * MINUTE)
    assert 'd="M8.0 12.0H154.0V108.0H300.0"' in html_of(hers, one)
    assert "a gap" not in text_of(hers, one)


def test_of_thousands_of_prices_the_extremes_are_drawn_and_the_latest_stand_in_the_table(
    hers: Client, watch: Watch
) -> None:
    one = match(watch, 1, now=NOW)
    prices(one, *((number, 1_000 + number % 7) for number in range(1_000)), (1_500, 99_000))
    html = html_of(hers, one)
    (line,) = re.findall(r'<path class="" d="(M8[^"]*)"', html)
    assert line.startswith("M8.0 12.0H")
    assert line.count("V") < 400
    assert "lowest ¥1,000, highest ¥99,000" in html
    words = text_of(hers, one)
    assert "The latest 200 of 1001." in words


@pytest.mark.parametrize(("zone", "clock"), [("Asia/Shanghai", "10:30:00"), ("America/New_York", "22:30:00")])
def test_the_times_of_prices_are_the_readers(hers: Client, watch: Watch, alice: User, zone: str, clock: str) -> None:
    User.objects.filter(pk=alice.pk).update(time_zone=zone)
    one = match(watch, 1, now=NOW)
    prices(one, (30, 5_000), (20, 4_000))
    table = re.findall(r'<td class="num-start">(.*?)</td>', html_of(hers, one))
    assert clock in table[-1]


def test_what_happened_is_told_in_words_newest_first(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_listed_at=NOW - 60 * MINUTE)
    kinds = [EventKind.LISTED, EventKind.PRICE_DROP, EventKind.PRICE_RISE, EventKind.RESERVED, EventKind.BACK,
             EventKind.BUMPED, EventKind.STOPPED, EventKind.REMOVED, EventKind.ENDED, EventKind.SOLD]  # fmt: skip
    for minutes, kind in enumerate(kinds):
        ListingEvent.objects.create(
            listing=one.listing, kind=kind, at=NOW - (50 - minutes) * MINUTE, before=900, after=800
        )
    lines = re.findall(r"<ol class=\"timeline\">(.*?)</ol>", html_of(hers, one), re.DOTALL)[0]
    assert re.findall(r"<li><span>(.*?)</span>", lines) == [
        "Sold, price ¥800", "Ended, price ¥800", "Removed", "Taken offline",
        "Moved up or edited; nothing that we see changed", "Back on sale, price ¥800", "Reserved",
        "Price rose from ¥900 to ¥800", "Price fell from ¥900 to ¥800", "Seen for the first time, price ¥800",
        "Listed at the marketplace",
    ]  # fmt: skip


def test_an_extension_says_until_when() -> None:
    event = ListingEvent(kind="extended", before=0, after=int((NOW + timedelta(hours=1)).timestamp()), at=NOW)
    with timezone.override("Asia/Shanghai"), translation.override("en"), time_machine.travel(NOW, tick=False):
        assert history.words_of(event) == "Extended until 12:00 (Japan 13:00)"


def test_an_open_page_fetches_prices_and_timeline_only_when_something_happened(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    prices(one, (30, 5_000))
    found = re.search(r'hx-get="([^"]+\?after=\d+)" hx-trigger="listings from:#live"', html_of(hers, one))
    assert found
    assert hers.get(found[1]).status_code == 204
    prices(one, (10, 4_000))
    ListingEvent.objects.create(listing=one.listing, kind=EventKind.PRICE_DROP, at=NOW, before=5_000, after=4_000)
    html = hers.get(found[1]).content.decode()
    assert 'id="course"' in html
    assert 'id="time"' in html
    assert 'id="acts"' in html
    assert hers.get(f"{address(one)}?after=nonsense").status_code == 200


def test_what_was_seen_once_only_says_so(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    assert "seen once, 7 min ago ; never looked at again since" in text_of(hers, one, later=7 * MINUTE)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"status": "sold"}, "Sold to someone else ¥4,200"),
        ({"status": "reserved"}, "Reserved ¥4,200"),
        ({"status": "removed"}, "Removed ¥4,200"),
        ({"status": "sold", "kind": "auction", "bids": 7}, "Sold at ¥4,200 ¥4,200 7 bids"),
        ({"status": "ended", "kind": "auction", "bids": 0}, "Ended without a bid ¥4,200 starting price no bid yet"),
        (
            {"kind": "auction", "ends_at": NOW - 6 * MINUTE, "bids": 2},
            "Ended, result not known yet ¥4,200 last known price",
        ),
    ],
)
def test_what_is_gone_is_grey_with_its_last_known_data(
    hers: Client, watch: Watch, fields: dict[str, Any], word: str
) -> None:
    one = match(watch, 1, now=NOW, listing_price=4_200, **{f"listing_{name}": value for name, value in fields.items()})
    assert word in text_of(hers, one)
    html = html_of(hers, one)
    assert "item--gone" in html
    assert "data-end" not in html
    assert 'hx-select="#now"' not in html


def test_a_running_auction_counts_down_and_is_asked_for_again(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_kind="auction", listing_bids=None, listing_ends_at=NOW + 90 * MINUTE)
    words = text_of(hers, one)
    assert "current bid bids unknown 1:30:00 in 1 h ends" in words
    assert 'hx-select="#now"' in html_of(hers, one)


def test_every_watch_that_matched_says_why(hers: Client, alice: User, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    decision = [{"rule": "price", "verdict": "pass", "saw": "1001", "wanted": "–5000", "words": []}]
    Match.objects.create(
        user=alice, watch=watch_of(alice, now=NOW, name="Cheap"), listing=one.listing, cause="price_drop", trace="t",
        matched_at=NOW, decision=decision,
    )  # fmt: skip
    words = text_of(hers, one)
    assert words.index("Lumina listed") < words.index("Cheap price drop")
    assert "Price ¥1,001, wanted ≤ ¥5,000" in words


def test_other_things_of_the_seller_are_those_among_the_readers_own_matches(
    hers: Client, alice: User, bob: User, watch: Watch
) -> None:
    seller = {"listing_seller_id": "s1"}
    one = match(watch, 1, now=NOW, **seller)
    match(watch, 2, now=NOW, listing_title="mine", **seller)
    match(watch_of(bob, now=NOW), 3, now=NOW, listing_title="theirs", **seller)
    match(watch, 4, now=NOW, listing_title="of another marketplace", listing_marketplace="yahoo_auctions", **seller)
    match(watch, 5, now=NOW, listing_title="put aside", state=MatchState.IGNORED, **seller)
    titles = re.findall(r'<a class="mini".*?<span lang="ja">([^<]+)</span>', html_of(hers, one), re.DOTALL)
    assert titles == ["mine"]


def test_all_matches_of_it_are_put_aside_and_taken_back(hers: Client, alice: User, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    second = watch_of(alice, now=NOW, name="second")
    Match.objects.create(user=alice, watch=second, listing=one.listing, cause="listed", trace="t", matched_at=NOW)
    answer = hers.post(reverse("listing-ignore", args=[one.listing_id]), follow=True)
    assert answer.redirect_chain == [(address(one), 302)]
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.IGNORED}
    assert "Restore" in text_of(hers, one)
    hers.post(reverse("listing-restore", args=[one.listing_id]))
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.SEEN}


def test_looking_changes_nothing(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    hers.get(address(one))
    for name in ("listing-ignore", "listing-restore"):
        assert hers.get(reverse(name, args=[one.listing_id])).status_code == 405
    one.refresh_from_db()
    assert one.state == MatchState.NEW


def test_whatever_the_seller_wrote_is_text(hers: Client, watch: Watch) -> None:
    evil = "<script>x</script>"
    one = match(watch, 1, now=NOW, listing_title=evil, listing_seller_id="s", listing_seller_name=evil,
                listing_external_id='"><script>', listing_extra={"brand": evil, "size": {"a": 1}})  # fmt: skip
    match(watch, 2, now=NOW, listing_title=evil, listing_seller_id="s")
    assert "<script>" not in html_of(hers, one).split("<body", 1)[1].split('<script id="words"')[0]


def test_pictures_come_through_our_own_proxy_and_are_reached_by_plain_links(hers: Client, watch: Watch) -> None:
    pictures = [f"https://static.mercdn.net/{number}.jpg" for number in range(25)]
    html = html_of(hers, match(watch, 1, now=NOW, listing_images=pictures))
    assert "mercdn" not in re.sub(r'/media/thumb/[^"]+', "", html)
    assert html.count('<li id="pic-') == html.count('<a href="#pic-') == 20
    assert html.count("/media/thumb/") == 40


def test_a_page_costs_the_same_queries_however_much_there_is(
    hers: Client, watch: Watch, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    one = match(watch, 1, now=NOW, listing_seller_id="s1", listing_kind="auction")
    prices(one, *((number, 100 + number) for number in range(300)))
    ListingEvent.objects.bulk_create(
        [ListingEvent(listing=one.listing, kind=EventKind.PRICE_RISE, at=NOW - n * MINUTE) for n in range(300)]
    )
    for number in range(2, 30):
        match(watch, number, now=NOW, listing_seller_id="s1")
    with django_assert_max_num_queries(12):
        html = html_of(hers, one)
    assert html.count("<tr>") == 201
    assert html.count('class="mini"') == 6
    assert html.count("<li><span>") == 51


def test_the_buttons_lead_to_the_listing_and_to_its_purchase(hers: Client, watch: Watch) -> None:
    html = html_of(hers, match(watch, 1, now=NOW))
    assert 'href="https://jp.mercari.com/item/m00000000001"' in html
    assert 'href="https://jp.mercari.com/purchase/m00000000001"' in html


@pytest.mark.parametrize("changes", [{"listing_kind": "auction"}, {"listing_status": "sold"}])
def test_nothing_leads_to_a_purchase_that_cannot_be_made(hers: Client, watch: Watch, changes: dict[str, str]) -> None:
    assert "/purchase/" not in html_of(hers, match(watch, 1, now=NOW, **changes))


def raising(external_id: str, *, web: str) -> str:
    raise RuntimeError(f"{web} has no {external_id}")


@pytest.mark.parametrize(
    "link", [raising, lambda *_, **__: "javascript:alert(1)", lambda *_, **__: "https://x.example/"]
)
def test_a_faulty_plugin_leads_nobody_elsewhere_and_costs_no_page(
    hers: Client, watch: Watch, monkeypatch: pytest.MonkeyPatch, link: Callable[..., str]
) -> None:
    faulty = replace(catalog().plugins["mercari"], link=link)
    monkeypatch.setattr(cards, "catalog", lambda: Catalog(plugins={"mercari": faulty}, broken={}))
    html = html_of(hers, match(watch, 1, now=NOW))
    assert 'href="https://jp.mercari.com/item/m00000000001"' in html
    assert "javascript:" not in html
    assert "x.example" not in html


def test_a_person_may_have_it_looked_at_now(hers: Client, watch: Watch, bob: User) -> None:
    mine, theirs = match(watch, 1, now=NOW), match(watch_of(bob, now=NOW), 2, now=NOW)
    assert hers.post(reverse("listing-look", args=[mine.listing_id])).status_code == 302
    assert hers.post(reverse("listing-look", args=[theirs.listing_id])).status_code == 404
    assert list(Target.objects.looks().values_list("listing_id", "active")) == [(mine.listing_id, True)]


def test_where_nobody_can_look_the_button_is_missing_and_pressing_it_says_why(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_marketplace="gone")
    assert reverse("listing-look", args=[one.listing_id]) not in html_of(hers, one)
    answer = hers.post(reverse("listing-look", args=[one.listing_id]), follow=True)
    assert "cannot be asked about a single listing" in answer.content.decode()


def test_a_listing_of_a_marketplace_that_is_gone_is_still_shown(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_marketplace="gone")
    assert 'href="https://jp.mercari.com/item/m00000000001"' in html_of(hers, one)
    assert Listing.objects.count() == 1
