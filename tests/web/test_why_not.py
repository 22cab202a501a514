"""Why a listing did not come: what the reader's own watches say, and nobody else's."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.watches.models import Check, Listing, Match, Target, Watch
from tests import practice
from tests.plugins.standins import Market
from tests.web import watch_rows
from tests.web.rows import listing, match, watch_of

pytestmark = pytest.mark.django_db(transaction=True)
WHY = "/watches/why-not/"
NOW = timezone.now()
EN = {"accept-language": "en"}
ID = "m00000000001"
PLACES = [
    f"https://jp.mercari.com/item/{ID}",
    ID,
    f" jp.mercari.com/item/{ID}?source=x ",
    f"見て！ https://jp.mercari.com/item/{ID}",
]


def text_of(client: Client, address: str, **more: str) -> str:
    with time_machine.travel(NOW, tick=False):
        answer = client.get(WHY, {"address": address} | more, headers=EN)
    assert answer.status_code == 200
    inside = re.search(r"<main.*</main>", answer.content.decode(), re.DOTALL)
    assert inside
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inside[0])).split())


def asked(watch: Watch, *shown: str, **changes: Any) -> Target:
    """A question of this watch whose last answer held these listings."""
    return watch_rows.make_target(watch, NOW, recent=dict.fromkeys(shown, "d"), **changes)


@pytest.mark.parametrize("place", PLACES)
def test_the_rule_that_rejected_it_is_named_with_what_it_saw(hers: Client, alice: User, place: str) -> None:
    asked(watch_of(alice, now=NOW, price_max=60_000), ID)
    listing(1, now=NOW, price=72_000)
    text = text_of(hers, place)
    assert "Lumina Rejected ¥72,000 > ¥60,000" in text
    assert "first seen just now" in text
    assert "No check of this watch" not in text


def test_a_match_is_linked_and_may_not_match_any_more(hers: Client, alice: User) -> None:
    watch = watch_of(alice, now=NOW)
    one = match(watch, 1, now=NOW - timedelta(minutes=5), listing_status="sold")
    text = text_of(hers, ID)
    assert "Matched Sold to someone else To this match It matched 5 min ago. As it is now, it would not match." in text
    assert f"/m/{one.public_id}/" in hers.get(WHY, {"address": ID}).content.decode()


def test_what_was_there_before_the_watch_was_told_to_nobody(hers: Client, alice: User) -> None:
    match(watch_of(alice, now=NOW), 1, now=NOW - timedelta(minutes=5), silent=True)
    assert "It was there when the watch began (5 min ago), so nobody was told." in text_of(hers, ID)


def test_where_no_check_has_shown_it_the_last_one_and_the_lag_are_told(hers: Client, alice: User) -> None:
    asked(watch_of(alice, now=NOW, name="one"), ID)
    asked(watch_of(alice, now=NOW, name="two"))
    listing(1, now=NOW)
    text = text_of(hers, ID)
    assert "two Would match No check of this watch has shown it; the last one was 30 s ago." in text
    assert "This search shows new listings about" in text


def test_a_paused_watch_and_one_that_asks_elsewhere_say_so(hers: Client, alice: User) -> None:
    asked(watch_of(alice, now=NOW, name="one"), ID)
    watch_of(alice, now=NOW, name="two", marketplaces=["yahoo_auctions"], paused_at=NOW)
    listing(1, now=NOW)
    assert "two Would match This watch does not ask Mercari. It is paused, so nothing is asked." in text_of(hers, ID)


def test_a_rule_that_cannot_tell_is_unclear(hers: Client, alice: User) -> None:
    asked(watch_of(alice, now=NOW, conditions=["new"]), ID)
    listing(1, now=NOW, condition="unknown")
    assert "Unclear condition not told" in text_of(hers, ID)


def test_one_watch_can_be_chosen_and_a_strangers_is_none(hers: Client, alice: User, bob: User) -> None:
    one, two = (watch_of(alice, now=NOW, name=name) for name in ("one", "two"))
    asked(one, ID)
    listing(1, now=NOW)
    text = text_of(hers, ID, watch=str(two.pk)).partition("What your watches say")[2]
    assert ("two" in text, "one Would" in text) == (True, False)
    theirs = watch_of(bob, now=NOW, name="secret")
    assert "secret" not in text_of(hers, ID, watch=str(theirs.pk))


def test_whether_somebody_else_watches_it_is_never_told(hers: Client, alice: User, bob: User) -> None:
    asked(watch_of(alice, now=NOW))
    unknown = text_of(hers, "m00000000002").replace("m00000000002", "")
    theirs = watch_of(bob, now=NOW)
    match(theirs, 1, now=NOW, listing_looked_at=NOW)
    asked(theirs, ID)
    assert text_of(hers, ID).replace(ID, "") == unknown
    assert "No check of yours has shown this listing." in unknown


def test_what_an_own_check_saw_long_ago_is_known(hers: Client, alice: User) -> None:
    target = asked(watch_of(alice, now=NOW))
    watch_rows.make_checks(target, NOW, ["ok"], trace="mine")
    listing(1, now=NOW, trace="mine")
    assert "Lumina Would match" in text_of(hers, ID)


def test_an_unknown_listing_is_looked_at_for_this_person_alone_and_not_recorded(
    hers: Client, alice: User, bob: User, played: dict[str, Market]
) -> None:
    watch_of(alice, now=NOW, name="cheap", price_max=500)
    for name, path in (("mercari", "/item/{}"), ("yahoo_auctions", "/jp/auction/{}")):
        made = played[name].do("list", title="ルミナ 単品", price=900, visible_in=0)["id"]
        address = played[name].base + path.format(made)
        answer = hers.post(WHY, {"address": address, "watch": ""})
        practice.work()
        html = hers.get(answer["Location"], headers=EN).content.decode()
        text = " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
        assert "ルミナ 単品" in text
        assert "cheap Rejected ¥900 > ¥500" in text
        assert "not recorded" in text
        theirs = Client()
        theirs.force_login(bob)
        assert "単品" not in theirs.get(answer["Location"]).content.decode()
    assert [model.objects.count() for model in (Listing, Target, Check, Match)] == [0, 0, 0, 0]


def test_a_look_at_what_does_not_exist_says_so(hers: Client, alice: User, played: dict[str, Market]) -> None:
    answer = hers.post(WHY, {"address": f"{played['mercari'].base}/item/m99999999999"})
    practice.work()
    assert "does not exist, or no more" in hers.get(answer["Location"], headers=EN).content.decode()


def test_a_known_listing_is_looked_at_as_checks_do(hers: Client, alice: User) -> None:
    asked(watch_of(alice, now=NOW), ID)
    thing = listing(1, now=NOW)
    assert hers.post(WHY, {"address": ID}).status_code == 302
    assert Target.objects.get(kind="listing").listing == thing


def test_a_listing_that_only_others_know_is_not_looked_at_in_their_name(hers: Client, bob: User) -> None:
    match(watch_of(bob, now=NOW), 1, now=NOW)
    hers.post(WHY, {"address": ID})
    assert not Target.objects.filter(kind="listing").exists()


@pytest.mark.parametrize(
    "typed",
    [
        "<script>alert(1)</script>",
        "x" * 10_000,
        "https://example.com/item/m00000000001",
        "\x00",
        "カメラ",
        "m",
        "cameras-and-more",
        "../..",
    ],
)
def test_what_is_no_listing_here_is_said_to_be_none(hers: Client, typed: str) -> None:
    for answer in (hers.get(WHY, {"address": typed}, headers=EN), hers.post(WHY, {"address": typed}, headers=EN)):
        assert answer.status_code == 200
        assert "No marketplace here knows a listing by this" in answer.content.decode()
        assert "<script>alert" not in answer.content.decode()


def test_the_page_takes_the_same_few_queries_however_many_watches(
    hers: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        asked(watch_of(alice, now=NOW, name=f"w{number}"), ID)
    listing(1, now=NOW)
    with django_assert_max_num_queries(12):
        text_of(hers, ID)


def test_the_page_of_a_watch_and_the_empty_feed_lead_there(hers: Client, alice: User) -> None:
    watch = watch_of(alice, now=NOW)
    assert f"{WHY}?watch={watch.pk}" in hers.get(f"/watches/{watch.pk}/").content.decode()
    assert WHY in hers.get("/matches/").content.decode()
