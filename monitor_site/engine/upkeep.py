"""Housekeeping as ordinary members of a schedule of their own: ids are names, leases and beats as everywhere.

Each task may run twice at once or not for a while; none of them is needed for a check to be on time.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Q, QuerySet

from monitor_site.alerts import services as alerts
from monitor_site.alerts.models import Alert, Delivery, Trouble
from monitor_site.connections import redis_client
from monitor_site.contract import Pace
from monitor_site.marketplaces import pausing
from monitor_site.marketplaces.catalog import catalog
from monitor_site.outbox import replay
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import handing, ledger, proposing, reconciling, sealing, submitting, sweeping
from monitor_site.purchasing.models import Order, Scope
from monitor_site.watches import follow, pricing, questions, sold
from monitor_site.watches.beat import next_beat, phase_ms
from monitor_site.watches.models import Check, Doubt, Sample, Target

from . import exchange_rates, incidents, machines, nightly, planning, replaying, rolling, settling, tallying, task_log
from .models import Incident
from .schedule import UPKEEP, Schedule

log = structlog.get_logger(__name__)

# One call may lease every task.
PACE = Pace(per_minute=60_000, ceiling_per_minute=60_000, floor_seconds=1, concurrency=50)
OUTBOX_PATIENCE = timedelta(seconds=20)
OUTBOX_KEPT = timedelta(days=2)
SAMPLES_KEPT = timedelta(days=400)
INCIDENTS_KEPT = timedelta(days=400)
PRUNED_AT_ONCE = 500
PRUNE_SECONDS = 10.0
STEP_MS = 5000
NIGHT, DAWN = 2, 4
IDLE_CPU = 50.0


def audit(now: datetime) -> None:
    """Add what is missing from the schedule, take out what no target stands for, mend what stands wrongly."""
    schedule = Schedule(redis_client())
    pausing.apply(redis_client())
    healed = questions.heal(now=now) + follow.heal_clocks(now=now)
    added, removed = settling.rebuild(schedule), settling.prune(schedule)
    if added or removed or healed:
        log.warning("schedule.audited", added=added, removed=removed, healed=healed)


def follow_matches(now: datetime) -> None:
    """Have the listings of matches looked at that are not, those of an earlier release too, and no others."""
    if healed := follow.heal(now=now):
        log.info("follow.healed", listings=healed)


def ask_for_sales(now: datetime) -> None:
    """Have sales asked for wherever a search asks, those of an earlier release too, and nowhere else."""
    if healed := sold.heal(now=now):
        log.info("sales.healed", searches=healed)


def work_out_prices(now: datetime) -> None:
    """Keep the figures ready that cards compare a price with."""
    pricing.roll_up(now=now)


def sweep_outbox(now: datetime) -> None:
    """Hand out again what got lost between a commit and its job."""
    replaying.note_failures(redis_client(), now=now)
    if swept := replay.sweep(now=now, before=now - OUTBOX_PATIENCE):
        log.warning("outbox.swept", rows=swept)


def keep_orders(now: datetime) -> None:
    """End what nobody answered in time, and have go on what waits for nobody any more."""
    if not Order.objects.under_way().exists():
        return
    ended = proposing.expire(now=now) + submitting.give_up(now=now)
    taken = handing.take_up(now=now)
    if ended or taken:
        log.info("orders.kept", expired=ended, taken_up=taken)


def ask_outcomes(now: datetime) -> None:
    """Have asked what became of orders, and every purchase of an account tied to one or shown as not ours."""
    asked = reconciling.wake(now=now) if Order.objects.under_way().exists() else 0
    swept = sweeping.wake(now=now)
    if asked or swept:
        log.info("orders.asked", orders=asked, accounts=swept)


def seal_record(now: datetime) -> None:
    """Seal what was written into the audit log, the steps of orders and the ledger."""
    sealing.seal(now=now)


def check_record(now: datetime) -> None:
    """Compare the seals with their rows and the counters with the ledger; let go of entries whose time is over."""
    if settings.AUDIT_RETENTION_DAYS:
        sealing.retire(before=now - timedelta(days=settings.AUDIT_RETENTION_DAYS), now=now)
    sealing.verify(now=now)
    for sentence in ledger.recount(Scope.objects.order_by("pk").iterator(chunk_size=1000)):
        log.error("ledger.differs", counter=sentence)


def wake_channels(now: datetime) -> None:
    """Have told what was held until now, is tried again, or lost its worker."""
    if woken := alerts.wake_channels(now=now):
        log.debug("alerts.woken", channels=woken)


def test_channels(now: datetime) -> None:
    """A channel that has been silent for a week says that it still works."""
    if tested := alerts.begin_weekly_tests(now=now):
        log.info("alerts.tested", channels=tested)


def prune(now: datetime) -> None:
    """The one owner of retention: old checks that are summed, looks, doubts, samples, alerts, outbox rows, incidents,

    sessions. Within bounds.
    """
    give_up = time.monotonic() + PRUNE_SECONDS
    old = now - timedelta(days=settings.CHECK_RETENTION_DAYS)
    _prune(Check.objects.filter(started_at__lt=rolling.summed_until(old)), give_up)
    _prune(Incident.objects.filter(closed_at__lt=now - INCIDENTS_KEPT), give_up)
    idle = Q(checked_at__lt=old) | Q(checked_at=None, created_at__lt=old)
    _prune(Target.objects.looks().filter(idle, active=False, quarantined_at=None, links=None), give_up)
    _prune(Doubt.objects.filter(raised_at__lt=old), give_up)
    _prune(Sample.objects.filter(at__lt=now - SAMPLES_KEPT), give_up)
    _prune(OutboxRow.objects.filter(done_at__lt=now - OUTBOX_KEPT), give_up)
    _prune(OutboxRow.objects.filter(died_at__lt=old), give_up)
    _prune(Alert.objects.filter(created_at__lt=old), give_up)
    _prune(Delivery.objects.filter(created_at__lt=old), give_up)
    _prune(Trouble.objects.filter(ended_at__lt=old), give_up)
    Session.objects.filter(expire_date__lt=now).delete()


def _prune(old: QuerySet[Any], give_up: float) -> None:
    """In small transactions, so that checks are recorded in between."""
    while time.monotonic() < give_up:
        ids = list(old.order_by("pk").values_list("pk", flat=True)[:PRUNED_AT_ONCE])
        if not ids:
            return
        old.filter(pk__in=ids).delete()


def sample_lanes(_now: datetime) -> None:
    """Remember how long the lanes are, so that pages can tell whether they grow."""
    tallying.sample_depths(redis_client())


def tidy(now: datetime) -> None:
    """Let the database count its rows anew, so that it finds the short ways."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA optimize" if connection.vendor == "sqlite" else "ANALYZE")
    log.info("database.tidied", at=now.isoformat())


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A housekeeping task, how often it is due, and conditions that must all hold; else it waits for its next beat."""

    run: Callable[[datetime], None]
    every_seconds: int
    only: tuple[Callable[[datetime], bool], ...] = ()

    def may_run(self, now: datetime) -> bool:
        """Every condition holds."""
        return all(holds(now) for holds in self.only)


def is_night(now: datetime) -> bool:
    """It is between 2 and 4 o'clock at a marketplace."""
    zones = {plugin.manifest.time_zone for plugin in catalog().plugins.values()}
    return any(NIGHT <= now.astimezone(ZoneInfo(zone)).hour < DAWN for zone in zones)


def is_idle(_now: datetime) -> bool:
    """Every machine with workers has half of its processors to spare; not while nobody knows."""
    state = machines.load_state(redis_client())
    return state is not None and state.cpu < IDLE_CPU


def is_quiet(now: datetime) -> bool:
    """It is night and idle; or it never is, and days have waited too long."""
    return (is_night(now) and is_idle(now)) or rolling.is_behind(now)


def _at_night(name: str, run: Callable[[datetime], None]) -> Task:
    return Task(run=nightly.step(name, run), every_seconds=300, only=(is_quiet, nightly.has_its_turn(name)))


TASKS = {
    "audit": Task(run=audit, every_seconds=60),
    planning.TASK: Task(run=planning.plan_all, every_seconds=planning.SECONDS),
    "days-checks": _at_night("days-checks", rolling.roll_up_checks),
    "days-prices": _at_night("days-prices", rolling.roll_up_prices),
    "tidy": _at_night("tidy", tidy),
    "lanes": Task(run=sample_lanes, every_seconds=15),
    "incidents": Task(run=incidents.watch, every_seconds=5),
    "follow": Task(run=follow_matches, every_seconds=300),
    "sales": Task(run=ask_for_sales, every_seconds=300),
    "prices": Task(run=work_out_prices, every_seconds=60),
    "orders": Task(run=keep_orders, every_seconds=5),
    "outcomes": Task(run=ask_outcomes, every_seconds=5),
    "seals": Task(run=seal_record, every_seconds=60),
    "seals-check": Task(run=check_record, every_seconds=3600),
    "channels": Task(run=wake_channels, every_seconds=5),
    "weekly": Task(run=test_channels, every_seconds=3600),
    "outbox": Task(run=sweep_outbox, every_seconds=15),
    "retention": Task(run=prune, every_seconds=60),
    "rates": Task(
        run=exchange_rates.load_rates, every_seconds=exchange_rates.SECONDS, only=(exchange_rates.is_wanted,)
    ),
}


def plant(schedule: Schedule) -> None:
    """Put the tasks that are missing into the upkeep schedule, and pull in what a clock set back left far ahead."""
    now = schedule.now_ms()
    beats = [(name, _first_beat(name, task.every_seconds, now)) for name, task in TASKS.items()]
    schedule.put(marketplace=UPKEEP, moves=[(name, how, beat) for name, beat in beats for how in ("new", "bound")])


def key_of(name: str, seconds: int) -> str:
    """Spread over the interval, but in steps: tasks that are due in the same moment share a ticket."""
    phase = phase_ms(hashlib.sha256(name.encode()).hexdigest(), seconds)
    return f"{phase - phase % STEP_MS:012x}"


def _first_beat(name: str, seconds: int, now: int) -> int:
    return next_beat(phase=phase_ms(key_of(name, seconds), seconds), interval_seconds=seconds, after_ms=now)


def run_soon(name: str) -> bool:
    """A person wants a task run now, whatever its conditions say; whether there is such a task."""
    if name not in TASKS:
        return False
    task_log.wish(redis_client(), name)
    Schedule(redis_client()).put(marketplace=UPKEEP, moves=[(name, "sooner", 0)])
    return True
