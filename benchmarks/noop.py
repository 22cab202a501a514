"""A promoter or a worker of the engine whose checks ask nobody: ``noop.py promoter|checks|express SEAT [options]``.

Schedule, promoter, tickets, leases, feeds, flushes and workers are the product's own. Put in their place, in this
process only: marketplaces that no plugin teaches, the rows of targets, the asking, and the recording. The housekeeping
is not planted. Flushes come as often as on PostgreSQL.
"""

import argparse
import asyncio
import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import arrival
import mix
from beats import Notes

FLUSH_SECONDS = 0.03
STRAGGLES_SECONDS = 3.0
NOTED_TOGETHER = 500


def key_of(number: int) -> str:
    """What spreads targets over their interval."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def straggles(number: int, due_ms: int, percent: float) -> bool:
    """Whether this run of a target is one of those that take three seconds; other runs of it are not."""
    return int(key_of(number * 1_000_003 + due_ms)[:8], 16) % 10_000 < percent * 100


def marketplaces(count: int) -> list[str]:
    """Their names."""
    return [f"bench{number}" for number in range(count)]


def know(count: int, concurrency: int) -> None:
    """These marketplaces, and no other, work in this process; none of them sets a pace that could be felt."""
    from monitor_site.contract import CONTRACT_VERSION, Access, Capability, Manifest, Pace, Plugin, SearchCriteria
    from monitor_site.marketplaces import catalog

    def plugin(name: str) -> Plugin:
        manifest = Manifest(
            name=name, title={"en": name}, contract=CONTRACT_VERSION, home="https://bench.example",
            hosts=("bench.example",), picture_hosts=(), currency="JPY", time_zone="Asia/Tokyo",
            capabilities=frozenset({Capability.SEARCH}), criteria=SearchCriteria,
            pace=Pace(per_minute=10**8, ceiling_per_minute=10**8, floor_seconds=1, concurrency=concurrency),
            access=Access.PUBLIC_PAGES, control=SearchCriteria(keyword="bench"), search_tells=frozenset(), index_lag=0,
        )  # fmt: skip
        return Plugin(manifest=manifest, connect=lambda _session: None, api="https://bench.example", practice="nowhere")

    known = catalog.Catalog(
        plugins=MappingProxyType({name: plugin(name) for name in marketplaces(count)}), broken=MappingProxyType({})
    )
    catalog.load_catalog = lambda _folder: known
    catalog.catalog.cache_clear()


class Asker:
    """Stands in for the checker: notes when it was called, waits, and finds nothing."""

    def __init__(self, options: argparse.Namespace, notes: Notes) -> None:
        self._options = options
        self._notes = notes

    def __call__(self, *, gateway: Any, worker: str, server_now: Callable[[], float]) -> "Asker":  # noqa: ARG002
        """As the checker is made."""
        return self

    async def check(self, lease: Any, target: Any) -> Any:
        """As the checker checks."""
        started, number = time.time(), int(lease.id)
        await self._last(number, lease.due_ms)
        self._notes.write(number, lease.due_ms / 1000, started, time.time())
        return _result(lease, target, started)

    async def _last(self, number: int, due_ms: int) -> None:
        options = self._options
        if options.mix:
            await asyncio.sleep(mix.task(number).seconds)
        elif options.stragglers and straggles(number, due_ms, options.stragglers):
            await asyncio.sleep(STRAGGLES_SECONDS)
        else:
            await asyncio.sleep(0.001)
        busy_until = time.thread_time() + options.burn_ms / 1000
        while time.thread_time() < busy_until:
            pass


def _result(lease: Any, target: Any, started: float) -> Any:
    from monitor_site.watches.results import Result

    begun = datetime.fromtimestamp(started, tz=UTC)
    return Result(
        target_id=target.pk, fence=lease.fence, due_ms=lease.due_ms, trace="", worker="bench", started_at=begun,
        finished_at=datetime.now(UTC), lateness_ms=round(started * 1000 - lease.due_ms),
    )  # fmt: skip


def stand_in(options: argparse.Namespace, notes: Notes) -> None:
    """Put everything that would ask a marketplace or the database out of this process."""
    from monitor_site.engine import loop, recording
    from monitor_site.engine.schedule import Return
    from monitor_site.watches.models import Target
    from monitor_site.watches.record import standing_of

    rows: dict[str, Target] = {}

    def load(ids: Sequence[str]) -> dict[str, Target]:
        for name in [name for name in ids if name not in rows]:
            number = int(name)
            rows[name] = Target(
                pk=number, key=key_of(number), marketplace=marketplaces(options.marketplaces)[0],
                kind="search", interval_seconds=options.interval, active=True,
            )  # fmt: skip
        return {name: rows[name] for name in ids}

    def write(landed: Sequence[Any]) -> list[Return]:
        return [Return(lease=one.lease, how="beat", standing=standing_of(one.target, delay_ms=0)) for one in landed]

    loop.Checker = Asker(options, notes)
    loop.flush_seconds = lambda: FLUSH_SECONDS
    recording.load_targets, recording.write = load, write


def promote() -> None:
    """The product's promoter, without housekeeping."""
    from django.core.management import call_command

    from monitor_site.engine import upkeep

    upkeep.plant = lambda _schedule: None
    call_command("run_promoter")


def serve(options: argparse.Namespace) -> None:
    """The product's worker."""
    from monitor_site.engine import jobs, worker

    notes = Notes(Path(os.environ[arrival.FOLDER]), batch=1 if options.mix else options.noted_together)
    stand_in(options, notes)
    jobs.ALLOWED |= {arrival.JOB}
    try:
        worker.settle_memory()
        worker.work(lane=options.role, seat=options.seat, drain_seconds=10)
    finally:
        notes.flush()


def main() -> None:
    """Be what is asked for, until told to stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", choices=("promoter", "checks", "express"))
    parser.add_argument("seat")
    parser.add_argument("--marketplaces", type=int, default=1)
    parser.add_argument("--interval", type=int, default=5)
    parser.add_argument("--stragglers", type=float, default=0)
    parser.add_argument("--burn-ms", type=float, default=0)
    parser.add_argument("--concurrency", type=int, default=4000)
    parser.add_argument("--mix", action="store_true")
    parser.add_argument("--noted-together", type=int, default=NOTED_TOGETHER)
    options = parser.parse_args()
    import django

    django.setup()
    know(options.marketplaces, options.concurrency)
    if options.role == "promoter":
        promote()
    else:
        serve(options)


if __name__ == "__main__":
    main()
