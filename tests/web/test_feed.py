from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.watches.models import Cause, EventKind, ListingEvent, Match, MatchState, Watch
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
    assert html.count('href="https://jp.mercari.com/item/m00000000001" ') == 3
    assert 'rel="noopener noreferrer"' in html
    assert "<mark>ルミナ</mark> カメラ 1" in html


def test_a_title_is_text_whatever_the_seller_wrote(page: Client, watch: Watch, now: datetime) -> None:
    match(watch, 1, now=now, listing_title='<script>x</script> ルミナ "&', listing_seller_name="<b>s</b>")
    html = page.get(FEED).content.decode()
    assert "&lt;script&gt;x&lt;/script&gt; <mark>ルミナ</mark> &quot;&amp;" in html
    assert "<script>x" not in html
    assert "<b>s</b>" not in html


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
    match(watch, 2, now=now, listing_title="ルミナ 白")
    match(watch, 3, now=now, listing_title="ルミナ 黒")
    assert page.get(f"{FEED}?after={first.pk}&count=1").json() == {"n": 2}
    assert page.get(f"{FEED}?after={first.pk}&count=1&q=白").json() == {"n": 1}
    html = page.get(f"{FEED}?after={first.pk}&q=白").content.decode()
    assert html.count("<article") == 1
    assert "<html" not in html


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
