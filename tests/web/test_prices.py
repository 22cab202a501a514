"""Is it cheap? On the card, on the page of the listing and on the page of prices."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.watches import pricing
from monitor_site.watches.models import ListingEvent, Match, Sample, Target, Watch, WatchPrices
from tests.web.rows import listing, match
from tests.web.watch_rows import make_target, make_watch

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
DAY = timedelta(days=1)
FEED = "/matches/"


@pytest.fixture
def watch(alice: User) -> Watch:
    return make_watch(alice, NOW, price_max=60_000)


@pytest.fixture
def target(watch: Watch) -> Target:
    return make_target(watch, NOW)


def sales(target: Target, *prices: int, ago: timedelta = DAY, first: int = 500, **fields: Any) -> None:
    for number, price in enumerate(prices, start=first):
        told = {"status": "sold", "paid": price, "price": price, "sold_at": NOW - ago, "listed_at": NOW - 2 * ago}
        one = listing(number, now=NOW - ago, **(told | fields))
        Sample.objects.create(target=target, listing=one, asking=False, at=NOW - ago)


def asked(target: Target, *prices: int, first: int = 900) -> None:
    for number, price in enumerate(prices, start=first):
        Sample.objects.create(target=target, listing=listing(number, now=NOW, price=price), asking=True, at=NOW)


def html_of(client: Client, address: str, language: str = "en") -> str:
    with time_machine.travel(NOW, tick=False):
        answer = client.get(address, headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(html: str) -> str:
    inside = re.search(r"<main.*</main>", html, re.DOTALL)
    assert inside
    return " ".join(re.sub(r"<[^>]+>", " ", inside[0]).split())


def prices_page(watch: Watch, query: str = "") -> str:
    return reverse("watch-prices", args=[watch.pk]) + query


def roll_up() -> None:
    pricing.roll_up(now=NOW)


def card(client: Client, one: Match) -> str:
    found = re.search(rf'id="m-{one.public_id}".*?</article>', html_of(client, FEED), re.DOTALL)
    assert found
    return found[0]


AROUND = range(60_000, 80_001, 2_500)


def test_a_card_says_how_far_below_the_median_it_is(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *AROUND)
    roll_up()
    html = card(hers, match(watch, 1, now=NOW, listing_price=47_000))
    assert "33% below, 90-day median ¥70,000" in html
    assert "from 9 sales in 90 days" in html
    assert html.count('viewBox="0 0 152 18"') == 1
    assert "style=" not in html


@pytest.mark.parametrize(
    ("price", "words"), [(70_000, "level, 90-day"), (84_000, "20% above, 90-day"), (9_000_000, "12,757% above")]
)
def test_dearer_and_level_prices_are_said_too(
    hers: Client, watch: Watch, target: Target, price: int, words: str
) -> None:
    sales(target, *AROUND)
    roll_up()
    assert words in card(hers, match(watch, 1, now=NOW, listing_price=price))


def test_the_ring_stays_in_the_drawing(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *AROUND)
    roll_up()
    for number, price in enumerate((1, 70_000, 10**9)):
        html = card(hers, match(watch, number, now=NOW, listing_price=price))
        (ring,) = re.findall(r'<circle cx="([\d.]+)"', html)
        assert 5 <= float(ring) <= 147


@pytest.mark.parametrize("price", [None, 50_000])
def test_with_few_sales_or_no_price_there_is_no_strip(
    hers: Client, watch: Watch, target: Target, price: int | None
) -> None:
    sales(target, *(AROUND if price is None else list(AROUND)[:7]))
    roll_up()
    assert "90-day" not in card(hers, match(watch, 1, now=NOW, listing_price=price))


def test_the_bid_of_a_running_auction_is_not_called_cheap(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *AROUND)
    roll_up()
    auction = {"listing_kind": "auction", "listing_ends_at": NOW + DAY}
    html = card(hers, match(watch, 1, now=NOW, listing_price=100, **auction))
    assert "90-day median ¥70,000" in html
    assert "below" not in html


def test_sales_too_old_do_not_count_on_a_card(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *AROUND, ago=91 * DAY)
    roll_up()
    assert WatchPrices.objects.get().sales == 0


def test_the_strips_of_thirty_cards_of_thirty_watches_cost_no_query_more(
    hers: Client, alice: User, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    for number in range(30):
        other = make_watch(alice, NOW, name=f"w{number}")
        sales(make_target(other, NOW), *AROUND, first=1_000 + 20 * number)
        match(other, number, now=NOW)
    roll_up()
    with django_assert_max_num_queries(12):
        html = html_of(hers, FEED)
    assert html.count('viewBox="0 0 152 18"') == 30


def test_the_page_of_prices_tells_figures_quartiles_and_the_limit(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *AROUND)
    asked(target, *range(50_000, 90_001, 5_000))
    html = html_of(hers, prices_page(watch))
    text = text_of(html)
    assert "Number 9 9" in text
    assert "Lowest ¥60,000 ¥50,000" in text
    assert "A quarter below ¥65,000 ¥60,000" in text
    assert "Median ¥70,000 ¥70,000" in text
    assert "Highest ¥80,000 ¥90,000" in text
    assert "Within your limits 11% 33%" in text
    assert "Median time to sell 1 d" in text
    assert "your limit, ¥60,000" in text
    label = "9 sales · 9 asked prices · median ¥70,000, the middle half from ¥65,000 to ¥75,000"
    assert html.count(f'role="img" aria-label="{label}"') == 2
    assert "style=" not in html
    assert text.count("Show as table") == 2


def test_the_days_are_links_and_nonsense_is_ninety(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *AROUND, ago=50 * DAY)
    for query, shown, current in (
        ("?days=30", False, "30 days"),
        ("?days=90", True, "90 days"),
        ("?days=365", True, "365 days"),
        ("?days=-1", True, "90 days"),
        ("?days=９０", True, "90 days"),
        ("", True, "90 days"),
    ):
        html = html_of(hers, prices_page(watch, query))
        assert ("Not enough prices yet" not in html) is shown
        assert re.findall(r'aria-current="true">([^<]*)<', html) == [current]


def test_below_eight_prices_it_says_from_when_on(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *list(AROUND)[:7])
    text = text_of(html_of(hers, prices_page(watch)))
    assert "Not enough prices yet. From 8 prices on they are shown here." in text


def test_few_sales_beside_many_asked_prices_are_too_few(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, 50_000)
    asked(target, *AROUND)
    text = text_of(html_of(hers, prices_page(watch)))
    assert "Number 1 9" in text
    assert "Median too few ¥70,000" in text


def test_a_drawing_holds_four_hundred_points_at_most(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *range(10_000, 10_300), first=10_000)
    asked(target, *range(10_000, 10_300), first=20_000)
    html = html_of(hers, prices_page(watch))
    sold, hollow = (re.findall(rf'<path class="{mark}" d="([^"]*h0[^"]*)"', html)[-1] for mark in ("dot", "hole"))
    assert 190 <= sold.count("h0") <= 200
    assert 190 <= hollow.count("h0") <= 200
    assert html.count("V120z") <= 400
    assert "The latest 100 of 600." in html


def test_the_table_beside_the_drawing_has_what_was_sold_and_what_was_asked(
    hers: Client, watch: Watch, target: Target
) -> None:
    sales(target, *AROUND)
    asked(target, 51_000)
    html = html_of(hers, prices_page(watch))
    rows = re.findall(r"<tr><td class=\"num-start\">.*?</tr>", html.split('id="prices-course"')[1])
    assert len(rows) == len(AROUND) + 1
    assert re.sub(r"<[^>]+>", " ", rows[0]).split() == [
        "1",
        "May",
        "2026",
        "ルミナ",
        "カメラ",
        "900",
        "Asked",
        "¥51,000",
    ]
    assert "30 Apr 2026" in rows[1]


def test_sold_and_asked_differ_in_shape_and_word_and_lines_in_their_dashes(
    hers: Client, watch: Watch, target: Target
) -> None:
    sales(target, *AROUND)
    asked(target, *AROUND)
    html = html_of(hers, prices_page(watch))
    assert {"bar", "ask", "dot", "hole", "mid", "cap"} <= set(re.findall(r'<path class="(\w+)"', html))
    figures = html.split("prices-spread", 1)[1].split("</main>")[0]
    assert "fill=" not in figures
    assert "stroke=" not in figures
    for legend in re.findall(r'<p class="attrs item__seen">(.*?)</p>', figures, re.DOTALL):
        words = re.sub(r"<[^>]+>", " ", legend).split()
        assert words == ["Sold", "Asked", "Median", "and", "quartiles", "your", "limit,", "¥60,000"]


def test_a_title_of_the_marketplace_is_text_and_nothing_else(hers: Client, watch: Watch, target: Target) -> None:
    sales(target, *AROUND, title='ルミナ "><script>alert(1)</script>')
    html = html_of(hers, prices_page(watch))
    assert "<script>alert" not in html
    one = match(watch, 1, now=NOW)
    assert "<script>alert" not in html_of(hers, reverse("listing", args=[one.listing_id]))


@pytest.mark.parametrize("language", ["en", "ja", "zh-hans"])
def test_in_every_language_the_page_has_its_prices(hers: Client, watch: Watch, target: Target, language: str) -> None:
    sales(target, *AROUND)
    html = html_of(hers, prices_page(watch), language)
    assert ("¥70,000" if language == "en" else "70,000円") in html


def test_to_a_stranger_the_prices_of_a_watch_do_not_exist(hers: Client, bob: User) -> None:
    theirs = make_watch(bob, NOW)
    assert hers.get(prices_page(theirs)).status_code == 404
    assert Client().get(prices_page(theirs)).status_code == 302


def test_the_page_of_a_listing_shows_six_sales_at_most_and_not_itself(
    hers: Client, watch: Watch, target: Target
) -> None:
    sales(target, *AROUND)
    sales(target, 500, first=700, title="ストラップ")
    roll_up()
    one = match(watch, 1, now=NOW, listing_price=47_000, listing_paid=47_000, listing_sold_at=NOW)
    Sample.objects.create(target=target, listing=one.listing, asking=True, at=NOW)
    html = html_of(hers, reverse("listing", args=[one.listing_id]))
    found = re.search(r"<section[^>]*item-sold.*?</section>", html, re.DOTALL)
    assert found
    assert found[0].count('class="mini"') == found[0].count("noopener") == 6
    assert "¥47,000" not in found[0]
    assert "ストラップ" not in found[0]
    assert "30 Apr 2026" in found[0]
    assert "33% below, 90-day median ¥70,000" in html


def test_a_listing_without_sales_of_its_like_shows_none(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    assert "item-sold" not in html_of(hers, reverse("listing", args=[one.listing_id]))


def relisted(user: User, watch: Watch, *, older_known: bool) -> tuple[Match, Match]:
    """Two numbers of one thing; the older one among the reader's matches or not."""
    old = match(watch if older_known else make_watch(user, NOW), 1, now=NOW - DAY, listing_price=50_000)
    new = match(watch, 2, now=NOW, cause="relisted", listing_relisted_from=old.listing)
    return old, new


def test_both_pages_of_a_thing_listed_again_lead_to_each_other(hers: Client, alice: User, watch: Watch) -> None:
    old, new = relisted(alice, watch, older_known=True)
    ListingEvent.objects.create(listing=new.listing, kind="relisted", at=NOW, before=50_000, after=1_002)
    html = html_of(hers, reverse("listing", args=[new.listing_id]))
    assert "The same seller has listed it before for ¥50,000." in html
    assert "Listed again by the same seller; the price before was ¥50,000" in html
    assert f'href="/listings/{old.listing_id}/">To the old listing' in html
    assert "listed again" in card(hers, new)
    html = html_of(hers, reverse("listing", args=[old.listing_id]))
    assert "The same seller lists it again for ¥1,002." in html
    assert f'href="/listings/{new.listing_id}/">To the new listing' in html


def test_no_link_leads_to_a_page_that_does_not_exist_for_the_reader(
    hers: Client, bob: User, watch: Watch, alice: User
) -> None:
    _, new = relisted(bob, watch, older_known=False)
    html = html_of(hers, reverse("listing", args=[new.listing_id]))
    assert "listed it before" in html
    assert "To the old listing" not in html


def test_a_repeated_event_stands_in_the_timeline_as_one_and_changes_no_open_page(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    for minutes, damped in ((20, False), (1, True)):
        at = NOW - timedelta(minutes=minutes)
        ListingEvent.objects.create(listing=one.listing, kind="reserved", at=at, damped=damped)
    text = text_of(html_of(hers, reverse("listing", args=[one.listing_id])))
    assert text.count("Reserved") == 2
    assert text.count("Reserved (again within an hour)") == 1
    assert "<" not in html_of(hers, FEED + "?changed=1").strip()
