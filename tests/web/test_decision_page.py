import gzip
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.alerts.models import Alert, AlertKind
from monitor_site.watches import blocking
from monitor_site.watches.models import EventKind, ListingEvent, Match, MatchState, Note, PricePoint, Watch
from tests.web.rows import VERDICT, match, watch_of

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LIGHT = 45 * 1024
pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture
def now() -> datetime:
    return NOW


def address(one: Match) -> str:
    return reverse("decision", args=[one.public_id])


def html_of(client: Client, one: Match, *, later: timedelta = timedelta(0)) -> str:
    with time_machine.travel(NOW + later, tick=False):
        answer = client.get(address(one), headers={"accept-language": "en"})
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(client: Client, one: Match, *, later: timedelta = timedelta(0)) -> str:
    """The page as words."""
    inside = re.search(r"<main.*</main>", html_of(client, one, later=later), re.DOTALL)
    assert inside
    return " ".join(re.sub(r"<[^>]+>", " ", inside[0]).split())


def test_it_says_what_a_person_needs_to_decide(hers: Client, alice: User, watch: Watch) -> None:
    one = match(
        watch, 1, now=NOW, price=4_200, listing_price=4_200, listing_seller_id="s1", listing_seller_name="みかん堂",
        listing_seller_rating=4.9, listing_seller_count=312, listing_description="きれいです。\n\n\n  箱なし  ",
        listing_extra={"brand": "ルミナ"},
    )  # fmt: skip
    Note.objects.create(user=alice, listing=one.listing, text="for the shop", updated_at=NOW)
    words = text_of(hers, one)
    for part in ("Mercari", "ルミナ カメラ 1", "On sale ¥4,200", "Condition No visible damage", "Brand ルミナ",
                 "Seller みかん堂 4.9 (312)", "The title has every word: ルミナ", "No rule rejected it.",
                 "きれいです。 箱なし", "for the shop", "Nothing that we have seen.", "Ignore", "Open at Mercari",
                 "Everything about this listing"):  # fmt: skip
        assert part in words, part


def test_a_rule_that_said_no_is_shown_as_one(hers: Client, watch: Watch) -> None:
    no = {"rule": "price", "verdict": "fail", "saw": "900", "wanted": "–500", "words": []}
    one = match(watch, 1, now=NOW, decision=[VERDICT, no])
    assert "No rule rejected it." not in text_of(hers, one)
    assert '<li class="why--no">' in html_of(hers, one)


def test_a_long_description_is_begun(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_description="あ" * 299 + "いう")
    assert "あ" * 299 + "…" in text_of(hers, one)


@pytest.mark.parametrize(
    ("looked_at", "sentence"), [(None, "Nobody has read it yet."), (NOW, "A look at the listing found none.")]
)
def test_a_description_that_nobody_has_read_is_not_called_empty(
    hers: Client, watch: Watch, looked_at: datetime | None, sentence: str
) -> None:
    assert sentence in text_of(hers, match(watch, 1, now=NOW, listing_looked_at=looked_at))


@pytest.mark.parametrize(
    ("then", "price", "sentence"),
    [
        (5_000, 4_200, "When it matched ( just now ) the price was ¥5,000, now it is ¥4,200. 16% cheaper"),
        (4_000, 4_200, "When it matched ( just now ) the price was ¥4,000, now it is ¥4,200. 5% dearer"),
        (5_000, None, "the price was ¥5,000, now it is unknown."),
        (None, 4_200, "the price was unknown, now it is ¥4,200."),
    ],
)
def test_a_price_that_has_changed_is_told_old_and_new(
    hers: Client, watch: Watch, then: int | None, price: int | None, sentence: str
) -> None:
    assert sentence in text_of(hers, match(watch, 1, now=NOW, price=then, listing_price=price))


def test_the_bids_of_an_auction_are_told_without_calling_it_dearer(hers: Client, watch: Watch) -> None:
    words = text_of(hers, match(watch, 1, now=NOW, price=1, listing_price=11, listing_kind="auction"))
    assert "the price was ¥1, now it is ¥11." in words
    assert "dearer" not in words


def test_a_price_that_is_the_same_is_told_once(hers: Client, watch: Watch) -> None:
    words = text_of(hers, match(watch, 1, now=NOW, price=4_200, listing_price=4_200))
    assert "the price was" not in words


def test_the_price_of_the_message_counts_for_whom_it_was_sent(hers: Client, alice: User, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, price=5_000, listing_price=3_000)
    for minutes, price in ((0, 5_000), (5, 4_000), (20, 3_000)):
        PricePoint.objects.create(listing=one.listing, price=price, at=NOW + minutes * MINUTE)
    Alert.objects.create(
        user=alice, kind=AlertKind.PRICE_DROP, key="drop", listing=one.listing, created_at=NOW + 6 * MINUTE
    )
    words = text_of(hers, one, later=36 * MINUTE)
    assert "When you were told ( 30 min ago ) the price was ¥4,000, now it is ¥3,000. 25% cheaper" in words


def test_an_alert_of_somebody_else_changes_nothing(hers: Client, bob: User, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, price=5_000, listing_price=3_000)
    Alert.objects.create(user=bob, kind=AlertKind.MATCH, key="x", listing=one.listing, created_at=NOW + MINUTE)
    assert "When it matched" in text_of(hers, one, later=5 * MINUTE)


def test_what_happened_since_is_told_and_what_was_before_is_not(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, listing_status="sold")
    for minutes, kind in ((-5, EventKind.PRICE_RISE), (2, EventKind.PRICE_DROP), (4, EventKind.SOLD)):
        ListingEvent.objects.create(listing=one.listing, kind=kind, at=NOW + minutes * MINUTE, before=900, after=800)
    html = html_of(hers, one, later=9 * MINUTE)
    lines = re.findall(r"<ol class=\"timeline\">(.*?)</ol>", html, re.DOTALL)[0]
    assert re.findall(r"<li><span>(.*?)</span>", lines) == ["Sold, price ¥800", "Price fell from ¥900 to ¥800"]
    assert "item--gone" in html
    assert 'hx-select="#now"' not in html


def test_an_auction_counts_down_and_names_the_time_in_japan(hers: Client, alice: User, watch: Watch) -> None:
    alice.time_zone = "Asia/Shanghai"
    alice.save()
    one = match(watch, 1, now=NOW, listing_kind="auction", listing_bids=2, listing_ends_at=NOW + 90 * MINUTE)
    words = text_of(hers, one)
    assert "current bid 2 bids" in words
    assert "1:30:00" in words
    assert "ends 12:30 (Japan 13:30)" in words


def test_the_other_watches_that_hit_it_are_named_and_those_of_others_are_not(
    hers: Client, alice: User, bob: User, watch: Watch
) -> None:
    one = match(watch, 1, now=NOW)
    for person, name in ((alice, "Cheap"), (bob, "His")):
        other = watch_of(person, now=NOW, name=name)
        Match.objects.create(user=person, watch=other, listing=one.listing, cause="listed", trace="t", matched_at=NOW)
    words = text_of(hers, one)
    assert words.index("Lumina") < words.index("Cheap")
    assert "His" not in words


def test_looking_and_previewing_change_nothing(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    for asks in (hers.get, hers.head):
        assert asks(address(one)).status_code == 200
        for name in ("decision-ignore", "decision-restore"):
            assert asks(reverse(name, args=[one.public_id])).status_code == 405
    assert hers.post(address(one)).status_code == 405
    one.refresh_from_db()
    assert (one.state, one.snoozed_until) == (MatchState.NEW, None)


def test_a_button_puts_it_aside_for_every_watch_and_takes_it_back(hers: Client, alice: User, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    second = watch_of(alice, now=NOW, name="second")
    Match.objects.create(user=alice, watch=second, listing=one.listing, cause="listed", trace="t", matched_at=NOW)
    answer = hers.post(reverse("decision-ignore", args=[one.public_id]), follow=True)
    assert answer.redirect_chain == [(address(one), 302)]
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.IGNORED}
    assert "Ignored" in text_of(hers, one)
    hers.post(reverse("decision-restore", args=[one.public_id]))
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.SEEN}


def test_what_a_block_put_aside_says_so_and_since_when(hers: Client, alice: User, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    blocking.block_phrase(user=alice, phrase="カメラ", now=NOW + 5 * MINUTE)
    assert "Put aside 5 min ago , because you block “カメラ”." in text_of(hers, one, later=10 * MINUTE)


def test_what_is_snoozed_says_until_when(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW, snoozed_until=NOW + 30 * MINUTE)
    assert "Snoozed; it is back in the feed in 30 min ." in text_of(hers, one)


def test_who_is_signed_out_signs_in_and_comes_back_and_sees_nothing_before(client: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    answer = client.get(address(one), follow=True)
    assert answer.redirect_chain == [(f"/accounts/login/?next={address(one)}", 302)]
    assert "ルミナ" not in answer.content.decode()
    signed_in = client.post(
        answer.redirect_chain[0][0], {"login": "alice", "password": "alices-password", "next": address(one)}
    )
    assert signed_in["Location"] == address(one)


def test_to_a_stranger_it_is_as_if_it_did_not_exist(hers: Client, bob: User) -> None:
    theirs = match(watch_of(bob, now=NOW), 1, now=NOW)
    for public_id in (theirs.public_id, "nothing", "\x00", "9" * 5000):
        assert hers.get(reverse("decision", args=[public_id])).status_code == 404
        for name in ("decision-ignore", "decision-restore"):
            assert hers.post(reverse(name, args=[public_id])).status_code == 404
    theirs.refresh_from_db()
    assert theirs.state == MatchState.NEW


def test_the_match_of_another_person_opens_nothing_even_where_one_has_the_listing(
    hers: Client, bob: User, watch: Watch
) -> None:
    one = match(watch, 1, now=NOW)
    his = Match.objects.create(
        user=bob, watch=watch_of(bob, now=NOW), listing=one.listing, cause="listed", trace="t", matched_at=NOW
    )
    assert hers.get(address(his)).status_code == 404


def test_whatever_the_seller_wrote_is_text(hers: Client, watch: Watch) -> None:
    evil = "<script>x</script>]]>\u202e\x07"
    one = match(watch, 1, now=NOW, listing_title=evil, listing_seller_id="s", listing_seller_name=evil,
                listing_description=evil + "\n<img src=x>", listing_extra={"brand": evil})  # fmt: skip
    html = html_of(hers, one).split("<body", 1)[1].split('<script id="words"')[0]
    assert "<script>" not in html
    assert "<img src=x>" not in html


def test_its_pictures_are_ours_and_plain_links_lead_through_them(hers: Client, watch: Watch) -> None:
    pictures = [f"https://static.mercdn.net/{number}.jpg" for number in range(25)]
    html = html_of(hers, match(watch, 1, now=NOW, listing_images=pictures))
    assert "mercdn" not in re.sub(r'/media/thumb/[^"]+', "", html)
    assert html.count('<li id="pic-') == html.count('<a href="#pic-') == 10


def weight(html: str) -> int:
    """What a phone loads for a page, without pictures, as it is sent: compressed."""
    linked = re.findall(r'(?:src|href)="/static/([^"#]+)', html)
    files = {name for name in linked if not name.endswith(".png")}
    assert {"ui/ui.css", "ui/icons.svg", "vendor/htmx/htmx.min.js", "js/live.js"} <= files
    contents = [html.encode(), *((Path(settings.BASE_DIR) / "static" / name).read_bytes() for name in sorted(files))]
    return sum(len(gzip.compress(content, mtime=0)) for content in contents)


def test_a_full_page_is_light_and_asks_little(
    hers: Client, alice: User, watch: Watch, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    pictures = [f"https://static.mercdn.net/item/detail/orig/photos/m{number:032}.jpg" for number in range(20)]
    one = match(
        watch, 1, now=NOW, price=9_000, listing_images=pictures, listing_kind="auction", listing_bids=3,
        listing_ends_at=NOW + 90 * MINUTE, listing_description="長い説明です。" * 100, listing_seller_id="s",
        listing_seller_name="みかん堂", listing_extra={"brand": "ルミナ", "category": "カメラ", "size": "大"},
    )  # fmt: skip
    for minutes in range(1, 40):
        ListingEvent.objects.create(
            listing=one.listing, kind=EventKind.PRICE_DROP, at=NOW + minutes * MINUTE, before=9_000, after=1_000
        )
    for number in range(8):
        other = watch_of(alice, now=NOW, name=f"watch {number}")
        Match.objects.create(user=alice, watch=other, listing=one.listing, cause="listed", trace="t", matched_at=NOW)
    with django_assert_max_num_queries(12):
        html = html_of(hers, one, later=50 * MINUTE)
    assert weight(html) <= LIGHT


def test_the_page_of_the_listing_leads_here(hers: Client, watch: Watch) -> None:
    one = match(watch, 1, now=NOW)
    assert f'href="{address(one)}"' in hers.get(reverse("listing", args=[one.listing_id])).content.decode()
