"""A worker's loop against a practice market, a real Redis and a real database: from a ticket to a recorded check."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import uvicorn
from django.db import IntegrityError, OperationalError

from monitor_site.connections import key
from monitor_site.engine import feed, machines, recording, settling
from monitor_site.engine.counting import totals_key
from monitor_site.engine.loop import WorkerLoop
from monitor_site.engine.schedule import AHEAD_MS, Lease, Leased, Leases, Schedule
from monitor_site.watches import services
from monitor_site.watches.models import Check, Match, Target
from plugins.mercari.practice import create
from tests.servers import free_port
from tests.waiting import PATIENCE_SECONDS, until
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def practice_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    application = create(seed=3, truth_log=None)
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(application, port=port, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, what="the practice market serves")
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def loop(practice_address: str, redis: Any, settings: Any, patient_serving: None) -> Iterator[WorkerLoop]:
    settings.PRACTICE_MARKETS = {"mercari": practice_address}
    running = WorkerLoop(worker="checks-1-test", seat="checks-1")
    running.start()
    yield running
    running.stop(seconds=PATIENCE_SECONDS)


def serve_until(loop: WorkerLoop, true: Callable[[], Any], what: str) -> None:
    def served() -> Any:
        loop.serve("mercari", "ticket")
        return true()

    until(served, what=what)


def settled(redis: Any) -> Schedule:
    schedule = Schedule(redis)
    settling.settle(schedule, target_ids=list(Target.objects.values_list("pk", flat=True)))
    return schedule


def first_check() -> Check:
    """The check that was waited for; the target's next beat may have brought another meanwhile."""
    return Check.objects.earliest("pk")


def test_a_ticket_becomes_a_recorded_check_and_the_target_is_due_again(
    loop: WorkerLoop, alice: Any, redis: Any
) -> None:
    watch_of(alice, datetime.now(UTC), must=["もふもん"], tell_existing=True)
    settled(redis)
    serve_until(loop, Check.objects.exists, "a check is recorded")
    until(lambda: redis.hlen(key("lease", "mercari")) == 0, what="the lease goes back")
    check = first_check()
    assert (check.outcome, check.error, check.worker) == ("ok", "", "checks-1-test")
    assert check.fetched > 0
    assert check.bytes > 0
    assert Match.objects.filter(trace=check.trace).count() == check.matched > 0
    assert redis.zscore(key("due", "mercari"), str(Target.objects.get().pk)) > check.due_at.timestamp() * 1000


def test_a_target_paused_while_it_was_leased_leaves_the_schedule(loop: WorkerLoop, alice: Any, redis: Any) -> None:
    watch = watch_of(alice, datetime.now(UTC), must=["ルミナ"])
    settled(redis)
    services.pause_watch(watch=watch, now=datetime.now(UTC))
    serve_until(loop, lambda: not redis.zcard(key("due", "mercari")), "it leaves")
    assert not Check.objects.exists()


def test_a_marketplace_that_is_down_makes_failed_checks_and_nothing_is_lost(
    loop: WorkerLoop, alice: Any, redis: Any, settings: Any
) -> None:
    settings.PRACTICE_MARKETS = {"mercari": f"http://127.0.0.1:{free_port()}"}
    watch_of(alice, datetime.now(UTC), must=["クロノア"])
    settled(redis)
    serve_until(loop, Check.objects.exists, "a failed check is recorded")
    check = first_check()
    assert (check.outcome, check.error) == ("failed", "unavailable")
    until(lambda: redis.hlen(key("lease", "mercari")) == 0, what="the lease goes back")
    assert redis.zcard(key("due", "mercari")) == 1


def test_a_loop_that_stops_gives_back_what_it_holds(
    practice_address: str, alice: Any, redis: Any, settings: Any, patient_serving: None
) -> None:
    settings.PRACTICE_MARKETS = {"mercari": practice_address}
    stopping = WorkerLoop(worker="checks-2-test", seat="checks-2")
    stopping.start()
    watch_of(alice, datetime.now(UTC), must=["ポケリア"])
    settled(redis)
    serve_until(stopping, Check.objects.exists, "a check is recorded")
    stopping.stop(seconds=PATIENCE_SECONDS)
    assert redis.hlen(key("lease", "mercari")) == 0
    assert redis.zcard(key("due", "mercari")) == 1
    assert not redis.exists(key("alive", "checks-2"))


def test_what_a_worker_has_counted_is_soon_in_redis(loop: WorkerLoop, alice: Any, redis: Any) -> None:
    watch_of(alice, datetime.now(UTC), must=["もふもん"])
    settled(redis)
    serve_until(loop, lambda: redis.hget(totals_key(), "checks|mercari|search|ok"), "the check is counted")


def test_on_a_busy_machine_a_feed_has_fewer_requests_under_way(
    loop: WorkerLoop, redis: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOAD_GUARD = True
    monkeypatch.setattr(machines.psutil, "cpu_percent", lambda interval: 99.0)
    asked: list[int] = []
    real = Leases.lease

    async def noted(self: Leases, **terms: Any) -> Any:
        asked.append(terms["pace"].concurrency)
        return await real(self, **terms)

    monkeypatch.setattr(Leases, "lease", noted)
    serve_until(loop, lambda: asked and asked[-1] == settings.PRACTICE_CONCURRENCY // 4, "it gives way")
    assert machines.load_state(redis) is not None


def test_a_database_that_fails_while_rows_are_loaded_costs_a_moment_not_the_target(
    loop: WorkerLoop, alice: Any, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([OperationalError("the server closed the connection"), OperationalError("again")])
    real = recording.load_targets

    def shaky(ids: Any) -> Any:
        for failure in failures:
            raise failure
        return real(ids)

    monkeypatch.setattr(recording, "load_targets", shaky)
    watch_of(alice, datetime.now(UTC), must=["ノクタ"])
    settled(redis)
    serve_until(loop, Check.objects.exists, "a check is recorded after all")
    until(lambda: loop.flight.empty, what="nothing is held for ever")
    assert redis.hlen(key("suspects", "mercari")) == 0


def test_a_row_that_cannot_be_recorded_takes_no_neighbour_with_it(
    loop: WorkerLoop, alice: Any, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = recording.record

    def picky(results: Any, **options: Any) -> Any:
        if any(Target.objects.get(pk=one.target_id).criteria.count("毒") for one in results):
            raise IntegrityError("this one cannot be")
        return real(results, **options)

    monkeypatch.setattr(recording, "record", picky)
    for word in ("毒", "キーボード", "万年筆"):
        watch_of(alice, datetime.now(UTC), must=[word])
    schedule = settled(redis)
    serve_until(loop, lambda: Check.objects.values("target").distinct().count() == 2, "the neighbours are recorded")
    until(lambda: loop.flight.empty, what="all leases go back")
    assert schedule.members("mercari") == set(map(str, Target.objects.values_list("pk", flat=True)))


def test_the_loop_says_that_it_is_alive(loop: WorkerLoop, redis: Any) -> None:
    until(lambda: redis.exists(key("alive", "checks-1")), what="the sign of life")


def test_an_idle_feed_asks_again_before_anything_it_did_not_see_is_due(loop: WorkerLoop) -> None:
    assert feed.PAUSE_SECONDS < feed.EMPTY_PAUSE_SECONDS < AHEAD_MS / 1000
    mine = loop.feed("mercari")
    for rest_ms in range(0, 1000, 10):
        pause = mine._pause(leased(rest_ms), full=False)
        assert feed.EMPTY_PAUSE_SECONDS <= pause <= feed.LONGEST_PAUSE_SECONDS
        assert rest_ms <= AHEAD_MS or pause < rest_ms / 1000 - 0.01


def test_a_feed_that_left_something_behind_asks_again_as_soon_as_ever(loop: WorkerLoop) -> None:
    mine = loop.feed("mercari")
    assert mine._pause(leased(0), full=True) == 0
    assert mine._pause(leased(0, "1"), full=False) == feed.PAUSE_SECONDS
    assert mine._pause(leased(5_000, "1"), full=False) == feed.LONGEST_PAUSE_SECONDS


def leased(rest_ms: int, *names: str) -> Leased:
    found = tuple(Lease(marketplace="mercari", id=name, fence=1, due_ms=0) for name in names)
    return Leased(now_us=0, leases=found, drain=False, quarantined=(), rest_ms=rest_ms)
