"""Runs the tasks of :mod:`.upkeep` that are due: leased like checks, and given back to their beats."""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import structlog

from monitor_site.connections import async_redis_client, redis_client
from monitor_site.watches.results import Standing

from . import task_log
from .schedule import TICKET_LIVE_MS, UPKEEP, Lease, Leased, Leases, Return
from .task_log import TaskState
from .upkeep import PACE, TASKS, Task, key_of

log = structlog.get_logger(__name__)

TASK_SECONDS = 120
# A task that died is simply run again, and never suspected of anything.
NEVER = sys.maxsize
UNKNOWN_TASK_SECONDS = 60
# What is due so often is quick, and goes back together; what is due more seldom may last, and goes back alone.
QUICK_SECONDS = 30
# What is due later than that comes with a ticket of its own.
SOON_MS = TICKET_LIVE_MS


def run_due(ticket: str) -> None:
    """Lease what is due, run one after the other, give it back to its next beat; through one client for the ticket."""
    tickets, client = [ticket], async_redis_client()
    leases = Leases(client, worker=UPKEEP, lease_ms=TASK_SECONDS * 1000, lone_crashes=NEVER)
    with asyncio.Runner() as loop:
        try:
            while (leased := loop.run(_lease(leases, tickets))).leases:
                waiting = sorted(leased.leases, key=_seconds)
                while together := _first(waiting):
                    _run(together)
                    loop.run(_give_back(leases, together))
                    waiting = loop.run(_still_held(leases, waiting[len(together) :]))
                if leased.rest_ms > SOON_MS:
                    return
                tickets = []
        finally:
            loop.run(client.aclose())


async def _lease(leases: Leases, tickets: list[str]) -> Leased:
    return await leases.lease(marketplace=UPKEEP, pace=PACE, slots=PACE.concurrency, idle=True, tickets=tickets)


def _first(waiting: Sequence[Lease]) -> Sequence[Lease]:
    """The quick ones, all together; then each of the others."""
    quick = [lease for lease in waiting if _seconds(lease) < QUICK_SECONDS]
    return quick or waiting[:1]


async def _still_held(leases: Leases, waiting: Sequence[Lease]) -> list[Lease]:
    """What waits behind others gets its full time again; what was lost meanwhile is left to whoever has it."""
    lost = await leases.extend(marketplace=UPKEEP, leases=waiting) if waiting else set()
    return [lease for lease in waiting if lease not in lost]


def _seconds(lease: Lease) -> int:
    return TASKS[lease.id].every_seconds if lease.id in TASKS else UNKNOWN_TASK_SECONDS


def _run(together: Sequence[Lease]) -> None:
    """A task that fails is logged and due again at its next beat; one of another release is left to that release."""
    client, told = redis_client(), dict[str, TaskState]()
    wished = task_log.wished(client, [lease.id for lease in together])
    for name, task in [(lease.id, TASKS[lease.id]) for lease in together if lease.id in TASKS]:
        now = datetime.now(UTC)
        if (name in wished and task_log.was_wished(client, name)) or _may_run(name, task, now):
            with task_log.noting(client, name, now=now, told=told):
                task.run(now)
    task_log.keep(client, told)


def _may_run(name: str, task: Task, now: datetime) -> bool:
    try:
        return task.may_run(now)
    except Exception:
        log.exception("upkeep.failed", task=name)
        return False


async def _give_back(leases: Leases, together: Sequence[Lease]) -> None:
    await leases.give_back(marketplace=UPKEEP, returns=[_returned(lease) for lease in together])


def _returned(lease: Lease) -> Return:
    seconds = _seconds(lease)
    standing = Standing(target_id=0, key=key_of(lease.id, seconds), active=True, interval_seconds=seconds)
    return Return(lease=lease, how="beat", standing=standing)
