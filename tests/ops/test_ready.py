"""Whoever probes the installation hears of each part whether it is ready, and why not."""

import re
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import OperationalError
from django.test import Client

from monitor_site import connections
from monitor_site.connections import key
from monitor_site.engine.heartbeat import PROMOTERS
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.ops import ready
from tests.nowhere import closed_port

pytestmark = pytest.mark.django_db


HOUR_MS = 3_600_000


def now_ms(redis: Any) -> int:
    seconds, micros = redis.time()
    return int(seconds) * 1000 + int(micros) // 1000


@pytest.fixture
def running(redis: Any) -> Any:
    """An installation with a promoter and nothing late."""
    redis.hset(key(PROMOTERS), "p1", f"{now_ms(redis) + HOUR_MS}|1|box")
    return redis


def probe(client: Client) -> tuple[int, dict[str, Any]]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()


def wrong(client: Client) -> dict[str, str]:
    status, parts = probe(client)
    assert status == 503
    return {name: part["reason"] for name, part in parts.items() if not part["ready"]}


def test_it_is_ready_with_database_redis_a_promoter_and_checks_on_time(client: Client, running: Any) -> None:
    status, parts = probe(client)
    assert (status, list(parts)) == (200, ["database", "redis", "promoter", "lateness"])
    assert parts["lateness"] == {"ready": True, "reason": "on time"}
    assert all(part["ready"] and part["reason"] for part in parts.values())


def test_without_a_promoter_it_is_not_ready_and_says_since_when(client: Client, redis: Any) -> None:
    assert wrong(client) == {"promoter": "none was ever heard of: nothing is put on the lanes"}
    redis.hset(key(PROMOTERS), "p1", f"{now_ms(redis) - HOUR_MS}|1|box")
    (said,) = wrong(client).values()
    assert re.fullmatch(r"none was heard of for 36\d\d s: nothing is put on the lanes", said)


def test_checks_that_are_far_too_late_make_it_not_ready_and_a_little_lateness_does_not(
    client: Client, running: Any
) -> None:
    running.zadd(key("due", "mercari"), {"1": now_ms(running) - 2_000})
    status, parts = probe(client)
    assert status == 200
    little = r"1 searches are late by over a second, the latest by [12]?\d s"
    assert re.fullmatch(little, parts["lateness"]["reason"])
    running.zadd(key("due", "mercari"), {"1": now_ms(running) - HOUR_MS})
    assert re.search(r"the latest by 36\d\d s; to be borne are 1000, and 30 s", wrong(client)["lateness"])


def test_what_waits_for_a_marketplace_that_is_not_asked_is_not_held_against_us(client: Client, running: Any) -> None:
    running.zadd(key("due", "mercari"), {"1": now_ms(running) - 900_000})
    running.hset(breaker_key("mercari"), mapping={"state": "open", "until": now_ms(running) + HOUR_MS, "reason": "x"})
    assert probe(client)[0] == 200


def test_without_redis_nothing_is_known_of_promoters_and_lateness(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"redis://:secret@127.0.0.1:{closed_port()}/0"
    monkeypatch.setattr(configured, "REDIS_URL", address)
    connections.redis_client.cache_clear()
    found = wrong(client)
    connections.redis_client.cache_clear()
    assert found == {
        "redis": "does not answer",
        "promoter": "not known: Redis does not answer",
        "lateness": "not known: Redis does not answer",
    }


def test_without_the_database_it_is_not_ready_and_gives_no_secret_away(
    client: Client, running: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> float:
        raise OperationalError("connection to postgres://monitor:secret@db.example failed")

    monkeypatch.setattr(ready, "round_trip_ms", away)
    assert wrong(client) == {"database": "does not answer"}
    assert b"secret" not in client.get("/readyz").content


def test_it_only_answers_reading(client: Client, running: Any) -> None:
    assert client.post("/readyz").status_code == 405
