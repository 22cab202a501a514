"""Half a minute in which something is killed, stopped or emptied every second or two: it costs lateness, no more."""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import redis as redis_library

from monitor_site.watches.models import Target
from monitor_site.watches.services import Wish, create_watch
from tests.faults import invariants
from tests.faults.installation import Installation, signal_to
from tests.servers import free_port, start_redis, stop
from tests.waiting import until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

QUESTIONS, SECONDS, SEED = 8, 20.0, 7


@pytest.fixture
def asked(installation: Installation, practice_market: str, alice: Any, settings: Any) -> Installation:
    """Eight questions of two seconds; nothing runs yet but the practice market."""
    settings.PRACTICE_MARKETS = {"mercari": practice_market}
    installation.env["PRACTICE_MARKETS"] = f"mercari={practice_market}"
    for number in range(QUESTIONS):
        wish = Wish(name="w", marketplaces=["mercari"], must=[f"もふもん{number}"], interval_seconds=2)
        create_watch(user=alice, wish=wish, now=datetime.now(UTC))
    return installation


def all_are_checked_after(moment: datetime, what: str) -> None:
    late = Target.objects.searches().filter(active=True).exclude(succeeded_at__gt=moment)
    until(lambda: not late.exists(), what=f"every target is checked again after {what}")
    invariants.none_left_the_schedule(QUESTIONS)


class Chaos:
    """What may go wrong, one thing at a time, by a seed."""

    def __init__(self, installation: Installation, client: redis_library.Redis) -> None:
        self.installation, self.client = installation, client
        self.chance = random.Random(SEED)
        self.done: list[str] = []
        self.acts: list[Callable[[], None]] = [
            self.kill_a_promoter, self.kill_a_worker, self.stop_a_worker, self.empty_redis, self.kill_the_pool,
        ]  # fmt: skip

    def rage(self, seconds: float) -> None:
        """Every act comes at least once; the order is the seed's."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            for act in self.chance.sample(self.acts, len(self.acts)):
                act()
                self.done.append(act.__name__)
                time.sleep(self.chance.uniform(1, 2))

    def kill_a_promoter(self) -> None:
        self.installation.kill("run_promoter")
        self.installation.start("run_promoter")

    def kill_the_pool(self) -> None:
        self.installation.kill("rqworker")
        self.installation.start("rqworker")

    def kill_a_worker(self) -> None:
        self._signal(signal.SIGKILL)

    def stop_a_worker(self) -> None:
        """For longer than its leases last."""
        self._signal(signal.SIGSTOP)
        time.sleep(3)
        self._signal(signal.SIGCONT)

    def empty_redis(self) -> None:
        self.client.flushall()

    def _signal(self, number: signal.Signals) -> None:
        signal_to(self.installation.pids("rqworker", "checks"), number)


def two_promoters_ask_no_oftener_than_one(redis: redis_library.Redis) -> None:
    until(lambda: len(redis.keys("*:promoter:*")) == 2, what="two promoters are at work")
    began = datetime.now(UTC)
    for _ in range(2):
        all_are_checked_after(datetime.now(UTC), "a beat")
    seconds = (datetime.now(UTC) - began).total_seconds()
    for target in Target.objects.searches():
        assert target.checks.filter(started_at__gt=began).count() <= seconds / target.interval_seconds + 2


def test_promoters_and_workers_killed_in_a_loop_cost_lateness_and_nothing_else(
    asked: Installation, redis: redis_library.Redis, tmp_path: Path
) -> None:
    asked.processes["another promoter"] = asked.start("run_promoter")
    asked.start("run_promoter")
    asked.start("run_workers")  # a second pool beside the one that dies
    asked.start("rqworker")
    all_are_checked_after(datetime.now(UTC), "the start")
    began = datetime.now(UTC)
    chaos = Chaos(asked, redis)
    chaos.rage(SECONDS)
    all_are_checked_after(datetime.now(UTC), " ".join(chaos.done))
    two_promoters_ask_no_oftener_than_one(redis)
    invariants.all_hold(since=began, until=datetime.now(UTC), truth=tmp_path / "truth.jsonl")


def test_a_redis_that_goes_and_comes_back_empty_and_one_that_says_nothing_lose_no_target(
    asked: Installation, tmp_path: Path
) -> None:
    port, word = free_port(), "word"
    asked.env["REDIS_URL"] = f"redis://:{word}@127.0.0.1:{port}/0"
    server = start_redis(port=port, password=word, folder=tmp_path)
    try:
        asked.start("run_promoter")
        asked.start("rqworker")
        all_are_checked_after(datetime.now(UTC), "the start")
        began = datetime.now(UTC)
        with missed_by_the_promoter(asked):
            stop(server)
        server = start_redis(port=port, password=word, folder=tmp_path)
        all_are_checked_after(datetime.now(UTC), "its absence")
        with missed_by_the_promoter(asked):
            server.send_signal(signal.SIGSTOP)
        server.send_signal(signal.SIGCONT)
        all_are_checked_after(datetime.now(UTC), "its silence")
        invariants.all_hold(since=began, until=datetime.now(UTC), truth=tmp_path / "truth.jsonl")
    finally:
        server.send_signal(signal.SIGCONT)
        stop(server)


@contextmanager
def missed_by_the_promoter(installation: Installation) -> Iterator[None]:
    """What is done here has made it fail a round when the block ends."""
    log = Path(installation.env["DATA_DIR"]) / "run_promoter.log"
    size = log.stat().st_size
    yield
    until(lambda: b"round_failed" in log.read_bytes()[size:], what="the promoter misses Redis")
