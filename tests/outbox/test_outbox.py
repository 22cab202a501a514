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
from monitor_site.outbox import services as outbox
from monitor_site.outbox.models import OutboxRow

TOPIC = "story"
JOB = "monitor_site.engine.jobs.settle_targets"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def story(redis: Any) -> None:
    outbox.register(TOPIC, lane="upkeep", job=JOB)


def jobs() -> list[Any]:
    return [job.args for job in Queue("upkeep", connection=redis_client(), serializer=JSONSerializer).jobs]


def write(*ids: int, now: datetime) -> None:
    with transaction.atomic():
        outbox.write(topic=TOPIC, object_ids=ids, now=now)


def test_a_fact_that_is_committed_becomes_one_job(now: datetime) -> None:
    write(2, 1, 2, now=now)
    assert jobs() == [[[1, 2]]]


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
    assert outbox.sweep(now=now + timedelta(minutes=1), before=now + timedelta(seconds=1)) == 1
    assert jobs() == [[[1]]]


def test_facts_of_a_topic_nobody_serves_do_not_keep_the_others_from_being_swept(now: datetime) -> None:
    OutboxRow.objects.bulk_create(
        [OutboxRow(topic="unheard", object_id=pk, created_at=now - timedelta(days=1)) for pk in range(20)]
    )
    OutboxRow.objects.create(topic=TOPIC, object_id=1, created_at=now)
    assert outbox.sweep(now=now + timedelta(minutes=1), before=now + timedelta(seconds=1), limit=10) == 1


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
    assert outbox.sweep(now=now + timedelta(minutes=5), before=now + timedelta(minutes=1)) == 0


def test_a_row_of_a_topic_nobody_serves_is_left_alone(now: datetime) -> None:
    OutboxRow.objects.create(topic="unheard", object_id=1, created_at=now)
    outbox.sweep(now=now + timedelta(minutes=5), before=now + timedelta(minutes=1))
    assert OutboxRow.objects.get().done_at is None


def test_every_lane_of_a_route_exists() -> None:
    from monitor_site.engine import jobs as engine_jobs

    engine_jobs.register()
    assert {route.lane for route in outbox.routes().values()} <= set(settings.LANES)
    assert {route.job for route in outbox.routes().values()} <= engine_jobs.ALLOWED
