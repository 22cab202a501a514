"""The list of watches."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis as redis_library
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.connections import async_redis_client
from monitor_site.marketplaces import breaker
from monitor_site.watches.models import Target, Watch, WatchTarget
from tests.web.watch_rows import make_match, make_target, make_watch, make_watches

LIST = "/watches/"


@pytest.fixture
def now() -> datetime:
    return timezone.now()


def page(client: Client, query: str = "") -> str:
    answer = client.get(LIST + query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_stranger_is_sent_to_sign_in(client: Client, db: None) -> None:
    answer = client.get(LIST)
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_login"))


def test_without_watches_the_page_offers_the_first_one_with_its_words(hers: Client) -> None:
    text = page(hers)
    assert 'name="words"' in text
    assert f'action="{reverse("watch-new")}"' in text


def test_words_of_the_first_watch_arrive_in_the_form(hers: Client) -> None:
    assert "ルミナ T2" in hers.get(reverse("watch-new"), {"words": "ルミナ T2"}).content.decode()


def test_a_single_watch_shows_its_name_words_price_and_marketplace(hers: Client, alice: User, now: datetime) -> None:
    watch = make_watch(alice, now, name="Lumina", any_of=["帯付き", "帯あり"], none_of=["ジャンク"], price_max=60000)
    make_target(watch, now)
    make_match(watch, now)
    text = page(hers)
    for shown in ("Lumina", "ルミナ 帯付き / 帯あり", "-ジャンク", "¥60,000", "Mercari", "¥5,000"):
        assert shown in text


def test_a_hundred_and_twenty_watches_come_in_pages_of_fifty(hers: Client, alice: User, now: datetime) -> None:
    make_watches(alice, now, 120)
    answers = [hers.get(LIST, {"sort": "name", "page": number}) for number in (1, 2, 3, 4)]
    assert [answer.content.count(b'class="w__name"') for answer in answers] == [50, 50, 20, 0]
    assert [answer.context["older"] for answer in answers] == ["?sort=name&page=2", "?sort=name&page=3", "", ""]
    assert "watch 050" in answers[1].content.decode()


def test_the_whole_page_asks_the_database_as_little_for_thirty_watches_as_for_three(
    hers: Client, alice: User, now: datetime, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    make_watches(alice, now, 30)
    session_user_and_frame, tags, rules = 4, 2, 1
    with django_assert_max_num_queries(8 + session_user_and_frame + tags + rules):
        page(hers)


@pytest.mark.parametrize("query", ["?page=0", "?page=x", "?page=99999999999", "?sort=price", "?state=all", "?q=%00"])
def test_a_query_string_without_sense_shows_the_list(hers: Client, alice: User, now: datetime, query: str) -> None:
    make_watch(alice, now, name="Lumina")
    assert "Lumina" in page(hers, query)


def test_names_with_markup_emoji_and_other_scripts_are_only_text(hers: Client, alice: User, now: datetime) -> None:
    name = '🌸 <script>alert(1)</script> "שלום" \u202eعربي'
    make_target(make_watch(alice, now, name=name, must=["<b>x</b>"]), now, failures=1, last_error="blocked")
    text = page(hers)
    assert "<script>alert" not in text
    assert "<b>x</b>" not in text
    assert "🌸 &lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<bdi>🌸" in text


def test_a_search_without_a_hit_says_so_and_offers_the_way_back(hers: Client, alice: User, now: datetime) -> None:
    make_watch(alice, now, name="Lumina")
    text = page(hers, "?q=nowhere&state=paused")
    assert "Lumina" not in text
    assert "No watch fits these filters." in text
    assert f'href="{LIST}?state=paused"' in text


def test_the_summary_and_the_segments_count_alike(hers: Client, alice: User, now: datetime) -> None:
    make_target(make_watch(alice, now), now)
    make_target(make_watch(alice, now), now, failures=1, last_error="throttled")
    make_watch(alice, now, paused_at=now)
    context = hers.get(LIST).context
    assert [segment.count for segment in context["segments"]] == [3, 1, 1]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("blocked", "refuses to answer us"),
        ("throttled", "asked us to slow down"),
        ("layout_changed", "a form that we cannot read"),
        ("unavailable", "did not answer the last check"),
        ("suspect_empty", "nothing where there are usually results"),
        ("suspect_stale", "nothing new for a while where something new is usual"),
        ("plugin_fault", "the plugin for Mercari failed"),
        ("sign_in_needed", "did not accept our sign-in"),
        ("challenge_required", "wants a person to prove"),
        ("never_heard_of", "the last check failed"),
    ],
)
def test_a_failed_check_is_named_in_a_sentence(
    hers: Client, alice: User, now: datetime, error: str, sentence: str
) -> None:
    make_target(make_watch(alice, now), now, failures=1, last_error=error)
    assert sentence in page(hers)


def test_four_watches_with_a_need_are_named_and_the_others_counted(hers: Client, alice: User, now: datetime) -> None:
    for number in range(6):
        make_target(make_watch(alice, now, name=f"w{number}"), now, failures=1, last_error="unavailable")
    text = page(hers)
    assert text.count("did not answer the last check") == 4
    assert "and 2 more" in text


def test_every_other_need_has_a_sentence_too(hers: Client, alice: User, now: datetime) -> None:
    make_target(make_watch(alice, now, name="a"), now, quarantined_at=now)
    make_target(make_watch(alice, now, name="b"), now, checked_at=now - timedelta(hours=1))
    make_target(make_watch(alice, now, name="c"), now, recent={})
    make_watch(alice, now, name="d", paused_at=now - timedelta(days=40))
    text = page(hers)
    for part in ("out of the schedule", "has not been checked in time", "7 days without any result", "paused since"):
        assert part in text


def test_a_marketplace_that_is_gone_does_not_take_the_list_with_it(hers: Client, alice: User, now: datetime) -> None:
    make_target(make_watch(alice, now, marketplaces=["closed_down"]), now)
    text = page(hers)
    assert "closed_down is not available here" in text


def test_a_marketplace_that_stands_still_is_one_line_for_all_its_watches(
    hers: Client, alice: User, now: datetime, redis: redis_library.Redis
) -> None:
    async def trip() -> None:
        client = async_redis_client()
        await breaker.trip(client, marketplace="mercari", seconds=600, reason="blocked")
        await client.aclose()

    asyncio.run(trip())
    for _ in range(3):
        make_target(make_watch(alice, now), now, failures=1, last_error="blocked")
    text = page(hers)
    assert "3 watches wait" in text
    assert "refuses to answer us" not in text


def test_without_redis_the_list_is_there_all_the_same(
    hers: Client, alice: User, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_target(make_watch(alice, now, name="Lumina"), now)
    away = redis_library.Redis(host="127.0.0.1", port=1, socket_connect_timeout=1)
    monkeypatch.setattr("monitor_site.web.degraded.redis_client", lambda: away)
    assert "Lumina" in page(hers)
    away.close()


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_the_list_speaks_every_language(hers: Client, alice: User, now: datetime, language: str) -> None:
    alice.language = language
    alice.save()
    make_watches(alice, now, 2)
    make_watch(alice, now, paused_at=now)
    make_target(make_watch(alice, now), now, failures=3, last_error="blocked")
    assert page(hers).count('class="w__name"') == 4


def test_an_open_page_asks_only_for_what_changes_by_itself(hers: Client, alice: User, bob: User, now: datetime) -> None:
    mine, foreign = make_watch(alice, now, name="mine"), make_watch(bob, now, name="his")
    text = page(hers, f"?live={mine.pk},{foreign.pk},x,99999999999999999999")
    assert f'hx-target="#c-{mine.pk}"' in text
    assert f"#c-{foreign.pk}" not in text
    assert "<html" not in text


def test_a_row_holds_its_switch_and_its_actions_as_plain_forms(hers: Client, alice: User, now: datetime) -> None:
    watch = make_watch(alice, now)
    text = page(hers)
    for name in ("watch-pause", "watch-check"):
        assert f'<form method="post" action="{reverse(name, args=[watch.pk])}"' in text
    for name in ("watch-edit", "watch-runs", "watch-delete", "watch"):
        assert f'href="{reverse(name, args=[watch.pk])}"' in text


def test_people_who_share_a_question_see_its_health_and_nothing_else_of_each_other(
    hers: Client, alice: User, bob: User, now: datetime
) -> None:
    his = make_watch(bob, now, name="secret of bob")
    target = make_target(his, now, failures=1, last_error="blocked")
    WatchTarget.objects.create(watch=make_watch(alice, now, name="hers"), target=target, began_at=now)
    text = page(hers)
    assert "refuses to answer us" in text
    assert "secret of bob" not in text
    assert (Watch.objects.count(), Target.objects.count()) == (2, 1)
