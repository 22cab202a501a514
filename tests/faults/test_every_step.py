"""All of Redis is lost at every step of a ticket's life, and clocks disagree: what was lost is soon asked again."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import uvicorn

from monitor_site.connections import key, lane_queue
from monitor_site.engine import recording
from monitor_site.engine import schedule as scheduling
from monitor_site.engine.checking import Checker
from monitor_site.engine.loop import WorkerLoop
from monitor_site.engine.promoter import Promoter
from monitor_site.engine.schedule import Lease, Leases, Schedule
from monitor_site.marketplaces import scripts
from monitor_site.watches.models import Check, Target
from plugins.mercari.practice import create
from tests.faults import invariants
from tests.servers import free_port
from tests.waiting import PATIENCE_SECONDS, never_stuck, until
from tests.watches.makers import watch_of

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

INTERVAL = 1


@pytest.fixture(scope="module")
def practice_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(create(seed=3, truth_log=None), port=port, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, what="the practice market serves")
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


class Line:
    """A promoter and a checks worker in this process; ``pop`` is called between taking a ticket and serving it."""

    def __init__(self, redis: Any, *, worker: str) -> None:
        self.redis = redis
        self.promoter = Promoter(client=redis)
        self.loop = WorkerLoop(worker=worker, seat=worker)
        self.serve: Callable[..., Any] = self.loop.serve
        self.pop: Callable[[], None] = lambda: None
        self.loop.start()

    def turn(self) -> None:
        """One round of the promoter, then every ticket that waits."""
        self.promoter.round()
        for job in lane_queue("checks", self.redis).jobs:
            job.delete()
            self.pop()
            self.serve(*job.args)

    def until(self, true: Callable[[], Any], what: str) -> None:
        """Turn until something is true."""

        def turned() -> Any:
            self.turn()
            return true()

        until(turned, what=what)


@pytest.fixture
def line(
    practice_address: str, redis: Any, settings: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Line]:
    settings.PRACTICE_MARKETS = {"mercari": practice_address}
    settings.LEASE_SECONDS = 2
    never_stuck(monkeypatch)
    watch_of(alice, datetime.now(UTC), must=["もふもん"], interval_seconds=INTERVAL, tell_existing=True)
    running = Line(redis, worker="checks-1")
    yield running
    running.loop.stop(seconds=PATIENCE_SECONDS)


def once(act: Callable[[], Any], done: list[str]) -> None:
    """Lose everything the first time something comes this far."""
    if not done:
        done.append("lost")
        act()


def around(owner: Any, name: str, *, before: Callable[[], None], after: Callable[[], None]) -> Callable[..., Any]:
    """A function with something before and after it, awaited where it is to be."""
    real = getattr(owner, name)

    def plain(*args: Any, **kwargs: Any) -> Any:
        before()
        found = real(*args, **kwargs)
        after()
        return found

    async def awaited(*args: Any, **kwargs: Any) -> Any:
        before()
        found = await real(*args, **kwargs)
        after()
        return found

    return awaited if name in {"lease", "check", "give_back"} else plain


def nothing() -> None:
    """Nothing happens."""


STEPS = {
    "noted, not sent": (Promoter, "_send", "before"),
    "sent": (Promoter, "_send", "after"),
    "taken": (None, "", ""),
    "before the lease": (Leases, "lease", "before"),
    "leased": (Leases, "lease", "after"),
    "loaded": (recording, "load_targets", "after"),
    "asked": (Checker, "check", "before"),
    "answered": (Checker, "check", "after"),
    "recorded": (recording, "write", "after"),
    "given back": (Leases, "give_back", "after"),
}


@pytest.mark.parametrize("step", STEPS)
def test_all_of_redis_lost_at_any_step_of_a_ticket_costs_a_beat_and_counts_no_result_twice(
    line: Line, redis: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    owner, name, side = STEPS[step]
    lost: list[str] = []

    def lose() -> None:
        once(redis.flushall, lost)

    if owner is None:
        line.pop = lose
    else:
        whole = around(owner, name, **{"before": nothing, "after": nothing} | {side: lose})
        monkeypatch.setattr(owner, name, whole)
    began = datetime.now(UTC)
    line.until(lambda: lost, f"a ticket is {step}")
    after = datetime.now(UTC)
    line.until(lambda: Check.objects.filter(started_at__gt=after).exists(), "it is checked after that")
    line.until(lambda: redis.hlen(key("lease", "mercari")) == 0, "the lease goes back")
    assert Schedule(redis).members("mercari") >= {str(Target.objects.searches().get().pk)}
    assert Target.objects.searches().get().failures == 0
    invariants.nobody_waited_too_long(since=began, until=datetime.now(UTC))
    invariants.nothing_is_double()


@pytest.fixture(params=[-600, 86_400])
def offset(request: pytest.FixtureRequest, redis: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Redis' clock is so many seconds before ours: as for a worker whose own clock is that much behind or ahead."""
    told = f"(function() local t = redis.call('TIME') return {{t[1] + ({request.param}), t[2]}} end)()"
    lua, text = scheduling.lua, scripts._text
    monkeypatch.setattr(scheduling, "lua", lambda name: lua(name).replace("redis.call('TIME')", told))
    monkeypatch.setattr(scripts, "_text", lambda name: text(name).replace(b"redis.call('TIME')", told.encode()))
    monkeypatch.setattr(scripts, "_script", scripts._script.__wrapped__)
    monkeypatch.setattr(Schedule, "now_ms", lambda _: round((time.time() + request.param) * 1000))
    return int(request.param)


def test_a_worker_whose_clock_is_minutes_or_a_day_off_keeps_every_beat_and_makes_no_flood(
    offset: int, line: Line, redis: Any
) -> None:
    began, first = datetime.now(UTC), time.time()
    line.until(lambda: Check.objects.count() >= 3, "three beats are served")
    seconds = (datetime.now(UTC) - began).total_seconds()
    assert Check.objects.filter(target__kind="search").count() <= seconds / INTERVAL + 2
    for check in Check.objects.filter(target__kind="search"):
        assert first - 60 < check.started_at.timestamp() - offset < time.time() + 60
    late = Check.objects.filter(target__kind="search").order_by("-pk").values_list("lateness_ms", flat=True)
    assert max(late[:2]) < (seconds + 5) * 1000
    line.until(lambda: redis.hlen(key("lease", "mercari")) == 0, "the lease goes back")
    due = redis.zscore(key("due", "mercari"), str(Target.objects.searches().get().pk)) / 1000 - offset
    assert due <= time.time() + 2 * INTERVAL
    assert not Target.objects.exclude(quarantined_at=None).exists()
    invariants.nothing_is_double()


def test_a_worker_that_stood_still_for_longer_than_its_lease_brings_a_result_that_does_not_count(
    line: Line, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.until(lambda: Check.objects.count() >= 2, "it is known what is found")
    still, real = threading.Event(), Checker.check

    async def check(self: Checker, lease: Lease, target: Target) -> Any:
        found = await real(self, lease, target)
        if self.worker == "checks-1" and not still.is_set():
            still.set()
            goes_on.wait(2 * PATIENCE_SECONDS)  # the whole loop stands, as a stopped process does
            late.append(found)
        return found

    goes_on, late = threading.Event(), []
    monkeypatch.setattr(Checker, "check", check)
    # Nobody waits for a loop that stands.
    line.serve = lambda marketplace, ticket: line.loop.call(line.loop.feed(marketplace).prolong(ticket))
    line.until(still.is_set, "a worker stands still with a result")
    other = Line(redis, worker="checks-2")
    try:
        other.until(lambda: Check.objects.filter(worker="checks-2").exists(), "another one asks in its place")
        goes_on.set()
        other.until(lambda: late, "the first goes on")
        other.until(lambda: line.loop.flight.empty, "what it held is gone")
    finally:
        goes_on.set()
        other.loop.stop(seconds=PATIENCE_SECONDS)
    assert not Check.objects.filter(trace=late[0].trace).exists()
    assert Target.objects.searches().get().fence > late[0].fence
    invariants.nothing_is_double()
