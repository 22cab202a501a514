"""When and how often a watch is asked: typed, refused, shown again, and said in words where the plan differs."""

from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.connections import redis_client
from monitor_site.watches import planned, services
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.planned import Standing
from monitor_site.web import plan_words
from tests.watches.makers import watch_of, wish
from tests.web.test_watch_form import NEW, TYPED, refused
from tests.web.test_watch_rules import folds

WHEN: dict[str, Any] = {
    "active_from": "22:00",
    "active_to": "02:30",
    "weekdays": ["0", "4"],
    "jitter": "on",
    "adaptive": "on",
}
EN = {"accept-language": "en"}


def plan_it(watch: Watch, because: str, seconds: int = 360) -> str:
    """The address of a watch whose question is planned so."""
    Target.objects.filter(links__watch=watch).update(planned_seconds=seconds, planned_because=because)
    return reverse("watch", args=[watch.pk])


def test_hours_and_days_that_are_typed_arrive(hers: Client) -> None:
    assert hers.post(NEW, TYPED | WHEN).status_code == 302
    watch = Watch.objects.get()
    assert (watch.active_from, watch.active_to, watch.weekdays) == (1320, 150, [0, 4])
    assert (watch.jitter, watch.adaptive, watch.cron) == (True, True, "")


def test_a_cron_arrives_with_its_own_interval(hers: Client) -> None:
    hers.post(NEW, TYPED | {"cron": "0 7,19 * * mon-fri"})
    assert Watch.objects.values_list("cron", "interval_seconds").get() == ("0 7,19 * * mon-fri", 12 * 3600)


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"active_from": "25:00"}, "active_from", ""),
        ({"active_from": "noon"}, "active_from", ""),
        ({"active_from": "09:00"}, "active_to", "both times"),
        ({"active_from": "09:00", "active_to": "09:00"}, "active_to", "the same"),
        ({"weekdays": ["7"]}, "weekdays", ""),
        ({"weekdays": ["monday"]}, "weekdays", ""),
        ({"cron": "every day"}, "cron", "five columns"),
        ({"cron": "x" * 300}, "cron", ""),
        ({"cron": "0 9 * * *", "adaptive": "on"}, "adaptive", "interval"),
        ({"cron": "0 9 * * *", "active_from": "10:00", "active_to": "11:00"}, "cron", "None of these times"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_its_section_is_unfolded(
    hers: Client, changes: dict[str, Any], field: str, words: str
) -> None:
    answer = hers.post(NEW, TYPED | changes, headers=EN)
    assert words in refused(answer, field)
    assert folds(answer.content.decode())["When"][0]


def test_the_form_shows_again_what_was_saved_and_sums_it_up(hers: Client) -> None:
    hers.post(NEW, TYPED | WHEN)
    text = hers.get(reverse("watch-edit", args=[Watch.objects.get().pk]), headers=EN).content.decode()
    assert 'value="22:00"' in text
    assert 'value="02:30"' in text
    assert folds(text)["When"][1] == "22:00–02:30 · Mon, Fri · a little irregularly · as often as it is worth"


def test_the_page_of_a_watch_says_when_it_is_asked(hers: Client) -> None:
    hers.post(NEW, TYPED | {"cron": "0 7 * * *"})
    text = hers.get(reverse("watch", args=[Watch.objects.get().pk]), headers=EN).content.decode()
    assert "at times: 0 7 * * *" in text


def test_its_history_says_what_changed_in_words(hers: Client, alice: User, now: datetime) -> None:
    watch = watch_of(alice, now)
    services.change_watch(watch=watch, wish=wish(active_from=480, active_to=1380, weekdays=[5, 6]), now=now)
    text = hers.get(reverse("watch-history", args=[watch.pk]), headers=EN).content.decode()
    for words in ("08:00", "23:00", "Saturday", "Sunday", "Checks from"):
        assert words in text


def test_a_copy_keeps_the_times(hers: Client, alice: User, now: datetime) -> None:
    watch = watch_of(alice, now, active_from=480, active_to=1380)
    copy = services.copy_watch(watch=watch, now=now)
    assert (copy.active_from, copy.active_to) == (480, 1380)


@pytest.mark.parametrize(
    ("because", "words"),
    [
        ("shared", "asked every 6 min: 120 questions share 18 a minute"),
        ("giving", "asked every 6 min: something new keeps coming"),
        ("silent", "asked every 6 min: nothing new for a while"),
        ("load", "asked every 6 min: this machine is busy"),
    ],
)
def test_list_and_page_say_how_often_it_is_asked_in_fact_and_why(
    hers: Client, alice: User, because: str, words: str
) -> None:
    watch = watch_of(alice, timezone.now(), interval_seconds=60)
    address = plan_it(watch, because)
    planned.keep(redis_client(), "mercari", Standing(questions=120, pace=18.0, wished=120.0))
    for place in (address, reverse("watches")):
        assert words in hers.get(place, headers=EN).content.decode()


def test_a_watch_that_is_asked_as_it_wishes_says_nothing_of_a_plan(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now())
    assert "asked every" not in hers.get(reverse("watch", args=[watch.pk]), headers=EN).content.decode()


def test_a_paused_watch_says_nothing_of_a_plan(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now())
    address = plan_it(watch, "shared")
    services.pause_watch(watch=watch, now=timezone.now())
    assert "asked every" not in hers.get(address, headers=EN).content.decode()


def test_of_several_marketplaces_the_one_is_named_that_is_asked_otherwise(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now(), marketplaces=["mercari", "yahoo_auctions"])
    Target.objects.filter(marketplace="mercari").update(planned_seconds=360, planned_because="load")
    text = hers.get(reverse("watch", args=[watch.pk]), headers=EN).content.decode()
    assert "Mercari: asked every 6 min: this machine is busy" in text


def test_without_redis_the_reason_stands_there_without_figures(
    hers: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis as redis_library

    watch = watch_of(alice, timezone.now())
    address = plan_it(watch, "shared")
    away = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr(plan_words, "redis_client", lambda: away)
    assert "asked every 6 min: many questions share what may be asked" in hers.get(address, headers=EN).content.decode()


@pytest.mark.parametrize("language", ["zh-hans", "ja"])
def test_the_reason_is_told_in_the_readers_language(hers: Client, alice: User, language: str) -> None:
    watch = watch_of(alice, timezone.now())
    address = plan_it(watch, "shared")
    planned.keep(redis_client(), "mercari", Standing(questions=120, pace=18.0, wished=120.0))
    text = hers.get(address, headers={"accept-language": language}).content.decode()
    assert "asked every" not in text
    assert "120" in text


def test_a_stranger_learns_nothing_of_times_or_plan(hers: Client, bob: User) -> None:
    watch = watch_of(bob, timezone.now(), active_from=480, active_to=1380)
    address = plan_it(watch, "shared")
    assert hers.get(address).status_code == 404
    assert hers.post(reverse("watch-edit", args=[watch.pk]), TYPED | WHEN).status_code == 404
    assert Watch.objects.get().weekdays == []
