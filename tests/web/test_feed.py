import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.outbox import stream
from monitor_site.watches.models import Cause, EventKind, Listing, ListingEvent, Match, MatchState, Watch
from monitor_site.web import feed, matches
from tests.web.rows import match, watch_of

FEED = "/matches/"


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    return watch_of(alice, now=now)


@pytest.fixture
def page(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def titles(page: Client, query: str = "") -> list[str]:
    return [row.listing.title for row in page.get(FEED + query).context["matches"]]


def test_a_match_stands_in_the_feed_with_its_price_and_a_link_to_the_marketplace(
    page: Client, watch: Watch, now: datetime
) -> None:
    match(watch, 1, now=now, listing_price=48_000)
    html = page.get(FEED, headers={"accept-language": "en"}).content.decode()
    assert "¥48,000" in html
    assert html.count('href="https://jp.mercari.com/item/m00000000001" ') == 1
    assert html.count(f'href="/listings/{Listing.objects.get().pk}/"') == 2
    assert 'rel="noopener noreferrer"' in html
    assert "<mark>ルミナ</mark> カメラ 1" in html


def test_a_title_is_text_whatever_the_seller_wrote(page: Client, watch: Watch, now: datetime) -> None:
    match(watch, 1, now=now, listing_title='<script>x</script> ルミナ "&', listing_seller_name="<b>s</b>")
    html = page.get(FEED).content.decode()
    assert "&lt;script&gt;x&lt;/script&gt; <mark>ルミナ</mark> &quot;&amp;" in html
    assert "<script>x" not in html
    assert "<b>s</b>" not in html


def test_a_page_swaps_price_and_facts_of_its_own_cards_whose_listings_changed_a_moment_ago(
    page: Client, watch: Watch, bob: User, now: datetime
) -> None:
    mine, still, theirs = match(watch, 1, now=now), match(watch, 2, now=now), match(watch_of(bob, now=now), 3, now=now)
    for changed, ago in ((mine, 1), (theirs, 1), (still, 600)):
        at = now - timedelta(seconds=ago)
        ListingEvent.objects.create(listing=changed.listing, kind=EventKind.PRICE_DROP, at=at, before=9, after=5)
    with time_machine.travel(now, tick=False):
        html = page.get(FEED, {"changed": ""}).content.decode()
    assert html.count("<hx-partial") == 2
    assert f'hx-target="#p-{mine.public_id}"' in html
    assert f'hx-target="#f-{mine.public_id}"' in html
    assert "<html" not in html


def test_a_card_hears_of_its_change_however_many_matches_came_after_it(
    page: Client, watch: Watch, now: datetime
) -> None:
    old = match(watch, 1, now=now, listing_price=900)
    others = [match(watch, number, now=now).listing for number in range(2, 4)]
    Match.objects.bulk_create(
        Match(user=watch.user, watch=watch_of(watch.user, now=now, name=f"w{number}"), listing=others[number % 2],
              cause="listed", trace="t", matched_at=now, decision=[])
        for number in range(700)
    )  # fmt: skip
    for one, ago in ((old.listing, 1), (others[0], 30), (others[1], 30)):
        at = now - timedelta(seconds=ago)
        ListingEvent.objects.create(listing=one, kind=EventKind.PRICE_DROP, at=at, before=1_000, after=900)
    with time_machine.travel(now, tick=False):
        html = page.get(FEED, {"changed": ""}).content.decode()
    assert f'hx-target="#p-{old.public_id}"' in html
    assert "¥1,000" in html.split("<hx-partial")[1]


def test_nobody_sees_the_matches_of_another(page: Client, bob: User, now: datetime) -> None:
    theirs = match(watch_of(bob, now=now), 1, now=now)
    assert titles(page) == []
    for name in ("match-ignore", "match-restore"):
        assert page.post(reverse(name, args=[theirs.public_id])).status_code == 404
    theirs.refresh_from_db()
    assert theirs.state == MatchState.NEW


def test_the_silent_ones_stay_silent(page: Client, watch: Watch, now: datetime) -> None:
    match(watch, 1, now=now, silent=True, cause=Cause.EXISTING)
    assert titles(page) == []


def test_segments_show_what_they_say(page: Client, watch: Watch, now: datetime) -> None:
    match(watch, 1, now=now)
    match(watch, 2, now=now, state=MatchState.SEEN)
    match(watch, 3, now=now, state=MatchState.IGNORED)
    match(watch, 4, now=now, cause=Cause.PRICE_DROP, state=MatchState.SEEN)
    numbers = {
        show: [title.split()[-1] for title in titles(page, f"?show={show}")] for show in ("new", "drops", "ignored")
    }
    assert numbers == {"new": ["1"], "drops": ["4"], "ignored": ["3"]}
    assert len(titles(page)) == 3
    assert len(titles(page, "?show=nonsense")) == 3


def test_auctions_and_marketplaces_can_be_shown_alone(page: Client, watch: Watch, now: datetime) -> None:
    match(watch, 1, now=now, listing_title="fixed")
    match(watch, 2, now=now, listing_title="auction", listing_kind="auction")
    match(watch, 3, now=now, listing_title="there", listing_kind="auction", listing_marketplace="yahoo_auctions")
    match(watch, 4, now=now, listing_kind="auction", state=MatchState.IGNORED)
    assert titles(page, "?show=auctions") == ["there", "auction"]
    assert titles(page, "?market=yahoo_auctions") == titles(page, "?show=auctions&market=yahoo_auctions") == ["there"]
    assert titles(page, "?market=nowhere") == titles(page, "?market=%00nowhere") == []
    page.post(reverse("matches-seen"), {"filters": "market=yahoo_auctions"})
    assert [one.listing.title for one in Match.objects.filter(state=MatchState.SEEN)] == ["there"]


def test_a_marketplace_of_few_matches_is_looked_for_in_parts(
    page: Client, watch: Watch, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "SEARCHED", 3)
    for number in range(4):
        match(watch, number, now=now, listing_marketplace="mercari" if number else "yahoo_auctions")
    first = page.get(FEED + "?market=yahoo_auctions").context
    assert (first["matches"], bool(first["older"])) == ([], True)
    assert len(titles(page, f"?{first['older']}")) == 1


@pytest.mark.parametrize(
    ("status", "word"), [("sold", "Sold to someone else"), ("reserved", "Reserved"), ("removed", "Removed")]
)
def test_what_is_gone_is_grey_and_says_so(page: Client, watch: Watch, now: datetime, status: str, word: str) -> None:
    match(watch, 1, now=now, listing_status=status)
    assert word in card(page)
    assert '<li class="gone">' in page.get(FEED).content.decode()


def test_the_feed_can_be_narrowed_to_a_watch_and_to_words(
    page: Client, alice: User, watch: Watch, now: datetime
) -> None:
    match(watch, 1, now=now, listing_title="ルミナ 黒")
    match(watch_of(alice, now=now, name="other"), 2, now=now, listing_title="ルミナ 白", listing_seller_name="みかん堂")
    assert titles(page, f"?watch={watch.pk}") == ["ルミナ 黒"]
    assert titles(page, "?q=白") == ["ルミナ 白"]
    assert titles(page, "?q=みかん ルミナ") == ["ルミナ 白"]
    assert titles(page, "?q=M00000000001") == ["ルミナ 黒"]
    assert titles(page, "?q=nothing") == []
    assert titles(page, "?watch=x&before=x&after=x&q=%00") == ["ルミナ 白", "ルミナ 黒"]


def test_thirty_stand_on_a_page_and_older_ones_follow_without_gap_or_repeat(
    page: Client, watch: Watch, now: datetime
) -> None:
    for number in range(65):
        match(watch, number, now=now)
    seen, query = [], ""
    while True:
        context = page.get(FEED + query).context
        seen.append([row.listing.title for row in context["matches"]])
        if not context["older"]:
            break
        query = f"?{context['older']}"
    assert [len(rows) for rows in seen] == [30, 30, 5]
    assert len({title for rows in seen for title in rows}) == 65
    assert seen[0][0] == "ルミナ カメラ 64"


def test_a_page_costs_the_same_queries_however_many_cards(
    page: Client, watch: Watch, now: datetime, django_assert_max_num_queries: pytest.fixture
) -> None:
    for number in range(30):
        match(watch, number, now=now)
    with django_assert_max_num_queries(12):
        page.get(FEED)


def test_what_came_since_is_counted_and_fetched_with_the_same_filters(
    page: Client, watch: Watch, now: datetime
) -> None:
    first = match(watch, 1, now=now)
    white = match(watch, 2, now=now, listing_title="ルミナ 白")
    black = match(watch, 3, now=now, listing_title="ルミナ 黒")
    assert page.get(f"{FEED}?after={first.pk}&count=1").json() == {"ids": [black.pk, white.pk]}
    assert page.get(f"{FEED}?after={first.pk}&count=1&q=白").json() == {"ids": [white.pk]}
    html = page.get(f"{FEED}?after={first.pk}&q=白").content.decode()
    assert html.count("<article") == 1
    assert "<html" not in html


def test_a_match_whose_row_appears_after_a_newer_one_is_still_told(page: Client, watch: Watch, now: datetime) -> None:
    with time_machine.travel(now, tick=False) as clock:
        late = match(watch, 1, now=now)
        newer = match(watch, 2, now=now)
        assert page.get(f"{FEED}?after={newer.pk}&count=1").json() == {"ids": [newer.pk, late.pk]}
        clock.shift(timedelta(seconds=61))
        assert page.get(f"{FEED}?after={newer.pk}&count=1").json() == {"ids": []}


def test_no_more_than_a_page_takes_at_once_is_asked_for(page: Client, watch: Watch, now: datetime) -> None:
    for number in range(125):
        match(watch, number, now=now)
    assert len(page.get(f"{FEED}?after=0&count=1").json()["ids"]) == 121
    assert page.get(f"{FEED}?after=0").content.decode().count("<article") == 120


def test_what_comes_while_the_page_is_made_is_new_to_it(
    page: Client, watch: Watch, now: datetime, monkeypatch: pytest.MonkeyPatch, redis: Redis
) -> None:
    real = matches.page_of

    def slow(*args: Any, **words: Any) -> Any:
        found = real(*args, **words)
        match(watch, 1, now=now)
        stream.append(redis, user_id=watch.user_id, event="match", data={"match": 1, "watch": watch.pk})
        return found

    monkeypatch.setattr(matches, "page_of", slow)
    context = page.get(FEED).context
    assert (context["matches"], context["newest"]) == ([], 0)
    assert context["live_cursor"] < stream.cursor(redis, user_id=watch.user_id)


@pytest.mark.parametrize("words", ["ﾙﾐﾅ", "るみな", "ＬＵＭＩＮＡ", "lumina ルミナ"])
def test_words_are_found_in_any_width_and_kana(page: Client, watch: Watch, now: datetime, words: str) -> None:
    match(watch, 1, now=now, listing_title="ルミナ Lumina")
    match(watch, 2, now=now, listing_title="その他")
    assert titles(page, f"?q={words}") == ["ルミナ Lumina"]


def test_a_search_ends_somewhere_and_goes_on_when_asked_to(
    page: Client, watch: Watch, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "SEARCHED", 3)
    match(watch, 0, now=now, listing_title="rare", state=MatchState.IGNORED)
    for number in range(1, 8):
        match(watch, number, now=now)
    for query in ("q=rare&show=ignored", "show=ignored"):
        first = page.get(f"{FEED}?{query}").context
        second = page.get(f"{FEED}?{first['older']}").context
        third = page.get(f"{FEED}?{second['older']}").context
        assert [list(part["matches"]) for part in (first, second)] == [[], []]
        assert [one.listing.title for one in third["matches"]] == ["rare"]
        assert third["older"] == ""


def test_an_ignored_match_leaves_the_feed_and_comes_back(page: Client, watch: Watch, now: datetime) -> None:
    one = match(watch, 1, now=now)
    answer = page.post(reverse("match-ignore", args=[one.public_id]), {"filters": "show=new"}, follow=True)
    assert answer.redirect_chain == [("/matches/?show=new", 302)]
    assert "ルミナ カメラ 1" in answer.content.decode()
    assert titles(page) == []
    page.post(reverse("match-restore", args=[one.public_id]))
    assert len(titles(page)) == 1


def test_with_script_an_ignored_card_becomes_one_line_with_the_way_back(
    page: Client, watch: Watch, now: datetime
) -> None:
    one = match(watch, 1, now=now)
    html = page.post(reverse("match-ignore", args=[one.public_id]), headers={"hx-request": "true"}).content.decode()
    assert 'class="undo"' in html
    assert f'id="m-{one.public_id}"' in html
    html = page.post(reverse("match-restore", args=[one.public_id]), headers={"hx-request": "true"}).content.decode()
    assert html.count("<article") == 1


def test_everything_can_be_marked_as_seen(page: Client, watch: Watch, bob: User, now: datetime) -> None:
    match(watch, 1, now=now)
    theirs = match(watch_of(bob, now=now), 2, now=now)
    page.post(reverse("matches-seen"))
    assert Match.objects.get(watch=watch).state == MatchState.SEEN
    theirs.refresh_from_db()
    assert theirs.state == MatchState.NEW


def test_marked_as_seen_is_what_the_page_shows_and_nothing_that_came_since(
    page: Client, alice: User, watch: Watch, now: datetime
) -> None:
    shown = match(watch, 1, now=now, listing_title="ルミナ 白")
    match(watch, 2, now=now, listing_title="ルミナ 黒")
    match(watch_of(alice, now=now, name="other"), 3, now=now, listing_title="ルミナ 白")
    newest = page.get(FEED).context["newest"]
    match(watch, 4, now=now, listing_title="ルミナ 白")
    page.post(reverse("matches-seen"), {"filters": f"watch={watch.pk}&q=白", "upto": newest})
    assert list(Match.objects.filter(state=MatchState.SEEN)) == [shown]


def test_marking_as_seen_is_one_step_however_many_there_are(page: Client, watch: Watch, now: datetime) -> None:
    for number in range(40):
        match(watch, number, now=now)
    with CaptureQueriesContext(connection) as caught:
        page.post(reverse("matches-seen"), {"filters": "", "upto": Match.objects.latest("id").pk})
    assert len([query for query in caught if "watches_match" in query["sql"]]) == 2
    assert not Match.objects.filter(state=MatchState.NEW).exists()


def test_a_card_says_why_it_matched_in_words(page: Client, watch: Watch, now: datetime) -> None:
    decision = [
        {"rule": "status", "verdict": "pass", "saw": "on_sale", "wanted": "on_sale", "words": []},
        {"rule": "must", "verdict": "pass", "saw": "ルミナ", "wanted": "ルミナ", "words": ["ルミナ"]},
        {"rule": "none_of", "verdict": "pass", "saw": "ルミナ", "wanted": "ジャンク", "words": []},
        {"rule": "price", "verdict": "pass", "saw": "4800", "wanted": "–5000", "words": []},
        {"rule": "condition", "verdict": "pass", "saw": "good", "wanted": "new good", "words": []},
        {"rule": "shipping", "verdict": "unknown", "saw": "unknown", "wanted": "included", "words": []},
        {"rule": "of a later version", "verdict": "pass"},
    ]
    match(watch, 1, now=now, decision=decision)
    html = page.get(FEED, headers={"accept-language": "en"}).content.decode()
    found = re.search(r'<details class="why">.*?</details>', html, re.DOTALL)
    assert found is not None
    assert re.findall(r"<li[^>]*>(.*?)</li>", found[0]) == [
        "It was on sale",
        "The title has every word: ルミナ",
        "The title has none of the words: ジャンク",
        "Price ¥4,800, wanted ≤ ¥5,000",
        "Condition “No visible damage”, wanted New, unused, No visible damage",
        "Shipping: Shipping unknown, wanted included",
    ]
    assert found[0].count("why--no") == 1


def test_looking_changes_nothing(page: Client, watch: Watch, now: datetime) -> None:
    one = match(watch, 1, now=now)
    for name in ("match-ignore", "match-restore"):
        assert page.get(reverse(name, args=[one.public_id])).status_code == 405
    assert page.get(reverse("matches-seen")).status_code == 405
    page.get(FEED)
    one.refresh_from_db()
    assert one.state == MatchState.NEW


def test_a_price_drop_shows_the_price_before_and_the_share(page: Client, watch: Watch, now: datetime) -> None:
    one = match(watch, 1, now=now, cause=Cause.PRICE_DROP, listing_price=4_200)
    for minutes, before in ((9, 6_500), (1, 5_800)):
        ListingEvent.objects.create(
            listing=one.listing,
            kind=EventKind.PRICE_DROP,
            at=now - timedelta(minutes=minutes),
            before=before,
            after=4_200,
        )
    html = page.get(FEED, headers={"accept-language": "zh-CN"}).content.decode()
    assert "28%" in html
    assert "5,800円" in html
    assert "6,500" not in html


def test_an_auction_and_an_unknown_price_say_so(page: Client, watch: Watch, now: datetime) -> None:
    match(watch, 1, now=now, listing_kind="auction", listing_bids=7, listing_price=None)
    html = page.get(FEED, headers={"accept-language": "ja"}).content.decode()
    assert "入札7件" in html
    assert "価格不明" in html


@pytest.mark.parametrize(
    ("watches", "sentence"),
    [([], "No watch yet"), ([None], "No matches yet"), (["paused"], "All watches are paused")],
)
def test_an_empty_feed_says_why(
    page: Client, alice: User, now: datetime, watches: list[str | None], sentence: str
) -> None:
    for paused in watches:
        watch_of(alice, now=now, paused_at=now if paused else None)
    assert sentence in page.get(FEED, headers={"accept-language": "en"}).content.decode()


AUCTION = {"listing_marketplace": "yahoo_auctions", "listing_kind": "auction", "listing_price": 1200}


def card(page: Client) -> str:
    """The only card of the feed as text, without markup."""
    html = page.get(FEED, headers={"accept-language": "en"}).content.decode()
    inside = re.search(r"<article.*</article>", html, re.DOTALL)
    assert inside
    return " ".join(re.sub(r"<[^>]+>", " ", inside[0]).split())


def test_an_auction_shows_its_bids_its_end_and_the_price_to_buy_it_now(
    page: Client, watch: Watch, now: datetime
) -> None:
    ends = now + timedelta(minutes=9, seconds=30)
    more = {"listing_bids": 3, "listing_buy_now": 9800, "listing_ends_at": ends, "listing_seller_rating": 99.2}
    match(watch, 1, now=now, **AUCTION | more)
    with time_machine.travel(now, tick=False):
        text = card(page)
        assert f'datetime="{ends.isoformat()}" data-in' in page.get(FEED).content.decode()
    assert "¥1,200 current bid buy now ¥9,800 Auction ends in 9 min 3 bids" in text
    assert "99.2%" in text


def test_an_auction_without_bids_shows_what_it_starts_at(page: Client, watch: Watch, now: datetime) -> None:
    match(watch, 1, now=now, **AUCTION | {"listing_bids": 0, "listing_seller_rating": 4.9})
    text = card(page)
    assert "¥1,200 starting price Auction 0 bids" in text
    assert "4.9%" not in text


def test_an_auction_is_shown_as_ended_once_its_end_can_no_longer_have_moved(
    page: Client, watch: Watch, now: datetime
) -> None:
    match(watch, 1, now=now, **AUCTION | {"listing_ends_at": now})
    with time_machine.travel(now + timedelta(minutes=4), tick=False):
        assert "ends any moment" in card(page)
    with time_machine.travel(now + timedelta(minutes=6), tick=False):
        assert "Ended, result not known yet Auction" in card(page)


def test_without_script_the_sentence_about_an_ignored_match_takes_it_back(
    page: Client, watch: Watch, now: datetime
) -> None:
    one = match(watch, 1, now=now)
    html = page.post(f"/matches/{one.public_id}/ignore/", follow=True).content.decode()
    way = f'<form method="post" action="/matches/{one.public_id}/restore/">'
    toasts = html[html.index('id="toasts"') :]
    assert way in toasts
    page.post(f"/matches/{one.public_id}/restore/")
    one.refresh_from_db()
    assert one.state == MatchState.SEEN
