"""A marketplace in trouble is left alone, tried carefully, and asked again when it answers."""

import asyncio
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
import redis as redis_library
import redis.asyncio
from django.core.management import CommandError, call_command
from structlog.testing import capture_logs

from monitor_site.marketplaces.breaker import (
    SLOT_MS,
    SLOTS,
    breaker_key,
    last_successes,
    note,
    read_all,
    reset,
    tally_key,
    trip,
)


async def test_a_breaker_nobody_tripped_is_closed(redis: redis_library.Redis) -> None:
    assert read_all(redis, ["bazaar"]) == {"bazaar": {"state": "closed", "until": None, "reason": ""}}


async def test_tripped_it_is_open_until_a_moment_of_the_servers_clock(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await trip(aredis, marketplace="bazaar", seconds=90, reason="throttled")

    row = fields(redis)
    assert (row["state"], row["reason"]) == ("open", "throttled")
    assert int(row["until"]) - int(row["opened"]) == 90_000
    view = read_all(redis, ["bazaar", "flea"])
    assert (view["bazaar"]["state"], view["flea"]["state"]) == ("open", "closed")
    assert str(view["bazaar"]["until"]).endswith("+00:00")


@pytest.mark.parametrize(
    ("asked", "gets"),
    [(None, 60), (-5, 1), (0, 1), (float("nan"), 1), (5, 5), (7200, 7200), (1e12, 86_400), (float("inf"), 86_400)],
)
async def test_however_long_it_is_told_to_wait_the_wait_stays_sensible(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis, asked: float | None, gets: int
) -> None:
    await trip(aredis, marketplace="bazaar", seconds=asked, reason="throttled")

    assert length_ms(redis) == gets * 1000


async def test_a_second_trip_prolongs_and_never_shortens(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await trip(aredis, marketplace="bazaar", seconds=600, reason="blocked")
    first = fields(redis)

    await trip(aredis, marketplace="bazaar", seconds=60, reason="throttled")
    assert fields(redis) == first

    await trip(aredis, marketplace="bazaar", seconds=1200, reason="blocked")
    assert int(fields(redis)["until"]) > int(first["until"])
    assert fields(redis)["opened"] == first["opened"]


async def test_after_its_time_it_is_half_open(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    await trip(aredis, marketplace="bazaar", seconds=60, reason="throttled")

    let_time_pass(redis)

    assert read_all(redis, ["bazaar"])["bazaar"]["state"] == "half_open"


async def test_half_open_a_success_closes_it(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    await trip(aredis, marketplace="bazaar", seconds=60, reason="throttled")
    let_time_pass(redis)

    await note(aredis, marketplace="bazaar", ok=True)

    assert not redis.exists(breaker_key("bazaar"), tally_key("bazaar"))


async def test_open_a_late_success_from_before_closes_nothing(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await trip(aredis, marketplace="bazaar", seconds=60, reason="throttled")

    await note(aredis, marketplace="bazaar", ok=True)
    await note(aredis, marketplace="bazaar", ok=False)

    assert fields(redis)["state"] == "open"
    assert length_ms(redis) == 60_000


async def test_half_open_each_failure_doubles_the_wait_up_to_half_an_hour(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await trip(aredis, marketplace="bazaar", seconds=60, reason="failing")
    waits = []
    for _ in range(7):
        let_time_pass(redis)
        await note(aredis, marketplace="bazaar", ok=False)
        waits.append(length_ms(redis) // 1000)

    assert waits == [120, 240, 480, 960, 1800, 1800, 1800]


async def test_half_open_the_marketplaces_own_wish_counts_when_it_is_longer(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await trip(aredis, marketplace="bazaar", seconds=60, reason="throttled")
    let_time_pass(redis)

    await trip(aredis, marketplace="bazaar", seconds=7200, reason="throttled")

    assert length_ms(redis) == 7_200_000


async def test_half_open_the_marketplaces_own_wait_is_kept_to_exactly_once(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await trip(aredis, marketplace="bazaar", seconds=60, reason="failing")
    for seconds in (7, 14, 28):
        redis.hset(breaker_key("bazaar"), "until", 1)
        await trip(aredis, marketplace="bazaar", seconds=7, reason="throttled", exact=True)
        assert int(redis.hget(breaker_key("bazaar"), "length") or 0) == seconds * 1000


async def test_half_of_ten_failing_opens_it_for_a_minute(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await notes(aredis, ok=5, failed=4)
    assert not redis.exists(breaker_key("bazaar"))

    await notes(aredis, failed=1)

    assert fields(redis)["reason"] == "failing"
    assert length_ms(redis) == 60_000


async def test_a_few_failures_among_many_successes_open_nothing(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await notes(aredis, ok=20, failed=19)

    assert not redis.exists(breaker_key("bazaar"))


async def test_nine_failures_are_too_few_to_judge(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    await notes(aredis, failed=9)

    assert not redis.exists(breaker_key("bazaar"))


async def test_what_happened_more_than_a_minute_ago_is_forgotten(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await notes(aredis, failed=9)
    slot = redis.time()[0] * 1000 // SLOT_MS
    for place in range(SLOTS):
        redis.hset(tally_key("bazaar"), f"n{place}", slot - SLOTS - place)

    await notes(aredis, failed=9)

    assert not redis.exists(breaker_key("bazaar"))
    assert redis.pttl(tally_key("bazaar")) <= SLOTS * SLOT_MS


async def test_failures_of_neighbouring_slots_count_together(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    slot = redis.time()[0] * 1000 // SLOT_MS
    place = (slot - 2) % SLOTS
    redis.hset(tally_key("bazaar"), mapping={f"n{place}": slot - 2, f"ok{place}": 0, f"failed{place}": 9})

    await notes(aredis, failed=1)

    assert fields(redis)["state"] == "open"


async def test_an_outage_starts_with_a_clean_tally_when_it_is_over(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await notes(aredis, failed=10)
    let_time_pass(redis)
    await notes(aredis, ok=1, failed=1)

    assert not redis.exists(breaker_key("bazaar"))


async def test_an_operator_closes_it_at_once(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    await trip(aredis, marketplace="bazaar", seconds=600, reason="blocked")

    assert reset(redis, marketplace="bazaar")
    assert not reset(redis, marketplace="bazaar")

    assert read_all(redis, ["bazaar"])["bazaar"]["state"] == "closed"


async def test_the_last_success_is_remembered_and_a_failure_does_not_change_it(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await note(aredis, marketplace="bazaar", ok=False)
    assert last_successes(redis, ["bazaar"]) == {"bazaar": None}

    await note(aredis, marketplace="bazaar", ok=True)
    before = last_successes(redis, ["bazaar"])["bazaar"]
    await trip(aredis, marketplace="bazaar", seconds=60, reason="blocked")
    await note(aredis, marketplace="bazaar", ok=False)

    assert before is not None
    assert abs(before.timestamp() - redis.time()[0]) < 60
    assert last_successes(redis, ["bazaar", "flea"]) == {"bazaar": before, "flea": None}


async def test_the_log_hears_of_an_outage_when_it_begins_and_when_it_ends(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    with capture_logs() as lines:
        for _ in range(5):
            await trip(aredis, marketplace="bazaar", seconds=60, reason="throttled")
        let_time_pass(redis)
        await note(aredis, marketplace="bazaar", ok=False)
        let_time_pass(redis)
        await notes(aredis, ok=3)

    assert [(line["event"], line["marketplace"]) for line in lines] == [
        ("breaker.opened", "bazaar"),
        ("breaker.closed", "bazaar"),
    ]
    assert (lines[0]["reason"], lines[0]["seconds"]) == ("throttled", 60)


def fields(redis: redis_library.Redis) -> dict[str, Any]:
    return {name.decode(): value.decode() for name, value in redis.hgetall(breaker_key("bazaar")).items()}


def length_ms(redis: redis_library.Redis) -> int:
    return int(fields(redis)["length"])


def let_time_pass(redis: redis_library.Redis) -> None:
    redis.hset(breaker_key("bazaar"), "until", redis.time()[0] * 1000 - 1)


async def notes(aredis: redis.asyncio.Redis, *, ok: int = 0, failed: int = 0) -> None:
    for kept in in_turn(ok, failed):
        await note(aredis, marketplace="bazaar", ok=kept)


def in_turn(ok: int, failed: int) -> Iterator[bool]:
    yield from [True] * ok
    yield from [False] * failed


async def test_an_operator_closes_it_by_command(aredis: redis.asyncio.Redis, redis: redis_library.Redis) -> None:
    await trip(aredis, marketplace="mercari", seconds=600, reason="blocked")
    for told in ("mercari is asked again.", "mercari was not stopped."):
        out = StringIO()
        await asyncio.to_thread(call_command, "reset_breaker", "mercari", stdout=out)
        assert out.getvalue().strip() == told
    assert read_all(redis, ["mercari"])["mercari"]["state"] == "closed"


def test_the_command_names_what_there_is() -> None:
    with pytest.raises(CommandError, match="mercari, yahoo_auctions"):
        call_command("reset_breaker", "bazaar")


async def test_a_marketplace_that_answers_is_not_called_stopped(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    await note(aredis, marketplace="bazaar", ok=True)

    assert reset(redis, marketplace="bazaar") is False
    await trip(aredis, marketplace="bazaar", seconds=60, reason="throttled")
    assert reset(redis, marketplace="bazaar") is True
