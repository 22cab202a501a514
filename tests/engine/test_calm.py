"""While one worker copes with little, its feed needs no further tickets, nobody asks, and nothing put in waits."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import redis.asyncio

from monitor_site.connections import async_redis_client, key
from monitor_site.engine import feed as feeding
from monitor_site.engine.feed import Feed
from monitor_site.engine.loop import WorkerLoop
from monitor_site.engine.schedule import TICKET_LIVE_MS, Asked, Lease, Leased, Leases, Schedule
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Check, Target
from tests.servers import free_port
from tests.waiting import PATIENCE_SECONDS, hearing, until
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def client(redis: Any) -> AsyncIterator[redis.asyncio.Redis]:
    async with async_redis_client() as client:
        yield client


@pytest.fixture
def loop(redis: Any, settings: Any, patient_serving: None) -> Iterator[WorkerLoop]:
    """A worker whose marketplace answers nobody: a check is over at once."""
    settings.PRACTICE_MARKETS = {"mercari": f"http://127.0.0.1:{free_port()}"}
    running = WorkerLoop(worker="checks-1-test", seat="checks-1")
    running.start()
    yield running
    running.stop(seconds=PATIENCE_SECONDS)


def seen(rest_ms: int, leases: int = 0) -> Leased:
    """What a lease call said."""
    found = tuple(Lease(marketplace="mercari", id=str(number), fence=1, due_ms=0) for number in range(leases))
    return Leased(now_us=0, leases=found, drain=False, quarantined=(), rest_ms=rest_ms)


async def take(client: Any, ticket: str, **terms: Any) -> None:
    """As a worker's feed does with a ticket."""
    pace = catalog().pace("mercari")
    await Leases(client, worker="w").lease(
        marketplace="mercari", pace=pace, slots=10, idle=True, tickets=[ticket], **terms
    )


@pytest.mark.usefixtures("stopped_clock")
async def test_while_a_feed_looks_after_a_marketplace_nobody_asks_for_it(redis: Any, client: Any) -> None:
    schedule, pace = Schedule(redis), catalog().pace("mercari")
    schedule.put(marketplace="mercari", moves=[("1", "at", 0), ("2", "at", schedule.now_ms() + 500)])
    assert schedule.ask(marketplace="mercari", pace=pace, ticket="a").ticket
    assert schedule.ask(marketplace="mercari", pace=pace, ticket="b") == Asked(ticket=False, again_ms=50)
    await take(client, "a")
    asked = schedule.ask(marketplace="mercari", pace=pace, ticket="c")
    assert (asked.ticket, 600 < (asked.again_ms or 0) <= 800) == (False, True)


@pytest.mark.usefixtures("stopped_clock")
async def test_what_a_feed_may_not_have_seen_brings_a_second_ticket_at_once(redis: Any, client: Any) -> None:
    schedule, pace = Schedule(redis), catalog().pace("mercari")
    schedule.put(marketplace="mercari", moves=[("1", "at", 0)])
    schedule.ask(marketplace="mercari", pace=pace, ticket="a")
    schedule.put(marketplace="mercari", moves=[("2", "at", 0)])
    assert not schedule.ask(marketplace="mercari", pace=pace, ticket="b", woken=True).ticket, "nobody has taken one yet"
    await take(client, "a")
    schedule.put(marketplace="mercari", moves=[("3", "at", 0)])
    assert not schedule.ask(marketplace="mercari", pace=pace, ticket="b").ticket
    assert schedule.ask(marketplace="mercari", pace=pace, ticket="b", woken=True).ticket
    assert not schedule.ask(marketplace="mercari", pace=pace, ticket="c", woken=True).ticket


@pytest.mark.usefixtures("stopped_clock")
async def test_a_ticket_that_ended_makes_room_for_the_next(redis: Any, client: Any) -> None:
    schedule, pace = Schedule(redis), catalog().pace("mercari")
    schedule.put(marketplace="mercari", moves=[("1", "at", 0)])
    schedule.ask(marketplace="mercari", pace=pace, ticket="a")
    await take(client, "a")
    schedule.put(marketplace="mercari", moves=[("2", "at", 0)])
    with hearing(redis, key("wake")) as heard:
        await Leases(client, worker="w").end_tickets(marketplace="mercari", tickets=["a"], wake=True)
        assert heard() == b"mercari"
    assert schedule.ask(marketplace="mercari", pace=pace, ticket="b").ticket


def goes_on(loop: WorkerLoop, mine: Feed, leased: Leased) -> bool:
    """Whether a feed that holds a ticket still does after that call."""

    async def go_on() -> None:
        now = asyncio.get_running_loop().time()
        mine._kept, mine._until, mine._kept_until = ["a"], now + 0.1, now + 10
        await mine._go_on(leased, catalog().pace("mercari"))

    loop.call(go_on()).result(PATIENCE_SECONDS)
    return bool(mine._kept)


def test_a_feed_goes_on_while_it_copes_and_something_comes(loop: WorkerLoop) -> None:
    mine = loop.feed("mercari")
    assert goes_on(loop, mine, seen(rest_ms=600, leases=1))
    assert mine._calm
    assert mine._until > 0


def test_a_feed_that_leaves_something_behind_or_takes_much_leaves_the_next_ticket_to_whoever_is_free(
    loop: WorkerLoop,
) -> None:
    mine = loop.feed("mercari")
    assert not goes_on(loop, mine, seen(rest_ms=0))
    assert not goes_on(loop, mine, seen(rest_ms=600, leases=catalog().pace("mercari").concurrency))
    mine._newly_seen = feeding.CALM_PAUSE_SECONDS / 10
    assert not goes_on(loop, mine, seen(rest_ms=600, leases=1)), "that is forty a second"
    assert not mine._calm


def test_a_feed_ends_with_its_ticket_when_nothing_will_be_due_unless_something_is_still_in_flight(
    loop: WorkerLoop, redis: Any
) -> None:
    mine = loop.feed("mercari")
    redis.zadd(key("tickets", "mercari"), {"a": Schedule(redis).now_ms() + TICKET_LIVE_MS})
    loop.flight.loading.add(Lease(marketplace="mercari", id="1", fence=1, due_ms=0))
    assert goes_on(loop, mine, seen(rest_ms=5_000))
    assert redis.zcard(key("tickets", "mercari")) == 1
    loop.flight.loading.clear()
    assert not goes_on(loop, mine, seen(rest_ms=5_000))
    assert (redis.zcard(key("tickets", "mercari")), mine._until) == (0, 0.0)


def test_what_is_due_one_after_the_other_is_checked_for_one_ticket(
    loop: WorkerLoop, alice: Any, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "FEED_SECONDS", 4.0)  # a busy machine takes long from one look to the next
    for word in ("万年筆", "手帳", "定規"):
        watch_of(alice, datetime.now(UTC), must=[word])
    schedule, names = Schedule(redis), map(str, Target.objects.order_by("pk").values_list("pk", flat=True))
    now = schedule.now_ms()
    moves = [(name, "at", now + 2800 * place) for place, name in enumerate(names)]
    schedule.put(marketplace="mercari", moves=moves)
    schedule.ask(marketplace="mercari", pace=catalog().pace("mercari"), ticket="a")
    loop.serve("mercari", "a")
    until(lambda: Check.objects.values("target").distinct().count() == 3, what="all three are checked")


def test_a_worker_that_stops_leaves_its_marketplaces_to_others_at_once(loop: WorkerLoop, redis: Any) -> None:
    schedule, pace = Schedule(redis), catalog().pace("mercari")
    schedule.put(marketplace="mercari", moves=[("1000", "at", 0), ("1001", "at", schedule.now_ms() + 900)])
    assert schedule.ask(marketplace="mercari", pace=pace, ticket="a").ticket
    loop.serve("mercari", "a")
    until(lambda: loop.feed("mercari")._calm, what="it is calm")
    with hearing(redis, key("wake")) as heard:
        loop.call(loop.feed("mercari").stop()).result(PATIENCE_SECONDS)
        assert heard() == b"mercari"
    assert not redis.exists(key("tickets", "mercari"))


def test_a_feed_stops_although_redis_does_not_answer(loop: WorkerLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: Any, **__: Any) -> None:
        raise ConnectionError("it is away")

    loop.serve("mercari", "a")
    monkeypatch.setattr(Leases, "end_tickets", away)
    loop.call(loop.feed("mercari").stop()).result(PATIENCE_SECONDS)


def test_a_ticket_wakes_a_feed_that_rests(loop: WorkerLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "EMPTY_PAUSE_SECONDS", 3600.0)
    monkeypatch.setattr(feeding, "FEED_SECONDS", 3600.0)
    loop.serve("mercari", "a")
    loop.call(loop.feed("mercari").prolong("b")).result(PATIENCE_SECONDS)
