"""Facts without their consequence: handed out again where it got lost, later and alone where it failed, until dead."""

from collections.abc import Collection
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Count, F, Max, Min, Q, QuerySet

from .models import OutboxRow
from .services import hand_out, routes, write

log = structlog.get_logger(__name__)

# With 20 seconds of patience the tries lie within about twenty minutes.
MOST_TRIES = 6
# A row that failed goes alone, so that it takes nobody with it; so many at once.
MOST_ALONE = 50


def sweep(*, now: datetime, before: datetime, limit: int = 500) -> int:
    """Hand out again what was noted before a moment and has no consequence yet; returns how many rows.

    Each failure doubles how long a row waits.
    """
    patience = now - before
    fresh = list(_open(tries=0, created_at__lt=before).values_list("topic", "object_id")[:limit])
    for topic in sorted({topic for topic, _ in fresh}):
        _again(topic, [pk for name, pk in fresh if name == topic], now)
    failed = list(_failed(now, patience).values_list("topic", "object_id")[:MOST_ALONE])
    for topic, pk in failed:
        _again(topic, [pk], now)
    return len(fresh) + len(failed)


def _open(**conditions: object) -> QuerySet[OutboxRow]:
    rows = OutboxRow.objects.filter(topic__in=routes(), done_at=None, died_at=None, **conditions)
    return rows.order_by("created_at")


def _failed(now: datetime, patience: timedelta) -> QuerySet[OutboxRow]:
    rested = Q()
    for tries in range(1, MOST_TRIES):
        rested |= Q(tries=tries, created_at__lt=now - patience * 2**tries)
    return _open().filter(rested)


def _again(topic: str, ids: list[int], now: datetime) -> None:
    OutboxRow.objects.filter(topic=topic, object_id__in=ids, done_at=None).update(epoch=F("epoch") + 1, created_at=now)
    hand_out(topic=topic, object_ids=ids, now=now)


@transaction.atomic
def note_failure(*, topic: str, object_ids: Collection[int], error: str, now: datetime) -> int:
    """A job failed on these rows; those with too many failures are dead. Returns how many died.

    Of several rows nobody knows which one failed; after the first failure each goes alone.
    """
    rows = OutboxRow.objects.filter(topic=topic, object_id__in=list(object_ids), done_at=None, died_at=None)
    rows.update(tries=F("tries") + 1, error=error[:64])
    died = rows.filter(tries__gte=MOST_TRIES).update(died_at=now)
    if died:
        log.error("outbox.died", topic=topic, rows=died, error=error)
    return died


def dead() -> QuerySet[OutboxRow]:
    """The rows that nobody hands out any more, the oldest first."""
    return OutboxRow.objects.filter(done_at=None, died_at__isnull=False).order_by("died_at", "pk")


def dead_by_topic() -> list[tuple[str, int, datetime, str]]:
    """Topic, how many are dead, since when the oldest is, and one of their errors."""
    counted = dead().order_by().values("topic").annotate(n=Count("pk"), since=Min("died_at"), why=Max("error"))
    return list(counted.order_by("topic").values_list("topic", "n", "since", "why"))


@transaction.atomic
def revive(*, topic: str, now: datetime, limit: int) -> int:
    """Hand out the dead rows of a topic as if they were noted now; returns how many."""
    ids = list(dead().filter(topic=topic).values_list("object_id", flat=True)[:limit])
    write(topic=topic, object_ids=ids, now=now)
    return len(ids)


def discard(*, topic: str, now: datetime, limit: int) -> int:
    """Give the consequence of these dead rows up for good; returns how many."""
    ids = list(dead().filter(topic=topic).values_list("pk", flat=True)[:limit])
    return OutboxRow.objects.filter(pk__in=ids, done_at=None, died_at__isnull=False).update(done_at=now)
