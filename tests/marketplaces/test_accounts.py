"""Asking with the installation's account: read aside of the loop, used in the worker, paused alone."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis as redis_library
import redis.asyncio
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection
from structlog.testing import capture_logs

from monitor_site.contract import (
    ChallengeRequired,
    MarketplaceError,
    NoPace,
    PluginFault,
    SearchCriteria,
    SearchPage,
    Session,
    SignInNeeded,
    Throttled,
)
from monitor_site.marketplaces import accounts as room
from monitor_site.marketplaces import services
from monitor_site.marketplaces.accounts import Accounts
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.pace import pace_key

from .asking import CAMERA, FIRST, page, state
from .keys import CANARY, Keys, account
from .loopback import Loopback, Search, plugin, shelf

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_practice")]

connect = sync_to_async(account)


async def with_token(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
    if session.settings is None:
        raise SignInNeeded("reading needs an account")
    assert isinstance(session.settings, Keys)
    answer = await session.get(f"{session.base}/search", headers={"Authorization": session.settings.token})
    return page(*json.loads(answer.body))


Open = Callable[..., Gateway]


@pytest.fixture
async def opened(aredis: redis.asyncio.Redis) -> AsyncIterator[Open]:
    gateways: list[Gateway] = []

    def gateway(search: Search = with_token, **options: Any) -> Gateway:
        catalog = shelf(plugin(search, settings=Keys))
        gateways.append(Gateway(redis=aredis, catalog=catalog, accounts=Accounts(**options)))
        return gateways[-1]

    yield gateway
    for each in gateways:
        await each.close()


async def search(gateway: Gateway) -> None:
    await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)


def failing_when(told: list[MarketplaceError]) -> Search:
    """Fails with the errors one after the other, then finds something."""

    async def asked(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if told:
            raise told.pop(0)
        return page("b1")

    return asked


async def test_the_plugin_gets_the_open_settings(opened: Open, loopback: Loopback, now: datetime) -> None:
    await connect(now)
    loopback.answer("/search", b'["b1"]')

    await search(opened())

    assert loopback.asked[0].headers["authorization"] == CANARY


async def test_without_an_account_the_plugin_gets_none_and_the_marketplace_waits(
    opened: Open, redis: redis_library.Redis
) -> None:
    with pytest.raises(SignInNeeded, match="needs an account"):
        await search(opened())

    assert state(redis) == ("open", "sign_in_needed")


async def test_an_account_that_was_missing_is_used_as_soon_as_it_is_connected(
    opened: Open, loopback: Loopback, redis: redis_library.Redis, now: datetime
) -> None:
    gateway = opened()
    with pytest.raises(SignInNeeded):
        await search(gateway)
    redis.flushdb()

    await connect(now)
    loopback.answer("/search", b'["b1"]')
    await search(gateway)

    assert loopback.asked[0].headers["authorization"] == CANARY


async def test_a_persons_account_is_not_used_to_read(opened: Open, now: datetime, alice: Any) -> None:
    await connect(now, user=alice)

    with pytest.raises(SignInNeeded, match="needs an account"):
        await search(opened())


async def test_a_plugin_without_settings_costs_no_query(
    aredis: redis.asyncio.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("the database was asked")

    monkeypatch.setattr(room, "_load", never)
    gateway = Gateway(redis=aredis, catalog=shelf(plugin(failing_when([]))))

    await search(gateway)
    await gateway.close()


async def test_the_account_is_read_once_for_many_in_a_thread_and_again_when_it_is_old(
    opened: Open, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connect(now)
    threads: list[str] = []
    load = room._load

    def noting(*args: Any) -> Any:
        threads.append(threading.current_thread().name)
        assert not connection.in_atomic_block
        return load(*args)

    monkeypatch.setattr(room, "_load", noting)
    lasting, forgetful = opened(failing_when([])), opened(failing_when([]), fresh_seconds=-1)

    await asyncio.gather(*(search(lasting) for _ in range(8)))
    assert len(threads) == 1
    for _ in range(2):
        await search(forgetful)

    assert len(threads) == 3
    assert threading.main_thread().name not in threads


async def test_new_secrets_are_used_within_the_time_an_account_is_kept(
    opened: Open, loopback: Loopback, now: datetime
) -> None:
    row = await connect(now)
    loopback.answer("/search", b'["b1"]', set_cookie="who=old")
    gateway = opened(fresh_seconds=-1)
    await search(gateway)

    replace = sync_to_async(services.replace_secrets)
    await replace(account=row, secrets={"token": "newer"}, now=now + timedelta(seconds=1))
    await search(gateway)

    assert loopback.asked[1].headers["authorization"] == "newer"
    assert "cookie" not in loopback.asked[1].headers


@pytest.mark.parametrize("error", [SignInNeeded("401"), ChallengeRequired("prove it", retry_after=60)])
async def test_what_pauses_an_account_leaves_the_marketplace_alone(
    opened: Open, now: datetime, redis: redis_library.Redis, error: MarketplaceError
) -> None:
    row = await connect(now)
    gateway = opened(failing_when([error]), now=lambda: now)

    with pytest.raises(type(error)):
        await search(gateway)

    await row.arefresh_from_db()
    assert (row.paused_until, row.pause_reason) == (now + timedelta(seconds=error.retry_after or 0), error.code)
    assert not redis.exists(breaker_key("bazaar"))


@pytest.mark.parametrize(("asked", "seconds"), [(1e12, 24 * 3600), (-1, 1), (float("nan"), 1)])
async def test_a_pause_is_never_longer_than_a_day_nor_shorter_than_a_second(
    opened: Open, now: datetime, asked: float, seconds: int
) -> None:
    row = await connect(now)

    with pytest.raises(SignInNeeded):
        await search(opened(failing_when([SignInNeeded("401", retry_after=asked)]), now=lambda: now))

    await row.arefresh_from_db()
    assert row.paused_until == now + timedelta(seconds=seconds)


async def test_a_paused_account_asks_nothing_until_its_time_and_no_longer(
    opened: Open, loopback: Loopback, now: datetime
) -> None:
    await connect(now)
    loopback.answer("/search", b'["b1"]')
    clock = [now]
    asked = [SignInNeeded("401")]

    async def first_refused(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if asked:
            raise asked.pop()
        return await with_token(session, criteria, token)

    gateway = opened(first_refused, now=lambda: clock[0])
    with pytest.raises(SignInNeeded, match="401"):
        await search(gateway)
    for _ in range(3):
        with pytest.raises(SignInNeeded, match="paused until"):
            await search(gateway)
    assert not loopback.asked

    clock[0] = now + timedelta(seconds=601)
    await search(gateway)

    assert len(loopback.asked) == 1


async def test_an_account_that_was_paused_by_another_worker_is_left_alone_here_too(opened: Open, now: datetime) -> None:
    row = await connect(now)
    pause = sync_to_async(services.pause_account)
    await pause(account_id=row.pk, until=now + timedelta(hours=1), reason="challenge_required", now=now)

    with pytest.raises(ChallengeRequired, match="paused until"):
        await search(opened(now=lambda: now))


async def test_what_pauses_the_marketplace_does_so_with_an_account_too(
    opened: Open, now: datetime, redis: redis_library.Redis
) -> None:
    row = await connect(now)

    with pytest.raises(Throttled):
        await search(opened(failing_when([Throttled("429")])))

    await row.arefresh_from_db()
    assert (state(redis)[0], row.paused_until) == ("open", None)


async def test_a_database_that_is_away_is_not_held_against_the_marketplace(
    opened: Open, redis: redis_library.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(room, "_load", away)

    with pytest.raises(NoPace, match="could not be read"):
        await search(opened())

    assert not redis.exists(breaker_key("bazaar"))


async def test_reading_with_an_account_takes_from_the_bucket_by_which_the_schedule_leases(
    opened: Open, loopback: Loopback, now: datetime, redis: redis_library.Redis
) -> None:
    await connect(now)
    loopback.answer("/search", b'["b1"]')

    await search(opened())

    assert redis.exists(pace_key("bazaar"))


async def test_a_secret_is_in_no_log_no_error_and_not_in_redis(
    opened: Open, loopback: Loopback, now: datetime, redis: redis_library.Redis
) -> None:
    await connect(now)
    loopback.answer("/search", b"not json", status=500)
    raised: list[BaseException] = []
    sentence = [SignInNeeded("401")]

    async def clumsy(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if not loopback.asked:
            return await with_token(session, criteria, token)
        raise sentence.pop()

    gateway = opened(clumsy)
    with capture_logs() as lines:
        for _ in range(3):
            with pytest.raises(MarketplaceError) as caught:
                await search(gateway)
            raised.append(caught.value)

    seen = [repr(redis.dump(name)) for name in redis.scan_iter()]
    assert len(lines) >= 2
    assert CANARY not in f"{lines} {raised!r} {[each.__cause__ for each in raised]!r} {seen} {vars(gateway)!r}"


async def test_what_one_visit_renews_of_the_installations_account_the_other_reads_instead_of_renewing(
    opened: Open, loopback: Loopback, now: datetime
) -> None:
    renewals: list[str] = []

    async def renews(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        async with session.renewing() as settings:
            assert isinstance(settings, Keys)
            if not settings.second:
                renewals.append("renewed")
                await session.keep_secrets(second="renewed")
        return await with_token(session, criteria, token)

    loopback.answer("/search", b'["b1"]')
    mine = await connect(now)
    await asyncio.gather(*(search(opened(renews)) for _ in range(4)))

    assert renewals == ["renewed"]
    await sync_to_async(mine.refresh_from_db)()
    assert mine.signed_in_at is not None
    assert mine.signed_in_until is None


@pytest.mark.parametrize("until", ["2026-01-01", datetime(2026, 1, 1)])  # noqa: DTZ001  it has no zone on purpose
async def test_an_end_of_a_sign_in_without_a_zone_is_the_plugins_fault(opened: Open, now: datetime, until: Any) -> None:
    async def keeps(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        await session.keep_secrets(until, second="renewed")
        raise AssertionError("it was kept")

    await connect(now)
    with pytest.raises(PluginFault):
        await search(opened(keeps))
