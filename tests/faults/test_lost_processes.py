"""Workers, promoter and all of Redis are lost while checks run: it costs seconds, never a target, never a double."""

import json
import signal
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import redis as redis_library

from monitor_site.connections import key
from monitor_site.watches.models import Check, Listing, Match, Target
from monitor_site.watches.services import Wish, create_watch
from tests.faults import invariants
from tests.faults.installation import Installation, signal_to
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

QUESTIONS = 12


@pytest.fixture
def running(installation: Installation, practice_market: str, alice: Any, bob: Any, settings: Any) -> Installation:
    """Two people, thirty watches, twelve questions of two seconds, a promoter and a pool of workers."""
    settings.PRACTICE_MARKETS = {"mercari": practice_market}
    installation.env["PRACTICE_MARKETS"] = f"mercari={practice_market}"
    for number in range(30):
        words = [f"もふもん{number % QUESTIONS}"]
        wish = Wish(name="w", marketplaces=["mercari"], must=words, interval_seconds=2, tell_existing=True)
        create_watch(user=(alice, bob)[number % 2], wish=wish, now=datetime.now(UTC))
    installation.start("run_promoter")
    installation.start("rqworker")
    everything_is_checked_after(datetime.now(UTC), "the first checks")
    return installation


def everything_is_checked_after(moment: datetime, what: str) -> None:
    def done() -> bool:
        return not Target.objects.searches().filter(active=True).exclude(succeeded_at__gt=moment).exists()

    until(done, what=f"every target is checked again after {what}")
    invariants.none_left_the_schedule(QUESTIONS)


def test_every_target_is_checked_again_whatever_is_lost(
    running: Installation, redis: redis_library.Redis, tmp_path: Path
) -> None:
    signal_to(running.pids("rqworker", "checks"), signal.SIGKILL)
    everything_is_checked_after(datetime.now(UTC), "the loss of a worker")
    running.kill("run_promoter")
    running.start("run_promoter")
    everything_is_checked_after(datetime.now(UTC), "the loss of the promoter")
    redis.flushall()
    everything_is_checked_after(datetime.now(UTC), "the loss of Redis")
    running.kill("rqworker")
    running.start("rqworker")
    everything_is_checked_after(datetime.now(UTC), "the loss of all workers")
    nothing_is_double()
    nothing_is_invented(tmp_path / "truth.jsonl")


def nothing_is_double() -> None:
    listings = Counter(Listing.objects.values_list("marketplace", "external_id"))
    matches = Counter(Match.objects.values_list("watch", "listing"))
    traces = Counter(Check.objects.values_list("trace", flat=True))
    assert {*listings.values(), *matches.values(), *traces.values()} == {1}


def nothing_is_invented(truth: Path) -> None:
    """What was told as newly listed was really listed, and listed once, while the watches ran."""
    events = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    listed = Counter(event["id"] for event in events if event["event"] == "listed")
    told = Match.objects.filter(cause="listed").values_list("listing__external_id", flat=True)
    assert set(told) <= set(listed)
    assert set(listed.values()) == {1}


def test_a_stopped_worker_loses_its_leases_and_its_late_result_does_not_count(
    running: Installation, redis: redis_library.Redis
) -> None:
    frozen = running.pids("rqworker", "checks")
    signal_to(frozen, signal.SIGSTOP)
    running.start("run_workers")
    everything_is_checked_after(datetime.now(UTC), "a worker stood still")
    signal_to(frozen, signal.SIGCONT)
    everything_is_checked_after(datetime.now(UTC), "it went on")
    nothing_is_double()


def test_a_graceful_stop_leaves_no_lease_behind(running: Installation, redis: redis_library.Redis) -> None:
    running.processes["rqworker"].send_signal(signal.SIGTERM)
    running.processes["rqworker"].wait(PATIENCE_SECONDS)
    assert running.processes["rqworker"].returncode == 0
    assert redis.hlen(key("lease", "mercari")) == 0
    assert redis.zcard(key("due", "mercari")) == QUESTIONS
