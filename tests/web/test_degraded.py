"""A marketplace in trouble is one line on every page that it touches."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import redis as redis_library
import time_machine
from django.test import Client
from django.utils import timezone
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.watches.models import Watch
from monitor_site.web.degraded import troubles_of
from tests.web.rows import match
from tests.web.watch_rows import make_target, make_watch


@pytest.fixture
def now() -> Iterator[datetime]:
    """As Redis has it too, and standing still: no minute goes by between what is told and what is read."""
    with time_machine.travel(datetime.now(UTC), tick=False):
        yield datetime.now(UTC)


def stop(redis: Redis, marketplace: str, until: datetime, reason: str = "throttled") -> None:
    facts = {"state": "open", "until": int(until.timestamp() * 1000), "reason": reason}
    redis.hset(breaker_key(marketplace), mapping=facts)


def watched(user: User, now: datetime, **target: object) -> Watch:
    watch = make_watch(user, now, name="Lumina")
    make_target(watch, now, **target)
    return watch


def notes(client: Client, address: str) -> list[str]:
    html = client.get(address, headers={"accept-language": "en"}).content.decode()
    found = re.findall(r'<p class="note[^"]*">.*?<span>(.*?)</span></p>', html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", "", one).split()) for one in found]


def test_one_that_stands_still_says_what_that_does_to_each_page(
    hers: Client, alice: User, redis: Redis, now: datetime
) -> None:
    watch = watched(alice, now, succeeded_at=now - timedelta(minutes=4, seconds=5))
    one = match(watch, 1, now=now)
    stop(redis, "mercari", now + timedelta(minutes=5, seconds=30))
    clock = timezone.localtime(now - timedelta(minutes=4, seconds=5), ZoneInfo(alice.time_zone)).strftime("%H:%M")
    assert notes(hers, "/matches/") == [
        f"Results of Mercari since {clock} are missing (asked to slow down); we try again in 5 min."
    ]
    assert notes(hers, "/auctions/") == [
        "Prices, bids and ends of Mercari are from 4 min ago (asked to slow down); we try again in 5 min."
    ]
    assert notes(hers, f"/listings/{one.listing_id}/") == [
        "What you see of Mercari is from 4 min ago (asked to slow down); we try again in 5 min."
    ]


def test_one_that_never_answered_has_no_age(hers: Client, alice: User, redis: Redis, now: datetime) -> None:
    watched(alice, now, succeeded_at=None)
    stop(redis, "mercari", now + timedelta(minutes=5, seconds=30))
    assert notes(hers, "/auctions/") == [
        "What is new at Mercari comes late (asked to slow down); we try again in 5 min."
    ]


def test_one_where_every_question_fails_again_and_again_is_named_and_a_slip_is_not(
    hers: Client, alice: User, now: datetime
) -> None:
    watch = watched(alice, now, failures=3, last_error="unavailable")
    (note,) = notes(hers, "/matches/")
    assert re.fullmatch(r"Results of Mercari since \d\d:\d\d are missing \(no answer\); we try again soon\.", note)
    make_target(watch, now, failures=2, last_error="unavailable", key="f" * 64)
    assert notes(hers, "/matches/") == []


def test_one_that_is_being_tried_again_is_still_in_trouble(
    hers: Client, alice: User, redis: Redis, now: datetime
) -> None:
    watched(alice, now)
    stop(redis, "mercari", now - timedelta(seconds=1))
    assert [(one.stopped, one.until) for one in troubles_of(alice)] == [(False, None)]


def test_what_one_does_not_watch_or_has_paused_is_no_matter(
    hers: Client, alice: User, bob: User, redis: Redis, now: datetime
) -> None:
    watched(bob, now, failures=9, last_error="blocked")
    Watch.objects.filter(pk=watched(alice, now, key="a" * 64).pk).update(paused_at=now)
    stop(redis, "mercari", now + timedelta(minutes=5))
    stop(redis, "yahoo_auctions", now + timedelta(minutes=5))
    assert notes(hers, "/matches/") == notes(hers, "/auctions/") == []


def test_without_redis_pages_are_there_all_the_same(
    hers: Client, alice: User, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(alice, now)
    away = redis_library.Redis(host="127.0.0.1", port=1, socket_connect_timeout=1)
    for module in ("degraded", "missing"):
        monkeypatch.setattr(f"monitor_site.web.{module}.redis_client", lambda: away)
    for address in ("/matches/", "/auctions/"):
        assert hers.get(address).status_code == 200


def test_one_that_the_operator_paused_names_no_time(hers: Client, alice: User, redis: Redis, now: datetime) -> None:
    watched(alice, now, succeeded_at=None)
    stop(redis, "mercari", now + timedelta(days=3000), reason="paused")
    [note] = notes(hers, "/watches/")
    assert note == (
        "Mercari is not asked at the moment (paused by the operator). 1 watch waits; we try again when the operator "
        "resumes it."
    )
    assert "paused by the operator" in hers.get("/matches/").content.decode()
