"""Failed jobs count against their rows, and nobody else's."""

from datetime import datetime
from typing import Any

import pytest
from rq import Queue

from monitor_site.connections import lane_queue
from monitor_site.engine import jobs, replaying, worker
from monitor_site.outbox import services as outbox
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broken(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_ids: Any) -> None:
        raise ValueError("words that may hold anything")

    monkeypatch.setattr(jobs, "follow_listings", run)
    monkeypatch.setattr(jobs, "settle_sales", run)


def work(lane: str = "upkeep") -> None:
    worker.build(lane=lane, name=f"{lane}-test").work(burst=True, logging_level="CRITICAL")


def failed(redis: Any) -> list[str]:
    return lane_queue("upkeep", redis).failed_job_registry.get_job_ids()


def test_a_job_that_failed_costs_its_rows_a_try_and_is_forgotten(broken: None, redis: Any, now: datetime) -> None:
    outbox.write(topic=follow.FOLLOW, object_ids=[1, 2], now=now)
    work()
    assert len(failed(redis)) == 1
    assert replaying.note_failures(redis, now=now) == 1
    assert set(OutboxRow.objects.values_list("tries", "error")) == {(1, "ValueError")}
    assert failed(redis) == []
    assert replaying.note_failures(redis, now=now) == 0


def test_a_failed_job_that_stands_for_no_fact_is_left_to_its_end(redis: Any, now: datetime) -> None:
    queue: Queue = lane_queue("upkeep", redis)
    queue.enqueue("monitor_site.engine.jobs.run_exact", "x:1:1", failure_ttl=60)
    work()
    assert len(failed(redis)) == 1
    assert replaying.note_failures(redis, now=now) == 0
    assert len(failed(redis)) == 1


def test_rows_whose_consequence_happened_meanwhile_are_not_blamed(broken: None, redis: Any, now: datetime) -> None:
    outbox.write(topic=follow.FOLLOW, object_ids=[1], now=now)
    work()
    OutboxRow.objects.update(done_at=now)
    replaying.note_failures(redis, now=now)
    assert OutboxRow.objects.get().tries == 0
