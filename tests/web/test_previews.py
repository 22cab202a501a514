"""The preview beside the form of a watch, over both practice markets."""

import json
import re
import time
from html import unescape
from typing import Any

import pytest
import redis as redis_library
from django.test import Client
from django.utils import timezone
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from monitor_site.accounts.models import User
from monitor_site.connections import key
from monitor_site.engine import jobs
from monitor_site.marketplaces import breaker
from monitor_site.watches import asking
from monitor_site.watches.asking import Answer
from monitor_site.watches.blocking import block_phrase
from monitor_site.watches.models import Check, Listing, Match, Target, Watch
from monitor_site.web import previews
from tests import practice
from tests.plugins.standins import Market
from tests.watches.makers import sighting
from tests.web.rows import watch_of

pytestmark = pytest.mark.django_db(transaction=True)
BEGIN = "/watches/preview/"
TYPED: dict[str, Any] = {
    "must": "試写",
    "marketplaces": ["mercari", "yahoo_auctions"],
    "shipping": "any",
    "pace": "normal",
}
PART = {"HX-Request": "true"}
EN = {"accept-language": "en"}


def begin(client: Client, typed: dict[str, Any], **query: str) -> str:
    """Type this; returns the part of the page that answers."""
    answer = client.post(BEGIN, typed, query_params=query, headers=PART | {"accept-language": "en"})
    assert answer.status_code == 200
    return answer.content.decode()


def where(part: str) -> str:
    """The address at which the rest appears."""
    found = re.search(r'hx-get="(/watches/preview/[\w-]+/)"', part)
    assert found, part
    return found[1]


def text_of(client: Client, address: str) -> str:
    answer = client.get(address, headers=PART | {"accept-language": "en"})
    assert answer.status_code == 200
    return words(answer.content.decode())


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def groups(client: Client, address: str) -> dict[str, list[str]]:
    """Group → titles."""
    html = client.get(address, headers=PART | {"accept-language": "en"}).content.decode()
    found = re.findall(r"<summary>(.*?) <span.*?</summary>(.*?)</details>", html, re.DOTALL)
    return {
        name: [words(title) for title in re.findall(r'<a class="w__name".*?</a>', inside)] for name, inside in found
    }


def waiting(redis: Redis) -> int:
    return len(Queue("express", connection=redis, serializer=JSONSerializer))


def put(market: Market, *titles: str, **more: Any) -> None:
    for title in titles:
        market.do("list", title=title, visible_in=0, **{"price": 1_000} | more)


def test_what_the_marketplaces_show_now_is_sorted_by_the_rule(hers: Client, played: dict[str, Market]) -> None:
    put(played["mercari"], "試写 鏡", "試写 鏡 ジャンク")
    put(played["mercari"], "試写 高い鏡", price=90_000)
    put(played["yahoo_auctions"], "試写 の 台")
    part = begin(hers, TYPED | {"must": "試写", "none_of": "ジャンク", "price_max": "50000"})
    assert "is being asked" in words(part)
    practice.work()
    found = groups(hers, where(part))
    assert {"試写 鏡", "試写 の 台"} <= set(found["Would match"])
    text = text_of(hers, where(part))
    assert "unwanted: ジャンク" in text
    assert "¥90,000 > ¥50,000" in text
    assert re.search(r"Mercari \d+ listings", text)
    assert re.search(r"fetched \d+ on sale \d+ all words \d+ unwanted words \d+ price \d+", text)
    assert "hx-get" not in hers.get(where(part), headers=PART).content.decode()


def test_what_a_person_blocks_is_rejected_for_her_and_for_nobody_else(
    hers: Client, alice: User, bob: User, played: dict[str, Market]
) -> None:
    put(played["mercari"], "遮断 鏡", "遮断 鏡 レプリカ")
    block_phrase(user=alice, phrase="レプリカ", now=timezone.now())
    typed = TYPED | {"must": "遮断", "marketplaces": ["mercari"]}
    part = begin(hers, typed)
    practice.work()
    found = groups(hers, where(part))
    assert "遮断 鏡" in found["Would match"]
    assert found["Would be rejected"] == ["遮断 鏡 レプリカ"]
    hers.force_login(bob)
    part = begin(hers, typed)
    practice.work()
    assert "遮断 鏡 レプリカ" in groups(hers, where(part))["Would match"]


def test_nothing_of_a_preview_is_recorded(hers: Client, played: dict[str, Market]) -> None:
    part = begin(hers, TYPED)
    practice.work()
    assert "Would match" in text_of(hers, where(part))
    assert [model.objects.count() for model in (Watch, Target, Check, Listing, Match)] == [0, 0, 0, 0, 0]


def test_changing_a_limit_asks_nothing_again(hers: Client, played: dict[str, Market], redis: Redis) -> None:
    put(played["mercari"], "二度目 の 品", price=5_000)
    typed = TYPED | {"must": "二度目", "marketplaces": ["mercari"]}
    begin(hers, typed)
    practice.work()
    asked = played["mercari"].look("asked")["二度目"]["times"]
    part = begin(hers, typed | {"price_max": "4000"})
    assert waiting(redis) == 0
    assert "¥5,000 > ¥4,000" in words(part)
    assert played["mercari"].look("asked")["二度目"]["times"] == asked


def test_a_condition_that_results_do_not_tell_is_unclear_until_a_look(hers: Client, played: dict[str, Market]) -> None:
    put(played["yahoo_auctions"], "不明 の 台")
    part = begin(hers, TYPED | {"must": "不明", "marketplaces": ["yahoo_auctions"], "conditions": ["new"]})
    practice.work()
    text = text_of(hers, where(part))
    assert "condition not told" in text
    assert "It is decided after one look at the listing." in text
    assert "不明 の 台" in groups(hers, where(part))["Unclear"]


def test_one_marketplace_that_is_stopped_does_not_hold_up_the_other(
    hers: Client, played: dict[str, Market], redis: Redis
) -> None:
    until = int(time.time() * 1000) + 600_000
    redis.hset(breaker.breaker_key("mercari"), mapping={"state": "open", "until": until, "reason": "blocked"})
    part = begin(hers, TYPED)
    practice.work()
    text = text_of(hers, where(part))
    assert re.search(r"Mercari not asked until .{4,9}: refused by the marketplace", text)
    assert re.search(r"Yahoo! Auctions \d+ listings?", text)


def test_a_marketplace_that_fails_says_so_in_words(hers: Client, played: dict[str, Market]) -> None:
    played["mercari"].do("faults", kind="block403", route="search")
    part = begin(hers, TYPED | {"must": "断り"})
    practice.work()
    assert "Mercari refused by the marketplace" in text_of(hers, where(part))


def test_without_script_it_is_a_page_of_its_own(hers: Client, played: dict[str, Market]) -> None:
    answer = hers.post(BEGIN, TYPED)
    assert answer.status_code == 302
    practice.work()
    page = hers.get(answer["Location"], headers={"accept-language": "en"})
    assert page.status_code == 200
    assert "Would match" in words(page.content.decode())


def test_to_a_stranger_a_preview_does_not_exist(hers: Client, bob: User, played: dict[str, Market]) -> None:
    address = where(begin(hers, TYPED))
    theirs = Client()
    theirs.force_login(bob)
    assert theirs.get(address).status_code == 404
    begin(theirs, TYPED)
    assert theirs.get(address).status_code == 404
    assert hers.get(address).status_code == 200


def test_somebody_elses_watch_cannot_be_previewed(hers: Client, bob: User, now: Any) -> None:
    theirs = watch_of(bob, now=now)
    assert hers.post(BEGIN, TYPED, query_params={"watch": str(theirs.pk)}, headers=PART).status_code == 404


def test_a_newer_preview_drops_the_older_one(hers: Client, played: dict[str, Market]) -> None:
    older = where(begin(hers, TYPED | {"must": "古い方"}))
    newer = where(begin(hers, TYPED | {"must": "新しい方"}))
    practice.work()
    assert hers.get(older).status_code == 404
    assert hers.get(newer).status_code == 200
    asked = [market.look("asked") for market in played.values()]
    assert not [one for one in asked if "古い方" in one]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"must": ""}, "at least one word"),
        ({"marketplaces": []}, "at least one marketplace"),
        ({"price_min": "9", "price_max": "3"}, "The lowest price is above the highest price"),
        ({"must": "x" * 10_000}, "2000"),
        ({"price_max": "<script>alert(1)</script>"}, "whole number of yen"),
        ({"must": "\x00"}, "null characters"),
    ],
)
def test_what_cannot_be_asked_yet_says_why_and_asks_nothing(
    hers: Client, redis: Redis, typed: dict[str, Any], sentence: str
) -> None:
    part = begin(hers, TYPED | typed)
    assert sentence.lower() in part.lower()
    assert "<script>" not in part
    assert waiting(redis) == 0


def test_a_name_or_an_interval_that_is_wrong_as_yet_does_not_matter(hers: Client, redis: Redis) -> None:
    part = begin(hers, TYPED | {"name": "x" * 500, "pace": "custom", "interval_seconds": "soon"})
    assert "is being asked" in words(part)


def test_markup_in_a_title_stays_text(hers: Client, alice: User, redis: Redis) -> None:
    part = begin(hers, TYPED | {"must": "カメラ", "marketplaces": ["mercari"]})
    want = asking.wanted(redis, user_id=alice.pk, slot=asking.SEARCHES)
    assert want
    evil = sighting(1, title="カメラ <img src=x onerror=alert(1)>")
    asking.keep(redis, user_id=alice.pk, key=want.questions[0].key, answer=Answer(state="found", sightings=[evil]))
    html = hers.get(where(part)).content.decode()
    assert "&lt;img" in html
    assert "<img src=x" not in html


def test_the_cost_and_what_is_known_are_told_at_once(hers: Client, redis: Redis, now: Any) -> None:
    text = words(begin(hers, TYPED | {"marketplaces": ["mercari"], "any_of": "a, b, c"}))
    assert "Mercari: 3 questions, 3 new; every 1 min: 3 of 20 a minute." in text
    assert "Nothing was seen at these marketplaces in the past 7 days." in text


def test_asking_for_more_than_the_pace_allows_is_a_warning(hers: Client, redis: Redis) -> None:
    typed = {"marketplaces": ["mercari"], "any_of": "a, b, c", "pace": "fastest"}
    text = words(begin(hers, TYPED | typed))
    assert "all questions together want 36 a minute. This one is asked every 10 s: 3 questions share 18 a" in text


def test_an_edited_watch_is_previewed_under_what_is_typed_now(
    hers: Client, alice: User, redis: Redis, now: Any
) -> None:
    watch = watch_of(alice, now=now)
    part = begin(hers, TYPED | {"must": "別の言葉"}, watch=str(watch.pk))
    want = asking.wanted(redis, user_id=alice.pk, slot=asking.SEARCHES)
    assert want
    assert {json.loads(one.criteria)["keyword"] for one in want.questions} == {"別の言葉"}
    assert hers.get(where(part)).status_code == 200
    watch.refresh_from_db()
    assert watch.must == ["ルミナ"]


def test_without_redis_the_form_still_saves_and_the_preview_says_that_it_cannot(
    client: Client, alice: User, monkeypatch: Any
) -> None:
    client.force_login(alice)
    away = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr(previews, "redis_client", lambda: away)
    assert "The preview does not work at the moment" in begin(client, TYPED)
    assert "The preview does not work at the moment" in client.get(f"{BEGIN}x/", headers=EN).content.decode()


def test_polling_costs_few_queries(hers: Client, redis: Redis, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(8):
        part = begin(hers, TYPED)
    with django_assert_max_num_queries(4):
        hers.get(where(part), headers=PART)


def test_the_answers_are_the_persons_own_and_do_not_last(
    hers: Client, alice: User, played: dict[str, Market], redis: Redis
) -> None:
    begin(hers, TYPED | {"marketplaces": ["mercari"]})
    practice.work()
    kept = list(redis.scan_iter(f"{key('preview', alice.pk)}:*"))
    assert len(kept) == 2
    assert all(0 < redis.ttl(name) <= asking.WANTED_SECONDS for name in kept)


def test_the_form_has_the_preview_beside_it(hers: Client, redis: Redis) -> None:
    html = hers.get("/watches/new/").content.decode()
    assert 'hx-post="/watches/preview/"' in html
    assert 'formaction="/watches/preview/"' in html


def test_the_job_of_a_preview_is_one_that_lanes_may_run(redis: Redis, alice: User, hers: Client) -> None:
    begin(hers, TYPED)
    queue = Queue("express", connection=redis, serializer=JSONSerializer)
    assert {job.func_name for job in queue.jobs} <= jobs.ALLOWED
