"""Write a fact's consequence beside the fact; hand it to the lanes after the commit.

``register`` is filled by the engine when the site starts, so that lower layers never import upwards.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

import redis
import structlog
from django.db import transaction
from django.db.models import F
from rq.exceptions import DuplicateJobError

from monitor_site.connections import lane_queue, redis_client

from .models import OutboxRow

log = structlog.get_logger(__name__)

EXPRESS = "express"
Chooser = Callable[[Collection[int]], Collection[int]]


def _none(_object_ids: Collection[int]) -> Collection[int]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a topic goes: the lane and the dotted path of the job, which takes a list of object ids.

    Those of its objects that ``hurried`` picks out wait behind no others: they go to the lane of what cannot wait.
    """

    lane: str
    job: str
    hurried: Chooser = _none


_routes: dict[str, Route] = {}


def register(topic: str, *, lane: str, job: str, hurried: Chooser = _none) -> None:
    """Say which job follows from a topic."""
    _routes[topic] = Route(lane=lane, job=job, hurried=hurried)


def routes() -> Mapping[str, Route]:
    """Every topic with its route."""
    return MappingProxyType(_routes)


def write(*, topic: str, object_ids: Iterable[int], now: datetime) -> None:
    """Note that something must follow for these objects; call it inside the fact's transaction.

    A fact noted again before or after its consequence is opened again with the next epoch.
    """
    ids = sorted(set(object_ids))
    if not ids:
        return
    _open_rows(topic=topic, ids=ids, now=now)
    transaction.on_commit(lambda: hand_out(topic=topic, object_ids=ids, now=now), robust=True)


def _open_rows(*, topic: str, ids: list[int], now: datetime) -> None:
    OutboxRow.objects.bulk_create(
        [OutboxRow(topic=topic, object_id=pk, created_at=now) for pk in ids], ignore_conflicts=True
    )
    OutboxRow.objects.filter(topic=topic, object_id__in=ids).update(
        epoch=F("epoch") + 1, created_at=now, done_at=None, tries=0, error="", died_at=None
    )


def hand_out(*, topic: str, object_ids: list[int], now: datetime) -> None:
    """Put the topic's job on its lane. When Redis is away nothing is lost: the sweep hands the rows out again."""
    rows = OutboxRow.objects.filter(topic=topic, object_id__in=object_ids, done_at=None)
    epochs = list(rows.order_by("object_id").values_list("object_id", "epoch"))
    if epochs:
        rows.update(handed_out_at=now)
        first = set(_routes[topic].hurried([pk for pk, _ in epochs]))
        _enqueue(topic, [row for row in epochs if row[0] in first], lane=EXPRESS)
        _enqueue(topic, [row for row in epochs if row[0] not in first], lane=_routes[topic].lane)


def _job_id(topic: str, epochs: list[tuple[int, int]]) -> str:
    """The same rows in the same epochs are the same job, and no others are."""
    return f"{topic}-{hashlib.sha256(repr(epochs).encode()).hexdigest()[:24]}"


def _enqueue(topic: str, epochs: list[tuple[int, int]], *, lane: str) -> None:
    if not epochs:
        return
    job_id, object_ids = _job_id(topic, epochs), [pk for pk, _ in epochs]
    try:
        lane_queue(lane, redis_client()).enqueue(
            _routes[topic].job, object_ids, job_id=job_id, unique=True, result_ttl=0, failure_ttl=3600
        )
    except DuplicateJobError:
        log.info("outbox.already_enqueued", topic=topic, job=job_id)
    except redis.RedisError as error:
        log.warning("outbox.redis_away", topic=topic, rows=len(object_ids), error=str(error))


def take(*, topic: str, object_ids: Iterable[int]) -> dict[int, int]:
    """The open rows of a topic, object id → epoch: what a job begins with and hands to :func:`finish`."""
    rows = OutboxRow.objects.filter(topic=topic, object_id__in=list(object_ids), done_at=None)
    return dict(rows.values_list("object_id", "epoch"))


def finish(*, topic: str, taken: Mapping[int, int], now: datetime) -> None:
    """The consequence happened. A fact that was noted again meanwhile has another epoch and stays open."""
    for epoch in set(taken.values()):
        ids = [pk for pk, taken_epoch in taken.items() if taken_epoch == epoch]
        OutboxRow.objects.filter(topic=topic, object_id__in=ids, epoch=epoch, done_at=None).update(
            done_at=now, died_at=None
        )
