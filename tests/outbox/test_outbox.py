"""A fact and its consequence: written together, handed out after the commit, never lost, harmless twice."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import redis as redis_library
from django.conf import settings
from django.db import transaction
from rq import Queue
from rq.serializers import JSONSerializer

from monitor_site.connections import redis_client
from monitor_site.outbox import replay
from monitor_site.outbox import services as outbox
from monitor_site.outbox.models import OutboxRow

TOPIC = "story"
JOB = "monitor_site.engine.jobs.settle_targets"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def story(redis: Any) -> None:
    outbox.register(TOPIC, lane="upkeep", job=JOB)


def jobs(lane: str = "upkeep") -> list[Any]:
    return [job.args for job in Queue(lane, connection=redis_client(), serializer=JSONSerializer).jobs]


def write(*ids: int, now: datetime) -> None:
    with transaction.atomic():
        outbox.write(topic=TOPIC, object_ids=ids, now=now)


def test_a_fact_that_is_committed_becomes_one_job(now: datetime) -> None:
    write(2, 1, 2, now=now)
    assert jobs() == [[[1, 2]]]


def test_what_cannot_wait_goes_to_express_and_the_rest_where_its_topic_goes(now: datetime) -> None:
    outbox.register(TOPIC, lane="upkeep", job=JOB, hurried=lambda ids: {pk for pk in ids if pk > 1})
    write(1, 2, 3, now=now)
    assert (jobs(), jobs("express")) == ([[[1]]], [[[2, 3]]])
    write(2, now=now)
    assert (len(jobs()), len(jobs("express"))) == (1, 2)


def note_and_fail(now: datetime) -> None:
    with transaction.atomic():
        outbox.write(topic=TOPIC, object_ids=[1], now=now)
        raise RuntimeError


def test_a_fact_that_is_rolled_back_has_no_consequence(now: datetime) -> None:
    with pytest.raises(RuntimeError):
        note_and_fail(now)
    assert jobs() == []
    assert not OutboxRow.objects.exists()


def test_a_fact_noted_twice_is_one_row_with_a_new_epoch(now: datetime) -> None:
    write(1, now=now)
    write(1, now=now)
    assert OutboxRow.objects.get().epoch == 2


def test_without_redis_the_fact_is_kept_and_swept_later(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as away:
        away.setattr(outbox, "redis_client", lambda: redis_library.Redis.from_url("redis://127.0.0.1:1/0"))
        write(1, now=now)
    assert jobs() == []
    assert replay.sweep(now=now + timedelta(minutes=1), before=now + timedelta(seconds=1)) == 1
    assert jobs() == [[[1]]]


def test_facts_of_a_topic_nobody_serves_do_not_keep_the_others_from_being_swept(now: datetime) -> None:
    OutboxRow.objects.bulk_create(
        [OutboxRow(topic="unheard", object_id=pk, created_at=now - timedelta(days=1)) for pk in range(20)]
    )
    OutboxRow.objects.create(topic=TOPIC, object_id=1, created_at=now)
    assert replay.sweep(now=now + timedelta(minutes=1), before=now + timedelta(seconds=1), limit=10) == 1


def test_two_facts_that_share_their_first_row_are_two_jobs(now: datetime) -> None:
    write(1, 2, now=now)
    OutboxRow.objects.update(epoch=1)
    write(3, now=now)
    outbox.hand_out(topic=TOPIC, object_ids=[1, 3], now=now)
    assert jobs() == [[[1, 2]], [[3]], [[1, 3]]]


def test_the_sweep_leaves_what_is_done_or_young(now: datetime) -> None:
    write(1, now=now)
    outbox.finish(topic=TOPIC, taken=outbox.take(topic=TOPIC, object_ids=[1]), now=now)
    write(2, now=now + timedelta(minutes=5))
    assert replay.sweep(now=now + timedelta(minutes=5), before=now + timedelta(minutes=1)) == 0


def test_a_row_of_a_topic_nobody_serves_is_left_alone(now: datetime) -> None:
    OutboxRow.objects.create(topic="unheard", object_id=1, created_at=now)
    replay.sweep(now=now + timedelta(minutes=5), before=now + timedelta(minutes=1))
    assert OutboxRow.objects.get().done_at is None


def test_every_lane_of_a_route_exists() -> None:
    from monitor_site.engine import jobs as engine_jobs

    engine_jobs.register()
    assert {route.lane for route in outbox.routes().values()} <= set(settings.LANES)
    assert {route.job for route in outbox.routes().values()} <= engine_jobs.ALLOWED


# ---- what fails


def fail(*ids: int, now: datetime) -> int:
    return replay.note_failure(topic=TOPIC, object_ids=ids, error="ValueError", now=now)


def test_rows_that_failed_together_are_tried_again_alone_and_later_each_time(now: datetime) -> None:
    write(1, 2, now=now)
    redis_client().flushall()
    fail(1, 2, now=now)
    minute, patience = timedelta(minutes=1), timedelta(seconds=20)
    assert replay.sweep(now=now + patience, before=now) == 0, "the first failure doubles the wait"
    assert replay.sweep(now=now + minute, before=now + minute - patience) == 2
    assert sorted(jobs()) == [[[1]], [[2]]]


def test_only_the_row_that_keeps_failing_dies_and_the_others_go_on(now: datetime) -> None:
    write(1, 2, now=now)
    assert [fail(1, now=now) for _ in range(replay.MOST_TRIES)] == [0] * (replay.MOST_TRIES - 1) + [1]
    assert [(row.object_id, row.error) for row in replay.dead()] == [(1, "ValueError")]
    redis_client().flushall()
    later = now + timedelta(days=1)
    assert replay.sweep(now=later, before=later - timedelta(seconds=20)) == 1
    assert jobs() == [[[2]]]


def test_a_fact_that_is_noted_again_has_all_its_tries_again(now: datetime) -> None:
    write(1, now=now)
    for _ in range(replay.MOST_TRIES):
        fail(1, now=now)
    write(1, now=now)
    row = OutboxRow.objects.get()
    assert (row.tries, row.error, row.died_at) == (0, "", None)


def test_dead_rows_are_revived_or_discarded_and_no_others(now: datetime) -> None:
    write(1, 2, 3, now=now)
    OutboxRow.objects.filter(object_id__lt=3).update(died_at=now, tries=6)
    assert replay.dead_by_topic() == [(TOPIC, 2, now, "")]
    redis_client().flushall()
    assert replay.revive(topic=TOPIC, now=now, limit=1) == 1
    assert jobs() == [[[1]]]
    assert replay.discard(topic=TOPIC, now=now, limit=10) == 1
    assert set(OutboxRow.objects.filter(done_at=None).values_list("object_id", flat=True)) == {1, 3}
    assert not replay.dead().exists()


def test_a_consequence_that_happens_after_all_brings_a_dead_row_to_its_end(now: datetime) -> None:
    write(1, now=now)
    taken = outbox.take(topic=TOPIC, object_ids=[1])
    OutboxRow.objects.update(died_at=now)
    outbox.finish(topic=TOPIC, taken=taken, now=now)
    assert not replay.dead().exists()
