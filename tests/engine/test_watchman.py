"""The watchman sees what is wrong with an installation and has people told, with or without a promoter."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from redis.exceptions import RedisError
from structlog.testing import capture_logs

from monitor_site.accounts.models import User
from monitor_site.alerts.models import Alert, TroubleKind
from monitor_site.connections import async_redis_client, key
from monitor_site.engine import machines, troubles, watchman
from monitor_site.engine.heartbeat import PROMOTERS
from monitor_site.engine.lateness import MOST_OVERDUE, behind
from monitor_site.engine.watchman import Watchman, look
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.models import MarketplaceAccount
from tests.waiting import PATIENCE_SECONDS, until
from tests.watches.makers import watch_of

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def server_now(redis: Any) -> datetime:
    seconds, micros = redis.time()
    return datetime.fromtimestamp(seconds + micros / 1e6, tz=UTC)


def promoter_beats(redis: Any, *, ago_seconds: float = 0) -> None:
    at = round((server_now(redis).timestamp() - ago_seconds) * 1000)
    redis.hset(key(PROMOTERS), "p1", f"{at}|{at}|box")


def trip(marketplace: str, seconds: float, reason: str = "blocked") -> None:
    async def tripped() -> None:
        async with async_redis_client() as client:
            await breaker.trip(client, marketplace=marketplace, seconds=seconds, reason=reason)

    asyncio.run(tripped())


def seen(redis: Any) -> dict[tuple[str, str], troubles.Seen]:
    return {one.name: one for one in troubles.seen(redis, now=server_now(redis))}


@pytest.fixture
def well(db: None, redis: Any) -> Any:
    """An installation in which nothing is wrong; its promoter beats, however long a story takes."""
    promoter_beats(redis, ago_seconds=-60)
    return redis


def test_nothing_is_wrong_with_an_installation_that_is_well(well: Any) -> None:
    assert seen(well) == {}


def test_an_open_breaker_is_seen_with_its_reason_and_its_next_try(well: Any) -> None:
    trip("mercari", 600)
    one = seen(well)[TroubleKind.MARKETPLACE, "mercari"]
    assert (one.facts["reason"], one.patience) == ("blocked", timedelta())
    assert one.facts["until"] > server_now(well).isoformat()


def test_one_that_opens_for_a_moment_is_told_of_only_when_it_lasts(well: Any) -> None:
    trip("mercari", 5)
    assert seen(well)[TroubleKind.MARKETPLACE, "mercari"].patience == troubles.STANDS


def test_one_that_is_being_tried_again_is_still_in_trouble(well: Any) -> None:
    past = int(server_now(well).timestamp() * 1000) - 10
    well.hset(breaker.breaker_key("mercari"), mapping={"state": "open", "until": past, "reason": "blocked"})
    assert seen(well)[TroubleKind.MARKETPLACE, "mercari"].facts["until"] is None


@pytest.mark.parametrize(("level", "patience"), [("careful", 5 * MINUTE), ("shedding", MINUTE)])
def test_a_busy_machine_is_seen_and_a_calm_one_is_not(well: Any, level: str, patience: timedelta) -> None:
    at = server_now(well).timestamp()
    told = '{"level": "%s", "cpu": 81.2, "memory": 40.0, "since": 1, "at": ' + str(at) + "}"
    well.hset(key("load"), mapping={"box": told % level, "other": told % "normal"})
    (one,) = seen(well).values()
    assert (one.kind, one.subject, one.patience) == (TroubleKind.MACHINE, "box", patience)
    assert one.facts == {"host": "box", "level": level, "cpu": 81, "memory": 40}
    assert machines.load_state(well) is not None


def test_a_schedule_that_is_far_behind_is_seen_and_a_little_lateness_is_not(well: Any) -> None:
    now_ms = int(server_now(well).timestamp() * 1000)
    well.zadd(key("due", "mercari"), {str(n): now_ms - 2000 for n in range(MOST_OVERDUE)})
    assert seen(well) == {}
    well.zadd(key("due", "mercari"), {"more": now_ms - 2000})
    assert seen(well)[TroubleKind.LATENESS, ""].facts["overdue"] == MOST_OVERDUE + 1


def test_one_search_that_waits_for_long_is_lateness_too(well: Any) -> None:
    now_ms = int(server_now(well).timestamp() * 1000)
    well.zadd(key("due", "mercari"), {"1": now_ms - 31_000})
    facts = seen(well)[TroubleKind.LATENESS, ""].facts
    assert (facts["overdue"], facts["oldest_seconds"] >= 31) == (1, True)


def test_what_waits_behind_an_open_breaker_is_not_late(well: Any) -> None:
    well.zadd(key("due", "mercari"), {"1": int(server_now(well).timestamp() * 1000) - 90_000})
    trip("mercari", 600)
    assert not behind(well).is_bad
    assert set(seen(well)) == {(TroubleKind.MARKETPLACE, "mercari")}


@pytest.mark.django_db
def test_a_promoter_that_is_silent_is_seen_and_so_is_none_at_all(redis: Any) -> None:
    assert (TroubleKind.PROMOTER, "") in seen(redis)
    promoter_beats(redis, ago_seconds=11)
    assert (TroubleKind.PROMOTER, "") in seen(redis)
    redis.hset(key(PROMOTERS), "p2", f"{int(server_now(redis).timestamp() * 1000)}|1|box")
    assert seen(redis) == {}


def paused(now: datetime, *, user: User | None = None, reason: str = "sign_in_needed") -> MarketplaceAccount:
    return MarketplaceAccount.objects.create(
        marketplace="mercari", user=user, paused_until=now + MINUTE, pause_reason=reason, created_at=now, updated_at=now
    )


@pytest.mark.parametrize("reason", ["sign_in_needed", "challenge_required"])
def test_an_account_that_waits_for_a_person_is_seen_until_it_is_resumed(well: Any, alice: User, reason: str) -> None:
    account = paused(server_now(well), user=alice, reason=reason)
    one = seen(well)[TroubleKind.ACCOUNT, str(account.pk)]
    assert (one.user_id, one.facts["reason"]) == (alice.pk, reason)
    MarketplaceAccount.objects.update(paused_until=None, pause_reason="")
    assert seen(well) == {}


def test_that_a_pause_is_over_is_believed_when_the_marketplace_has_answered_since(well: Any) -> None:
    account = paused(server_now(well) - 10 * MINUTE)
    assert (TroubleKind.ACCOUNT, str(account.pk)) in seen(well)
    well.set(breaker.good_key("mercari"), int(server_now(well).timestamp() * 1000))
    assert seen(well) == {}


@pytest.mark.django_db
def test_it_tells_without_any_promoter_and_one_of_several_looks_at_a_time(
    redis: Any, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchman, "SECONDS", 600.0)  # whose turn it is does not end while the story goes on
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    now = server_now(redis)
    looks = []
    for second in (0, 0, 40, 40):
        looks.append(look(redis, now=now + second * SECOND))
        if len(looks) == 2:
            redis.delete(key("watchman"))
    assert looks == [True, False, True, False]
    assert Alert.objects.get().facts["trouble"] == "promoter"


def test_a_person_hears_that_a_breaker_opened_and_that_it_closed(well: Any, alice: User) -> None:
    now = server_now(well)
    watch_of(alice, now)
    trip("mercari", 600)
    assert look(well, now=now)
    breaker.reset(well, marketplace="mercari")
    for minute in range(1, 10):
        promoter_beats(well)
        well.delete(key("watchman"))
        look(well, now=now + minute * MINUTE)
    told = Alert.objects.order_by("pk").values_list("user__username", "facts__trouble", "facts__over")
    assert list(told) == [("alice", "marketplace", False), ("alice", "marketplace", True)]


@pytest.mark.django_db
def test_without_redis_nothing_is_known_and_nothing_is_told_to_be_over(
    well: Any, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = server_now(well)
    watch_of(alice, now)
    trip("mercari", 600)
    look(well, now=now)

    def away(*_names: Any, **_more: Any) -> Any:
        raise RedisError("away")

    monkeypatch.setattr(well, "hgetall", away)
    well.delete(key("watchman"))
    with pytest.raises(RedisError):
        look(well, now=now + 60 * MINUTE)
    assert Alert.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_watchman_goes_on_after_a_look_that_failed_and_ends_when_told(
    redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchman, "SECONDS", 0.01)
    monkeypatch.setattr(watchman, "JOIN_SECONDS", PATIENCE_SECONDS)
    looks: list[float] = []

    def broken(*_args: Any, **_more: Any) -> bool:
        looks.append(time.monotonic())
        raise RedisError("away") if len(looks) == 1 else RuntimeError("our own fault")

    monkeypatch.setattr(watchman, "look", broken)
    with capture_logs():
        watching = Watchman(redis)
        watching.start()
        until(lambda: len(looks) >= 3, what="it looks again")
        watching.stop()
    count = len(looks)
    assert not watching._thread.is_alive()
    assert len(looks) == count
