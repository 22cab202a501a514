"""Workers tell of their jobs and of themselves, beside the flow."""

import json
from typing import Any

import pytest

from monitor_site.engine import tallying, worker
from monitor_site.engine.tallying import Tally, jobs_key, vitals_key
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


def counts(redis: Any) -> dict[str, int]:
    return {name.decode(): int(n) for name, n in redis.hgetall(jobs_key()).items()}


def run(tally: Tally, job: str, times: int, *, well: bool = True) -> None:
    for _ in range(times):
        tally.end(job, tally.begin(job), well=well)


def test_jobs_are_counted_by_kind_with_their_failures_and_time(redis: Any) -> None:
    tally = Tally(worker="w", lane="express")
    run(tally, "advance_orders", 3)
    run(tally, "advance_orders", 1, well=False)
    tally.tell(redis)
    tally.tell(redis)
    told = counts(redis)
    assert (told["ok|express|advance_orders"], told["failed|express|advance_orders"]) == (3, 1)
    assert "ms|express|advance_orders" in told


def test_a_hundred_jobs_are_told_before_the_next_beat(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "BEAT_SECONDS", 3600.0)
    tally = Tally(worker="w", lane="express")
    tally.start()
    until(lambda: redis.exists(vitals_key("w")), what="the first beat")
    run(tally, "deliver", tallying.JOBS_A_STATISTIC - 1)
    assert counts(redis) == {}
    run(tally, "deliver", 1)
    until(lambda: counts(redis).get("ok|express|deliver") == 100, what="the hundred")
    tally.stop()
    assert not redis.exists(vitals_key("w"))


def test_a_worker_says_what_it_runs_how_big_it_is_and_which_version(redis: Any) -> None:
    tally = Tally(worker="w", lane="express")
    run(tally, "deliver", 2)
    tally.begin("settle_targets")
    tally.tell(redis)
    told = json.loads(redis.get(vitals_key("w")))
    assert (told["job"], told["a_minute"]) == ("settle_targets", 2)
    assert told["memory"] > 10_000_000
    assert told["version"]


def test_what_redis_does_not_take_stops_no_job(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = worker.build(lane="upkeep", name="upkeep-1")
    made.tally = Tally(worker="upkeep-1", lane="upkeep")
    made.queues[0].enqueue("monitor_site.engine.jobs.follow_listings", [])
    made.queues[0].enqueue("monitor_site.engine.jobs.nothing", [])
    made.work(burst=True, logging_level="CRITICAL")
    made.tally.tell(redis)
    told = {name: n for name, n in counts(redis).items() if not name.startswith("ms|")}
    assert told == {"ok|upkeep|follow_listings": 1, "failed|upkeep|nothing": 1}


def test_the_length_of_a_lane_is_remembered_as_it_was_when_the_minute_began(redis: Any) -> None:
    queue = worker.build(lane="express", name="e").queues[0]
    queue.enqueue("monitor_site.engine.jobs.deliver", [])
    tallying.sample_depths(redis)
    queue.enqueue("monitor_site.engine.jobs.deliver", [])
    tallying.sample_depths(redis)
    minutes = {int(redis.hget(name, "depth|express")) for name in redis.keys("*:jobs:m:*")}
    assert 1 in minutes
