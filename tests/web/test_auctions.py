import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from monitor_site.accounts.models import User
from monitor_site.watches import resting, tagging
from monitor_site.watches.models import EventKind, Listing, ListingEvent, Match, MatchState, Watch
from monitor_site.web import auction_rows, auctions
from tests.web.rows import match, watch_of

PAGE = "/auctions/"
NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)  # noon in Japan
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(autouse=True)
def clock(now: datetime) -> Iterator[None]:
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    alice.time_zone = "Asia/Tokyo"
    alice.save()
    return watch_of(alice, now=now, marketplaces=["yahoo_auctions"])


def auction(watch: Watch, number: int, *, now: datetime = NOW, **fields: Any) -> Match:
    thing = {"marketplace": "yahoo_auctions", "kind": "auction", "bids": 3, "ends_at": NOW + HOUR / 2} | fields
    own = {name: thing.pop(name) for name in ("state", "silent") if name in thing}
    return match(watch, number, now=now, **own, **{f"listing_{name}": value for name, value in thing.items()})


def text(client: Client, query: str = "", language: str = "en") -> str:
    """The list as words."""
    html = client.get(PAGE + query, headers={"accept-language": language}).content.decode()
    inside = re.search(r'<div class="aucs">.*?<nav class="tabs', html, re.DOTALL)
    assert inside
    return " ".join(re.sub(r"<[^>]+>", " ", inside[0]).split())


def groups(client: Client, query: str = "") -> dict[str, list[int]]:
    """Heading → numbers of the listings below it."""
    found = client.get(PAGE + query).context["groups"]
    return {group.name: [row.listing.price - 1000 for row in group.rows] for group in found}


def test_auctions_stand_by_their_end_under_headings_that_change_at_the_minute(hers: Client, watch: Watch) -> None:
    midnight = NOW + 12 * HOUR
    second = timedelta(seconds=1)
    ends = [NOW - 5 * MINUTE - second, NOW - 5 * MINUTE, NOW + HOUR - second, NOW + HOUR, midnight - second, midnight]
    for number, moment in enumerate(ends):
        auction(watch, number, ends_at=moment)
    assert groups(hers) == {"hour": [1, 2], "today": [3, 4], "later": [5], "over": [0]}
    assert groups(hers, "?show=soon") == {"hour": [1, 2]}
    assert groups(hers, "?show=ended") == {"over": [0]}
    assert groups(hers, "?show=nonsense").keys() == {"hour", "today", "later", "over"}


@pytest.mark.parametrize("now", [datetime(2026, 11, 1, 5, 30, tzinfo=UTC)])
def test_today_ends_at_the_readers_midnight_also_on_a_day_of_25_hours(
    hers: Client, alice: User, watch: Watch, now: datetime
) -> None:
    alice.time_zone = "America/New_York"
    alice.save()
    midnight = datetime(2026, 11, 2, 5, 0, tzinfo=UTC)
    auction(watch, 1, now=now, ends_at=midnight - MINUTE)
    auction(watch, 2, now=now, ends_at=midnight)
    assert groups(hers) == {"today": [1], "later": [2]}
    words = text(hers)
    assert "23:59 (Japan 2 Nov, 13:59)" in words
    assert "2 Nov, 00:00 (Japan 14:00)" in words


def test_a_row_says_price_bids_end_and_how_long_it_runs(hers: Client, alice: User, watch: Watch) -> None:
    auction(watch, 1, price=3200, buy_now=8500, ends_at=NOW + timedelta(minutes=12, seconds=36))
    auction(watch, 2, price=900, bids=0, ends_at=NOW + timedelta(hours=1, minutes=48, seconds=2))
    auction(watch, 3, ends_at=NOW + timedelta(days=1, hours=3))
    words = text(hers)
    assert "¥3,200 3 bids buy now ¥8,500 12:36 in 12 min 12:12" in words
    assert "¥900 no bid yet 1:48:02 in 1 h 13:48" in words
    assert "1 d 3 h in 27 h 2 May, 15:00" in words
    alice.time_zone = "Asia/Shanghai"
    alice.save()
    assert "11:12（日本 12:12）" in text(hers, language="zh-CN")


def test_what_ticks_is_hidden_from_assistive_technology_which_hears_minutes(hers: Client, watch: Watch) -> None:
    auction(watch, 1, ends_at=NOW + timedelta(seconds=40))
    html = hers.get(PAGE, headers={"accept-language": "en"}).content.decode()
    assert re.search(
        r'<span aria-hidden="true"><time datetime="[^"]+" data-end title="[^"]+">00:40</time></span>', html
    )
    assert re.search(r'<span class="vh"> <time datetime="[^"]+" data-in="60" [^>]+>any moment</time></span>', html)


def test_one_whose_end_has_just_passed_may_have_been_extended(hers: Client, watch: Watch) -> None:
    auction(watch, 1, ends_at=NOW - MINUTE)
    assert "00:00 any moment 11:59 ended or extended" in text(hers)


def test_unknown_is_said_and_never_nought(hers: Client, watch: Watch) -> None:
    auction(watch, 1, price=None, bids=None, ends_at=None)
    assert "End not known" in (words := text(hers))
    assert "Price unknown bids unknown" in words
    assert "¥0" not in words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "sold", "price": 48_000}, "¥48,000 3 bids Sold at ¥48,000"),
        ({"status": "sold", "price": None}, "Sold to someone else"),
        ({"status": "ended", "bids": 0}, "¥1,001 no bid Ended without a bid"),
        ({"status": "ended"}, "Ended at ¥1,001"),
        ({"status": "ended", "bids": None}, "bids unknown Ended 10:00"),
        ({"status": "on_sale"}, "Ended, result not known yet"),
        ({"status": "removed"}, "Removed"),
    ],
)
def test_what_is_over_says_what_we_know_of_its_end_and_has_no_clock(
    hers: Client, watch: Watch, fields: dict[str, Any], words: str
) -> None:
    auction(watch, 1, **{"ends_at": NOW - 2 * HOUR, "buy_now": 9_000} | fields)
    found = text(hers)
    assert words in found
    assert "buy now" not in found
    html = hers.get(PAGE).content.decode()
    assert "data-end" not in html
    assert "is-gone" in html


def test_one_that_was_taken_down_before_its_end_is_over_and_old_ones_go(hers: Client, watch: Watch) -> None:
    auction(watch, 1, status="stopped", ends_at=NOW + 2 * HOUR)
    auction(watch, 2, ends_at=NOW - timedelta(days=3, minutes=1))
    auction(watch, 3, ends_at=NOW - timedelta(days=2, hours=23))
    assert groups(hers) == {"over": [1, 3]}


def test_an_auction_stands_once_with_all_its_watches(hers: Client, alice: User, watch: Watch) -> None:
    one = auction(watch, 1)
    other = watch_of(alice, now=NOW, name="Second")
    Match.objects.create(user=alice, watch=other, listing=one.listing, cause="listed", trace="t", matched_at=NOW)
    words = text(hers)
    assert words.count("ルミナ カメラ 1") == 2  # the title, and the name of the button
    assert "Lumina" in words
    assert "Second" in words


def test_only_what_the_reader_was_told_and_has_not_put_aside_is_there(
    hers: Client, alice: User, bob: User, watch: Watch
) -> None:
    auction(watch_of(bob, now=NOW), 1)
    auction(watch, 2, silent=True)
    auction(watch, 3, state=MatchState.IGNORED)
    auction(watch, 4, kind="fixed")
    assert groups(hers) == {}
    assert "No auction at the moment" in text(hers)


def test_a_title_is_text_whatever_the_seller_wrote(hers: Client, watch: Watch) -> None:
    auction(watch, 1, title='<script>x</script> "&', external_id='"><b>')
    html = hers.get(PAGE).content.decode()
    assert "&lt;script&gt;x&lt;/script&gt; &quot;&amp;" in html
    assert "<script>x" not in html


def test_the_list_can_be_narrowed(hers: Client, alice: User, watch: Watch) -> None:
    auction(watch, 1, title="ルミナ 黒")
    other = watch_of(alice, now=NOW, name="other")
    auction(other, 2, title="ルミナ 白", marketplace="mercari", seller_name="みかん堂")
    assert groups(hers, f"?watch={watch.pk}") == {"hour": [1]}
    assert groups(hers, "?market=mercari") == {"hour": [2]}
    assert groups(hers, "?q=ﾙﾐﾅ 白") == groups(hers, "?q=みかん") == {"hour": [2]}
    assert groups(hers, "?q=%00&watch=x&market=%00&after=x") == {"hour": [1, 2]}
    assert "Nothing with these filters" in text(hers, "?q=nothing")


def test_the_list_can_be_narrowed_to_a_tag_and_a_strangers_tag_shows_nothing(
    hers: Client, alice: User, bob: User, watch: Watch
) -> None:
    auction(watch, 1)
    auction(tagged := watch_of(alice, now=NOW, name="tagged"), 2)
    tagging.set_tags(watch=tagged, names=["時計"])
    tagging.set_tags(watch=watch_of(bob, now=NOW), names=["hidden"])
    mine, theirs = alice.tags.get(), bob.tags.get()
    assert groups(hers, f"?tag={mine.pk}") == {"hour": [2]}
    assert groups(hers, f"?tag={theirs.pk}") == {}
    html = hers.get(f"{PAGE}?tag={mine.pk}&show=soon").content.decode()
    assert f'<input type="hidden" name="tag" value="{mine.pk}">' in html
    assert f'href="?show=soon&amp;tag={mine.pk}" aria-current="true">時計</a>' in html
    assert "hidden</a>" not in html
    since = int((NOW - MINUTE).timestamp())
    fresh = f"{PAGE}?live=0&since={since}&tag="
    assert "1 new auction<" in hers.get(f"{fresh}{mine.pk}", headers={"accept-language": "en"}).content.decode()
    assert "new auction" not in hers.get(f"{fresh}{theirs.pk}", headers={"accept-language": "en"}).content.decode()


def test_a_snoozed_auction_stays_away_until_it_wakes(hers: Client, alice: User, watch: Watch) -> None:
    asleep = auction(watch, 1)
    resting.snooze_match(match=asleep, until=NOW + MINUTE)
    auction(watch, 2)
    both = auction(watch, 3).listing
    other = watch_of(alice, now=NOW, name="Second")
    one = Match.objects.create(user=alice, watch=other, listing=both, cause="listed", trace="t", matched_at=NOW)
    resting.snooze_match(match=one, until=NOW + MINUTE)
    assert groups(hers) == {"hour": [2, 3]}
    assert "Second" not in text(hers)
    assert '<span class="nav__n num" id="n-ending">2</span>' in hers.get("/matches/").content.decode()
    assert f"#n-{asleep.listing_id}" not in hers.get(f"{PAGE}?live={asleep.listing_id}").content.decode()
    with time_machine.travel(NOW + MINUTE, tick=False):
        assert groups(hers) == {"hour": [1, 2, 3]}


@pytest.mark.parametrize(
    "after", ["running.x.y", "over..", "open.1.", "running.9999999999999999999.1", "over.99999999999999999.1"]
)
def test_a_place_that_makes_no_sense_shows_something(hers: Client, watch: Watch, after: str) -> None:
    auction(watch, 1)
    assert hers.get(f"{PAGE}?after={after}").status_code == 200


def walk(client: Client, query: str = "") -> list[list[int]]:
    """The numbers on every page, following the links."""
    pages = []
    while True:
        context = client.get(PAGE + query).context
        pages.append([row.listing.price for group in context["groups"] for row in group.rows])
        if not context["older"]:
            return pages
        query = f"?{context['older']}"


def test_pages_follow_each_other_through_all_headings_without_gap_or_repeat(hers: Client, watch: Watch) -> None:
    for number in range(70):
        # Five end at the same moment, the next five at another; some have no end, some are over.
        moments = {0: NOW + HOUR * (1 + number // 5), 1: None, 2: NOW - HOUR * (1 + number // 20)}
        auction(watch, number, ends_at=moments[number % 7 if number % 7 in {1, 2} else 0])
    pages = walk(hers)
    assert [len(page) for page in pages] == [30, 30, 10]
    assert sorted(price for page in pages for price in page) == [1000 + number for number in range(70)]


def test_a_page_that_is_just_full_leads_on_to_the_next_heading(hers: Client, watch: Watch) -> None:
    for number in range(31):
        auction(watch, number, ends_at=NOW + HOUR * (number + 1) if number < 30 else NOW - HOUR)
    assert [len(page) for page in walk(hers)] == [30, 1]


def test_a_search_ends_somewhere_and_goes_on_when_asked_to(
    hers: Client, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auctions, "SEARCHED", 3)
    for number in range(7):
        auction(watch, number, title="rare" if number == 6 else "common", ends_at=NOW + MINUTE * (number + 1))
    assert walk(hers, "?q=rare") == [[], [], [1006]]


def test_ten_thousand_auctions_cost_a_page_no_more_than_thirty(
    hers: Client, alice: User, watch: Watch, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    many(watch, 10_000)
    for query in ("", "?show=ended", "?show=soon", "?q=nothing", f"?watch={watch.pk}&market=yahoo_auctions"):
        with django_assert_max_num_queries(12):
            found = hers.get(PAGE + query).context["groups"]
        assert sum(len(group.rows) for group in found) == (0 if "nothing" in query else 30)


def many(watch: Watch, count: int) -> None:
    first = auction(watch, 0).listing
    same = {field.name: getattr(first, field.name) for field in Listing._meta.concrete_fields}
    rows = [
        Listing(**same | {"id": None, "external_id": f"x{n}", "ends_at": NOW + MINUTE * (n - count // 2)})
        for n in range(count)
    ]
    made = Listing.objects.bulk_create(rows, batch_size=500)
    common = {"user": watch.user, "watch": watch, "cause": "listed", "trace": "t", "matched_at": NOW}
    Match.objects.bulk_create([Match(listing=row, **common) for row in made], batch_size=500)


def test_the_menu_counts_those_that_end_within_the_hour(hers: Client, watch: Watch) -> None:
    auction(watch, 1, ends_at=NOW + HOUR - MINUTE)
    auction(watch, 2, ends_at=NOW + HOUR)
    html = hers.get("/matches/").content.decode()
    assert '<span class="nav__n num" id="n-ending">1</span>' in html
    assert 'id="n-ending-tab">1</span>' in html


def test_an_open_page_hears_how_its_rows_are_and_how_many_came_since(
    hers: Client, bob: User, watch: Watch, now: datetime
) -> None:
    mine, theirs = auction(watch, 1), auction(watch_of(bob, now=NOW), 2)
    since = int(NOW.timestamp())
    Listing.objects.filter(pk=mine.listing_id).update(price=4321, bids=8)
    auction(watch, 3, now=NOW + MINUTE)
    query = f"?live={mine.listing_id},{theirs.listing_id},x&since={since}"
    html = hers.get(PAGE + query, headers={"accept-language": "en"}).content.decode()
    assert f'hx-target="#n-{mine.listing_id}"' in html
    assert f"#n-{theirs.listing_id}" not in html
    assert "¥4,321" in html
    assert "1 new auction" in html
    assert "new auction" not in hers.get(f"{PAGE}{query}&market=mercari").content.decode()
    assert "<html" not in html


def test_extensions_are_counted(hers: Client, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auction_rows, "EXTENDED", EventKind.BUMPED)
    thing = auction(watch, 1).listing
    for minutes in (1, 2):
        ListingEvent.objects.create(listing=thing, kind=EventKind.BUMPED, at=NOW - minutes * MINUTE)
    assert "extended 2 times" in text(hers)
