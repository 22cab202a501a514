import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis as redis_library
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connections
from django.test import AsyncClient, Client
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.connections import redis_client
from monitor_site.outbox import stream
from monitor_site.watches.models import Check, MatchState, Target, WatchTarget
from monitor_site.web import live, live_figures, live_hub
from monitor_site.web.freshness import freshness_of
from monitor_site.web.live_listener import QUEUE, Listener
from monitor_site.web.live_wire import Page, order, reaches_back
from tests.nowhere import closed_port
from tests.waiting import PATIENCE_SECONDS
from tests.web.rows import match, watch_of

pytestmark = pytest.mark.django_db(transaction=True)

Message = dict[str, Any]


@pytest.fixture
async def page(alice: User) -> AsyncIterator[AsyncClient]:
    client = AsyncClient()
    await client.aforce_login(alice)
    yield client
    await sync_to_async(connections.close_all)()


def parsed(text: str) -> list[Message]:
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "data" in fields:
            data = fields["data"]
            found.append(fields | {"data": json.loads(data) if data.startswith("{") else data})
    return found


@asynccontextmanager
async def listening(client: AsyncClient, *, after: str = "", last: str = "", name: str = "") -> AsyncIterator[Any]:
    headers = {"last-event-id": last} if last else {}
    answer = await client.get("/events/", {"after": after, "page": name}, headers=headers)
    source = aiter(answer)

    async def until(*names: str) -> list[Message]:
        heard: list[Message] = []
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not set(names) <= {message.get("event", "") for message in heard}:
                heard += parsed((await anext(source)).decode())
        return heard

    until.answer = answer  # type: ignore[attr-defined]
    try:
        yield until
    finally:
        await answer._iterator.aclose()


def named(messages: list[Message], name: str) -> list[Message]:
    return [message for message in messages if message.get("event") == name]


def append(redis: redis_library.Redis, user: User, *, event: str = "match", watch: int = 1) -> str:
    stream.append(
        redis, user_id=user.pk, event=event, data={"watch": watch} | ({"match": 1} if event == "match" else {})
    )
    return stream.cursor(redis, user_id=user.pk)


async def test_a_page_hears_at_once_that_it_is_live_and_how_fresh_it_is(
    page: AsyncClient, redis: redis_library.Redis
) -> None:
    async with listening(page) as until:
        assert until.answer["Content-Type"].startswith("text/event-stream")
        assert until.answer["Cache-Control"] == "no-store"
        assert until.answer["X-Accel-Buffering"] == "no"
        heard = await until("ping")
        assert heard[0]["event"] == "hello"
        assert heard[0]["retry"] == "500"
        (ping,) = named(heard, "ping")
        assert set(ping["data"]) == {"t", "found", "late", "age"}


async def test_what_happened_between_rendering_and_connecting_is_told(
    page: AsyncClient, alice: User, redis: redis_library.Redis
) -> None:
    cursor = live.cursor_of(alice.pk)
    last = append(redis, alice)
    async with listening(page, after=cursor) as until:
        (heard,) = named(await until("matches"), "matches")
    assert heard["data"] == {"n": 1, "cursor": last}
    assert heard["id"] == last


async def test_a_page_that_comes_back_hears_only_what_it_missed(
    page: AsyncClient, alice: User, redis: redis_library.Redis
) -> None:
    start = append(redis, alice)
    first = append(redis, alice)
    last = append(redis, alice)
    async with listening(page, after=start, last=first) as until:
        (heard,) = named(await until("matches", "ping"), "matches")
    assert heard["data"] == {"n": 1, "cursor": last}


async def test_entries_come_once_and_in_order_while_the_page_is_open(
    page: AsyncClient, alice: User, redis: redis_library.Redis
) -> None:
    async with listening(page, after=live.cursor_of(alice.pk)) as until:
        await until("ping")
        append(redis, alice, event="watch", watch=7)
        heard = named(await until("watches"), "watches")
        append(redis, alice)
        heard += named(await until("matches"), "matches")
    assert [message["data"].get("watch") for message in heard] == [7, None]
    ids = [message["id"] for message in heard]
    assert ids == sorted(ids)


async def test_nobody_hears_of_the_matches_of_another(
    page: AsyncClient, alice: User, bob: User, redis: redis_library.Redis
) -> None:
    async with listening(page, after=live.cursor_of(alice.pk)) as until:
        append(redis, bob)
        append(redis, alice, event="watch")
        heard = await until("watches", "ping")
    assert named(heard, "matches") == []


async def test_the_counter_beside_the_menu_follows(
    page: AsyncClient, alice: User, now: datetime, redis: redis_library.Redis
) -> None:
    watch = await sync_to_async(watch_of)(alice, now=now)
    ends = timezone.now() + timedelta(minutes=9)
    await sync_to_async(match)(watch, 1, now=now, listing_kind="auction", listing_ends_at=ends)
    async with listening(page) as until:
        heard = await until("ping")
    (partials,) = [message["data"] for message in heard if "event" not in message]
    assert '<hx-partial hx-target="#n-new" hx-swap="textContent">1</hx-partial>' in partials
    assert '<hx-partial hx-target="#n-ending-tab" hx-swap="textContent">1</hx-partial>' in partials


async def test_a_page_behind_the_stream_is_told_to_look_again(
    page: AsyncClient, alice: User, redis: redis_library.Redis
) -> None:
    start = append(redis, alice)
    for _ in range(3):
        append(redis, alice)
    redis.xtrim(stream.stream_key(alice.pk), maxlen=1, approximate=False)
    async with listening(page, after=start) as until:
        heard = await until("resync", "ping")
    assert named(heard, "matches") == []


async def test_of_many_open_pages_the_ninth_is_told_so_in_words(page: AsyncClient, redis: redis_library.Redis) -> None:
    opened = [listening(page) for _ in range(live_hub.STREAMS_PER_USER)]
    untils = [await one.__aenter__() for one in opened]
    for until in untils:
        await until("ping")
    async with listening(page) as until:
        assert named(await until("full"), "full")
    await opened.pop().__aexit__(None, None, None)
    async with listening(page) as until:
        assert named(await until("ping"), "ping")
    for one in opened:
        await one.__aexit__(None, None, None)


async def test_the_reader_ends_with_the_last_page(page: AsyncClient, redis: redis_library.Redis) -> None:
    async with listening(page) as until:
        await until("ping")
        task = live_hub.hub()._task
    assert task is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        await task


async def test_a_server_that_goes_ends_every_stream(page: AsyncClient, redis: redis_library.Redis) -> None:
    async with listening(page) as until:
        await until("ping")
        live_hub.hub().close()
        with pytest.raises(StopAsyncIteration):
            await until("never")


async def test_without_redis_a_page_is_told_to_look_again_and_still_hears_pings(
    page: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", f"redis://127.0.0.1:{closed_port()}/0")
    async with listening(page, after="5-0") as until:
        heard = await until("resync", "ping")
    assert named(heard, "resync")[0]["id"] == "5-0"


def test_pages_are_served_without_redis(client: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    watch_of(alice, now=timezone.now())
    monkeypatch.setattr(settings, "REDIS_URL", f"redis://127.0.0.1:{closed_port()}/0")
    redis_client.cache_clear()
    client.force_login(alice)
    answer = client.get("/matches/")
    redis_client.cache_clear()
    assert answer.status_code == 200
    assert 'hx-sse:connect="/events/?after=&amp;page=' in answer.content.decode()


def test_a_page_that_does_not_keep_up_starts_over() -> None:
    listener = Listener(1)
    for number in range(QUEUE + 1):
        listener.tell("entries", [(f"{number}-0", {})])
    assert listener.queue.get_nowait() == ("resync", None)
    assert listener.queue.qsize() == 1


def test_an_entry_heard_twice_is_told_once() -> None:
    page, entry = Page("5-0"), ("6-0", {"event": "match", "data": '{"match": 1, "watch": 1}'})
    assert "event: matches" in page.entries([entry])
    assert page.entries([entry]) == ""
    assert page.cursor == "6-0"


def test_what_happened_to_listings_is_one_message_with_their_number() -> None:
    told = [(f"{n}-0", {"event": "listing", "data": f'{{"listing": {7 + n % 2}, "match": 1}}'}) for n in range(6, 9)]
    text = Page("5-0").entries(told)
    assert text.count("event: ") == 1
    assert "event: listings" in text
    assert '{"n": 2}' in text


def test_a_stream_reaches_back_to_a_cursor_unless_something_after_it_is_gone() -> None:
    kept = stream.KEPT_SECONDS * 1000
    assert reaches_back("10-1", first="10-1", trimmed=True, now_ms=kept)
    assert not reaches_back("9-5", first="10-0", trimmed=True, now_ms=kept)
    assert reaches_back("9-5", first="10-0", trimmed=False, now_ms=kept)
    assert reaches_back("5000-0", first="", trimmed=False, now_ms=5000 + kept)
    assert not reaches_back("5000-0", first="", trimmed=False, now_ms=5001 + kept)
    assert not reaches_back("5000-0", first=f"{5001 + kept}-0", trimmed=False, now_ms=9 * kept)


def test_the_chip_tells_the_medians_of_the_last_ten_minutes(alice: User) -> None:
    now = timezone.now()
    watch = watch_of(alice, now=now)
    for number, seconds in enumerate((1, 2, 9)):
        match(watch, number, now=now, listing_listed_at=now - timedelta(seconds=seconds), state=MatchState.SEEN)
    match(watch, 9, now=now - timedelta(minutes=11))
    target = Target.objects.create(
        marketplace="mercari", key="0" * 64, criteria="{}", interval_seconds=5, created_at=now, checked_at=now
    )
    WatchTarget.objects.create(watch=watch, target=target, began_at=watch.created_at)
    for lateness in (10, 20, 900):
        Check.objects.create(
            target=target, trace="t", worker="w", outcome="ok", due_at=now, started_at=now,
            finished_at=now - timedelta(seconds=4), lateness_ms=lateness, duration_ms=1,
        )  # fmt: skip
    fresh = freshness_of(alice.pk, now=now)
    assert (fresh.found_ms, fresh.late_ms, fresh.age_s, fresh.new) == (2000, 20, 4, 1)


async def test_a_cursor_in_other_digits_is_none_and_spoils_nothing(
    page: AsyncClient, alice: User, redis: redis_library.Redis
) -> None:
    async with listening(page, after="１２３-０") as until:
        await until("ping")
        last = append(redis, alice)
        (heard,) = named(await until("matches"), "matches")
    assert heard["id"] == last


async def test_a_cursor_of_the_future_is_brought_back_to_the_servers_time(
    page: AsyncClient, alice: User, redis: redis_library.Redis
) -> None:
    async with listening(page, after="999999999999999-9999999999999999999") as until:
        (told,) = named(await until("resync"), "resync")
        assert order(told["id"])[0] <= redis.time()[0] * 1000 + 1000
        append(redis, alice)
        assert named(await until("matches"), "matches")


async def test_a_stream_that_cannot_be_read_is_nobody_elses_trouble(
    page: AsyncClient, alice: User, bob: User, redis: redis_library.Redis
) -> None:
    redis.set(stream.stream_key(bob.pk), "no stream")
    other = AsyncClient()
    await other.aforce_login(bob)
    async with listening(other) as his, listening(page, after=live.cursor_of(alice.pk)) as until:
        await his("resync", "ping")
        await until("ping")
        append(redis, alice)
        assert named(await until("matches"), "matches")


async def test_the_reader_survives_whatever_a_step_raises(
    page: AsyncClient, alice: User, redis: redis_library.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_hub, "AWAY_SECONDS", 0)
    real, broken = live_hub.decoded, [RuntimeError("once")]

    def decoded(data: dict[bytes, bytes]) -> dict[str, str]:
        if broken:
            raise broken.pop()
        return real(data)

    async with listening(page, after=live.cursor_of(alice.pk)) as until:
        await until("ping")
        monkeypatch.setattr(live_hub, "decoded", decoded)
        append(redis, alice)
        assert named(await until("matches"), "matches")
    assert broken == []


async def test_a_page_that_comes_back_takes_its_old_place(page: AsyncClient, redis: redis_library.Redis) -> None:
    opened = [listening(page, name="same") for _ in range(live_hub.STREAMS_PER_USER + 1)]
    untils = [await one.__aenter__() for one in opened]
    for until in untils[:-1]:
        await until("hello")
    assert named(await untils[-1]("ping"), "full") == []
    for until in untils[:-1]:
        with pytest.raises(StopAsyncIteration):
            await until("never")
    for one in opened:
        await one.__aexit__(None, None, None)


async def test_whoever_is_not_signed_in_gets_401_and_no_detour(db: None) -> None:
    answer = await AsyncClient().get("/events/")
    assert answer.status_code == 401
    assert "Location" not in answer


@pytest.mark.parametrize("end", ["session", "password", "inactive"])
async def test_a_stream_ends_with_its_session(
    page: AsyncClient, alice: User, redis: redis_library.Redis, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(live_figures, "PING_SECONDS", 0.05)
    async with listening(page) as until:
        await until("ping")
        await sync_to_async(sign_out)(alice, end)
        with pytest.raises(StopAsyncIteration):
            await until("never")


def sign_out(user: User, how: str) -> None:
    if how == "session":
        Session.objects.all().delete()
    elif how == "password":
        user.set_password("another-long-one")
        user.save()
    else:
        User.objects.filter(pk=user.pk).update(is_active=False)


async def test_a_page_that_opens_asks_the_figures_of_its_own_person_only(
    page: AsyncClient, alice: User, bob: User, redis: redis_library.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    real = live_figures.freshness_of

    def counted(user_id: int, **words: Any) -> Any:
        asked.append(user_id)
        return real(user_id, **words)

    monkeypatch.setattr(live_figures, "freshness_of", counted)
    monkeypatch.setattr(live_figures, "FRESH_SECONDS", 3600)
    other = AsyncClient()
    await other.aforce_login(bob)
    async with listening(page) as hers:
        await hers("ping")
        async with listening(other) as his:
            await his("ping")
    assert asked == [alice.pk, bob.pk]
