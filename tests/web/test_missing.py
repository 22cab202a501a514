"""The feed says from when to when results were missing, and whether they were caught up on."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.test import Client
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.watches import lapses
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.results import Lapse
from tests.web.test_degraded import notes
from tests.web.watch_rows import make_target, make_watch

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
Keep = Callable[..., None]


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def hers(client: Client, alice: User, redis: Redis) -> Client:
    alice.time_zone = "Asia/Tokyo"
    alice.save()
    client.force_login(alice)
    return client


@pytest.fixture
def keep(redis: Redis) -> Keep:
    def kept(target: Target, since: int, until: int, *, gap: bool = False) -> None:
        """Minutes before now."""
        moments = {"since": NOW - since * MINUTE, "until": NOW - until * MINUTE}
        lapses.keep(redis, [Lapse(target_id=target.pk, gap=gap, **moments)])

    return kept


def watched(user: User, name: str = "Lumina", **changes: Any) -> tuple[Watch, Target]:
    watch = make_watch(user, NOW, name=name, **changes)
    return watch, make_target(watch, NOW)


CAUGHT_UP = "What was listed meanwhile and is still there has been caught up on."


def test_results_that_were_taken_up_again_are_said_to_be_for_some_hours(hers: Client, alice: User, keep: Keep) -> None:
    keep(watched(alice)[1], 58, 29)
    assert notes(hers, "/matches/") == [f"Results of Mercari were missing from 11:02 to 11:31. {CAUGHT_UP}"]
    with time_machine.travel(NOW + 3 * 60 * MINUTE, tick=False):
        assert notes(hers, "/matches/") == []


def test_a_gap_names_the_watches_of_which_more_was_new(hers: Client, alice: User, keep: Keep) -> None:
    for name in ("A & <b>", "B", "C", "D", "whole"):
        keep(watched(alice, name)[1], 30, 29, gap=name != "whole")
    (note,) = notes(hers, "/matches/")
    assert unescape(note) == (
        "Results of Mercari from 11:30 to 11:31 are not whole: more was new than could be read."
        " Watches: A & <b>, B, C and 1 more."
    )
    assert "A &amp; &lt;b&gt;" in hers.get("/matches/").content.decode()


def test_what_overlaps_is_one_stretch_and_an_older_one_gives_way(hers: Client, alice: User, keep: Keep) -> None:
    first, second = watched(alice)[1], watched(alice, "B")[1]
    keep(first, 120, 100)
    keep(first, 60, 40)
    keep(second, 70, 50)
    assert notes(hers, "/matches/") == [f"Results of Mercari were missing from 10:50 to 11:20. {CAUGHT_UP}"]


def test_a_gap_is_not_hidden_behind_a_later_stretch_that_was_caught_up_on(
    hers: Client, alice: User, keep: Keep
) -> None:
    target = watched(alice)[1]
    keep(target, 120, 100, gap=True)
    keep(target, 60, 40)
    (note,) = notes(hers, "/matches/")
    assert note.endswith("not whole: more was new than could be read. Watch: Lumina.")


def test_each_marketplace_has_its_own_line(hers: Client, alice: User, keep: Keep) -> None:
    keep(watched(alice)[1], 60, 40)
    keep(watched(alice, "B", marketplaces=["yahoo_auctions"])[1], 30, 20, gap=True)
    assert [re.sub(r" (from|were).*", "", note) for note in notes(hers, "/matches/")] == [
        "Results of Mercari", "Results of Yahoo! Auctions"
    ]  # fmt: skip


def test_what_was_before_the_watch_of_somebody_else_or_is_paused_is_no_matter(
    hers: Client, alice: User, bob: User, keep: Keep
) -> None:
    keep(watched(bob)[1], 60, 40, gap=True)
    paused, target = watched(alice)
    keep(target, 60, 40, gap=True)
    Watch.objects.filter(pk=paused.pk).update(paused_at=NOW)
    for moment in (None, NOW - 39 * MINUTE):
        watch, target = watched(alice, "began later")
        watch.links.update(baselined_at=moment)
        keep(target, 60, 40, gap=True)
    assert notes(hers, "/matches/") == []


def test_the_page_of_the_watch_says_it_too(hers: Client, alice: User, keep: Keep) -> None:
    watch, target = watched(alice)
    other, _ = watched(alice, "other")
    keep(target, 60, 40, gap=True)
    text = "Results of <b>Mercari</b> from 11:00 to 11:20 are not whole"
    en = {"accept-language": "en"}
    assert text in hers.get(f"/watches/{watch.pk}/", headers=en).content.decode()
    assert text not in hers.get(f"/watches/{other.pk}/", headers=en).content.decode()


def test_pages_ask_for_nothing_more_while_there_is_nothing_to_say_and_never_too_much(
    hers: Client, alice: User, keep: Keep, django_assert_max_num_queries: Any
) -> None:
    targets = [watched(alice, f"watch {number}")[1] for number in range(30)]
    for gap in (None, True):
        for target in targets if gap else ():
            keep(target, 60, 40, gap=True)
        with django_assert_max_num_queries(12 if gap else 11):
            assert len(notes(hers, "/matches/")) == bool(gap)
