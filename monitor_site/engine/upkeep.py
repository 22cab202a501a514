"""Housekeeping as ordinary members of a schedule of their own: ids are names, leases and beats as everywhere.

Each task may run twice at once or not for a while; none of them is needed for a check to be on time.
"""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError

from monitor_site.connections import async_redis_client, redis_client
from monitor_site.contract import Pace
from monitor_site.outbox import services as outbox
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.beat import next_beat, phase_ms
from monitor_site.watches.models import Check
from monitor_site.watches.results import Standing

from . import settling
from .schedule import UPKEEP, Lease, Leases, Return, Schedule

log = structlog.get_logger(__name__)

NAME = UPKEEP
PACE = Pace(per_minute=60_000, ceiling_per_minute=60_000, floor_seconds=1, concurrency=4)
OUTBOX_PATIENCE = timedelta(seconds=20)
OUTBOX_KEPT = timedelta(days=2)
PRUNED_AT_ONCE = 5000


def audit(_now: datetime) -> None:
    """Add what is missing from the schedule, take out what no target stands for."""
    schedule = Schedule(redis_client())
    added, removed = settling.rebuild(schedule), settling.prune(schedule)
    if added or removed:
        log.warning("schedule.audited", added=added, removed=removed)


def sweep_outbox(now: datetime) -> None:
    """Hand out again what got lost between a commit and its job."""
    if swept := outbox.sweep(now=now, before=now - OUTBOX_PATIENCE):
        log.warning("outbox.swept", rows=swept)


def prune(now: datetime) -> None:
    """The one owner of retention: old checks, finished outbox rows, dead sessions; a bounded number at a time."""
    old = Check.objects.filter(started_at__lt=now - timedelta(days=settings.CHECK_RETENTION_DAYS))
    Check.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:PRUNED_AT_ONCE])).delete()
    done = OutboxRow.objects.filter(done_at__lt=now - OUTBOX_KEPT)
    OutboxRow.objects.filter(pk__in=list(done.values_list("pk", flat=True)[:PRUNED_AT_ONCE])).delete()
    Session.objects.filter(expire_date__lt=now).delete()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A housekeeping task and how often it is due."""

    run: Callable[[datetime], None]
    every_seconds: int


TASKS = {
    "audit": Task(run=audit, every_seconds=60),
    "outbox": Task(run=sweep_outbox, every_seconds=15),
    "retention": Task(run=prune, every_seconds=600),
}


def plant(schedule: Schedule) -> None:
    """Put the tasks that are missing into the upkeep schedule."""
    now = schedule.now_ms()
    moves = [(name, "new", _first_beat(name, task.every_seconds, now)) for name, task in TASKS.items()]
    schedule.put(marketplace=NAME, moves=moves)


def _key(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _first_beat(name: str, seconds: int, now: int) -> int:
    return next_beat(phase=phase_ms(_key(name), seconds), interval_seconds=seconds, after_ms=now)


def run_due(ticket: str) -> None:
    """Lease what is due, run it, give it back to its next beat."""
    leases, results = asyncio.run(_lease(ticket)), []
    for lease in leases:
        _run(lease)
        results.append(_return(lease))
    if results:
        asyncio.run(_give_back(results))


async def _lease(ticket: str) -> tuple[Lease, ...]:
    async with async_redis_client() as client:
        leased = await Leases(client, worker=NAME).lease(
            marketplace=NAME, pace=PACE, slots=PACE.concurrency, idle=True, ticket=ticket
        )
        return leased.leases


def _run(lease: Lease) -> None:
    """A task that fails is logged and due again at its next beat."""
    task = TASKS.get(lease.id)
    try:
        if task is not None:
            task.run(datetime.now(UTC))
    except DatabaseError:
        log.exception("upkeep.failed", task=lease.id)


def _return(lease: Lease) -> Return:
    task = TASKS.get(lease.id)
    if task is None:
        return Return(lease=lease, how="remove")
    standing = Standing(target_id=0, key=_key(lease.id), active=True, interval_seconds=task.every_seconds)
    return Return(lease=lease, how="beat", standing=standing)


async def _give_back(returns: list[Return]) -> None:
    async with async_redis_client() as client:
        await Leases(client, worker=NAME).give_back(marketplace=NAME, returns=returns)
