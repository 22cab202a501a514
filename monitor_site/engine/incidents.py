"""What is wrong with the installation, written down from when it began until it was over: looked at every five seconds.

While no promoter is alive nobody looks: that is seen afterwards: from when the last was heard of
until the next began.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import redis
import structlog
from django.conf import settings
from django.db.models import F
from django.db.models.functions import Greatest
from rq.utils import utcparse

from monitor_site.connections import key, redis_client
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Watch

from . import lateness, machines
from .models import Incident, IncidentKind

log = structlog.get_logger(__name__)

# A worker of a lane that was killed is back within seconds; one that was silent for so long counts as gone.
GONE_SECONDS = 75
START_SECONDS = 30
# So long without a promoter is more than a restart.
GAP_MS = 15_000
# As the promoter calls it, which knows of upkeep and is not to be known here.
PROMOTERS = "promoters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something is wrong at this moment. ``late_ms`` is the greatest lateness there."""

    kind: IncidentKind
    subject: str = ""
    detail: str = ""
    late_ms: int | None = None


def watch(now: datetime) -> None:
    """Open what is wrong and not open yet, note how bad it is, close what is over."""
    client = redis_client()
    facts = {(fact.kind.value, fact.subject): fact for fact in look(client)}
    open_rows = {(row.kind, row.subject): row for row in Incident.objects.filter(closed_at=None)}
    for place, fact in facts.items():
        if place in open_rows:
            _worsen(open_rows[place], fact)
        else:
            _open(fact, now)
    over = [row.pk for place, row in open_rows.items() if place not in facts]
    if over:
        Incident.objects.filter(pk__in=over, closed_at=None).update(closed_at=Greatest(F("opened_at"), now))
    _note_gap(client)


def look(client: redis.Redis) -> Iterator[Fact]:
    """What is wrong now."""
    names = sorted(catalog().plugins)
    late = lateness.by_marketplace(client, names)
    for name, view in breaker.read_all(client, names).items():
        if view["state"] != "closed":
            late_ms = late.pop(name).oldest_ms
            yield Fact(kind=IncidentKind.BREAKER, subject=name, detail=view["reason"][:32], late_ms=late_ms)
    behind = lateness.together(late.values())
    if behind.is_bad:
        yield Fact(kind=IncidentKind.LATE, late_ms=behind.oldest_ms)
    for host, state in machines.states(client).items():
        if state.level != machines.Level.NORMAL:
            yield Fact(kind=IncidentKind.LOAD, subject=host[:64], detail=state.level.value)
    yield from (Fact(kind=IncidentKind.LANE, subject=lane) for lane in _deserted(client))


def _deserted(client: redis.Redis) -> list[str]:
    """Lanes that nobody has served for longer than a start takes."""
    served, seen = _served(client), key("unserved")
    empty = [lane for lane in settings.LANES if lane not in served]
    now, _ = client.time()
    if served:
        client.hdel(seen, *served)
    for lane in empty:
        client.hsetnx(seen, lane, now)
    since: Any = client.hmget(seen, empty) if empty else []
    return [lane for lane, at in zip(empty, since, strict=True) if now - int(at or now) >= START_SECONDS]


def _served(client: redis.Redis) -> set[str]:
    """Lanes with a worker that was heard of lately, as RQ remembers it."""
    names: Any = client.smembers("rq:workers")
    with client.pipeline(transaction=False) as pipe:
        pipe.time()
        for name in names:
            pipe.hmget(name, "queues", "last_heartbeat")
        (now, _micros), *rows = pipe.execute()
    return {row[0].decode().partition(",")[0] for row in rows if all(row) and _age(now, row[1].decode()) < GONE_SECONDS}


def _age(now: int, heard: str) -> float:
    try:
        return now - utcparse(heard).timestamp()
    except ValueError:
        return float(GONE_SECONDS)


def _open(fact: Fact, now: datetime) -> None:
    """Two lookers at once open one."""
    row = Incident(
        kind=fact.kind, subject=fact.subject, detail=fact.detail, opened_at=now, watches=_touched(fact),
        worst_ms=fact.late_ms,
    )  # fmt: skip
    Incident.objects.bulk_create([row], ignore_conflicts=True)
    log.warning("incident.opened", kind=fact.kind.value, subject=fact.subject, detail=fact.detail)


def _touched(fact: Fact) -> int | None:
    """How many watches wait for that."""
    active = Watch.objects.active()
    if fact.kind == IncidentKind.BREAKER:
        return active.filter(links__target__marketplace=fact.subject).distinct().count()
    return active.count() if fact.kind == IncidentKind.LATE else None


def _worsen(row: Incident, fact: Fact) -> None:
    """The greatest lateness stays, and what is said last of why."""
    worst = max(row.worst_ms or 0, fact.late_ms or 0) if fact.late_ms is not None else row.worst_ms
    if (worst, fact.detail) != (row.worst_ms, row.detail):
        Incident.objects.filter(pk=row.pk, closed_at=None).update(worst_ms=worst, detail=fact.detail)


def _note_gap(client: redis.Redis) -> None:
    """No promoter was alive between the beat that was seen last and the birth of all that live now."""
    told: Mapping[Any, Any] = client.hgetall(key(PROMOTERS))
    lives = [tuple(map(int, text.decode().split("|")[:2])) for text in told.values()]
    seen = int(client.get(key("watched")) or 0)
    alive = [since for beat, since in lives if beat > seen]
    if alive and seen and min(alive) - seen > GAP_MS:
        begun, ended = (datetime.fromtimestamp(ms / 1000, tz=UTC) for ms in (seen, min(alive)))
        Incident.objects.create(
            kind=IncidentKind.PROMOTER, opened_at=begun, closed_at=ended, worst_ms=min(alive) - seen,
            watches=Watch.objects.active().count(),
        )  # fmt: skip
    if alive:
        client.set(key("watched"), max(beat for beat, _ in lives))
