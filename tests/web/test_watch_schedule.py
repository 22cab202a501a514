"""The page about when a watch is asked: wished and in fact, why, what comes next, how late it was."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.connections import key, redis_client
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import planned, services
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.planned import Standing
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of
from tests.web.watch_rows import make_checks, make_target, make_watch

EN = {"accept-language": "en"}
SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def page(client: Client, watch: Watch) -> Any:
    answer = client.get(reverse("watch-schedule", args=[watch.pk]), headers=EN)
    assert answer.status_code == 200
    return answer


def text(client: Client, watch: Watch) -> str:
    return str(page(client, watch).content.decode())


def moments(answer: Any) -> list[datetime]:
    return [one.at for one in answer.context["coming"]]


def test_it_names_the_next_ten_checks_an_interval_apart(hers: Client, alice: User) -> None:
    began = timezone.now()
    found = moments(page(hers, watch_of(alice, began, interval_seconds=60)))
    assert len(found) == 10
    assert {later - sooner for sooner, later in pairwise(found)} == {MINUTE}
    assert began - SECOND < found[0] <= timezone.now() + MINUTE


def test_of_a_watch_with_a_cron_they_are_its_times(hers: Client, alice: User) -> None:
    found = moments(page(hers, watch_of(alice, timezone.now(), cron="0 7,19 * * *")))
    assert len(found) == 10
    assert {later - sooner for sooner, later in pairwise(found)} == {12 * HOUR}


def test_of_several_marketplaces_the_times_come_in_order_each_with_its_own(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now(), marketplaces=["mercari", "yahoo_auctions"], interval_seconds=3600)
    answer = page(hers, watch)
    assert moments(answer) == sorted(moments(answer))
    assert {one.marketplace for one in answer.context["coming"]} == {"mercari", "yahoo_auctions"}


def test_of_a_watch_of_one_listing_they_follow_its_hours(hers: Client, alice: User) -> None:
    from monitor_site.watches.services import Wish

    now = timezone.now()
    wish = Wish(
        name="Lens", kind="listing", marketplaces=["mercari"], external_id="m00000000001", fall_percent=10,
        cron="0 7 * * *",
    )  # fmt: skip
    found = moments(page(hers, services.create_watch(user=alice, wish=wish, now=now)))
    assert len(found) == 10
    assert {later - sooner for sooner, later in pairwise(found[1:])} == {DAY}


def test_one_that_is_asked_as_it_wishes_says_so(hers: Client, alice: User) -> None:
    assert "It is asked as it wishes." in text(hers, watch_of(alice, timezone.now()))


def test_the_plan_says_why_it_is_asked_less_often(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now(), interval_seconds=60)
    Target.objects.update(planned_seconds=360, planned_because="shared")
    planned.keep(redis_client(), "mercari", Standing(questions=120, pace=18.0, wished=120.0))
    said = text(hers, watch)
    assert "asked every 6 min: 120 questions share 18 a minute" in said
    assert "It is asked as it wishes." not in said


def test_a_marketplace_that_is_not_asked_says_until_when(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now())
    until = round((timezone.now() + 10 * MINUTE).timestamp() * 1000)
    redis_client().hset(key("breaker", "mercari"), mapping={"state": "open", "until": until, "reason": "blocked"})
    answer = page(hers, watch)
    assert "Mercari is not asked (refused by the marketplace); we try again in" in answer.content.decode()
    assert len(moments(answer)) == 10
    assert min(moments(answer)).timestamp() * 1000 >= until


def test_without_redis_the_page_says_what_the_database_knows(
    hers: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis as redis_library

    def away(*_args: Any, **_more: Any) -> Any:
        raise redis_library.RedisError("away")

    watch = watch_of(alice, timezone.now())
    monkeypatch.setattr("monitor_site.marketplaces.breaker.read_all", away)
    assert len(moments(page(hers, watch))) == 10


def test_failures_say_that_the_next_check_waits_longer_and_no_time_is_named(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now())
    Target.objects.update(failures=3, last_error="unavailable")
    answer = page(hers, watch)
    assert "3 checks in a row have failed; the next waits twice as long each time." in answer.content.decode()
    assert moments(answer) == []


def test_a_marketplace_that_allows_less_says_so(hers: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = watch_of(alice, timezone.now(), interval_seconds=30)
    narrow = replace(catalog().pace("mercari"), floor_seconds=90)
    monkeypatch.setattr(type(catalog()), "pace", lambda _self, _name: narrow)
    assert "Mercari allows a question every 1 min 30 s at the most." in text(hers, watch)


def test_hours_that_are_over_say_when_it_is_asked_again(hers: Client, alice: User) -> None:
    hour = (timezone.localtime(timezone.now()).hour + 21) % 24
    watch = watch_of(alice, timezone.now(), active_from=hour * 60, active_to=hour * 60 + 30)
    watch.links.update(baselined_at=timezone.now())
    assert "Outside its hours and days: Mercari is asked again at" in text(hers, watch)


def test_a_paused_watch_names_no_time(hers: Client, alice: User) -> None:
    watch = watch_of(alice, timezone.now())
    services.pause_watch(watch=watch, now=timezone.now())
    answer = page(hers, watch)
    assert moments(answer) == []
    assert "The watch is paused, so nothing is asked." in answer.content.decode()


def test_lateness_of_a_day_is_its_middle_its_late_ones_and_the_latest(hers: Client, alice: User) -> None:
    now = timezone.now()
    watch = watch_of(alice, now - 2 * DAY)
    for number in range(100):
        at = now - HOUR + number * SECOND
        target = Target.objects.get()
        one = result(target, [sighting()], at=at)
        record([replace(one, lateness_ms=number)], now=at)
    found = page(hers, watch).context["lateness"]
    assert (found.count, found.median, found.p95, found.most) == (100, 50, 95, 99)
    assert len(page(hers, watch).context["runs"]) == 10


def test_older_checks_and_those_before_the_watch_are_nobodys_lateness(hers: Client, alice: User) -> None:
    now = timezone.now()
    watch = make_watch(alice, now, created_at=now - HOUR)
    make_checks(make_target(watch, now), now - 3 * HOUR, ["ok"] * 5)
    answer = page(hers, watch)
    assert answer.context["lateness"] is None
    assert "No check in the last 24 hours." in answer.content.decode()


def test_a_late_check_stands_out_among_the_last(hers: Client, alice: User) -> None:
    now = timezone.now()
    watch = watch_of(alice, now - HOUR)
    record([replace(result(Target.objects.get(), [sighting()], at=now), lateness_ms=2600)], now=now)
    assert "2.6 s late" in text(hers, watch)


def test_it_costs_few_queries_however_many_questions(
    hers: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    watch = watch_of(alice, timezone.now(), any_of=["a", "b", "c", "d", "e"])
    page(hers, watch)
    with django_assert_max_num_queries(32):
        page(hers, watch)


def test_a_stranger_finds_nothing(client: Client, alice: User, bob: User) -> None:
    watch = watch_of(alice, timezone.now())
    client.force_login(bob)
    assert client.get(reverse("watch-schedule", args=[watch.pk])).status_code == 404
