"""The plan as housekeeping: every ten seconds and soon after a change, for every marketplace."""

import time
from datetime import datetime

import redis
import structlog

from monitor_site.connections import redis_client
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import planned
from monitor_site.watches.plan import Load

from . import machines, ranking, settling
from .schedule import UPKEEP, Schedule

log = structlog.get_logger(__name__)

TASK = "plan"
SECONDS = 10
# Several changes in so many milliseconds are planned together.
SOON_MS = 1000
SLOW_SECONDS = 1.0


def soon(schedule: Schedule) -> None:
    """Plan again, since wishes have changed."""
    schedule.put(marketplace=UPKEEP, moves=[(TASK, "bound", schedule.now_ms() + SOON_MS)])


def plan_all(now: datetime) -> None:
    """Plan every marketplace anew; what is asked more often now moves nearer, nothing moves away."""
    schedule, client = Schedule(redis_client()), redis_client()
    load = load_of(client, late=_is_late(schedule))
    ranking.rank_questions()
    for name in sorted(catalog().plugins):
        _plan(name, schedule, client, load, now)


def load_of(client: redis.Redis, *, late: bool) -> Load:
    """The level of the busiest machine; one that is busy and on time needs nothing stretched."""
    state = machines.load_state(client)
    return Load(state.level.value) if state is not None and late else Load.NORMAL


def _is_late(schedule: Schedule) -> bool:
    plugins = catalog().plugins
    return any(schedule.waiting(marketplace=name, pace=catalog().pace(name)).late for name in plugins)


def _plan(name: str, schedule: Schedule, client: redis.Redis, load: Load, now: datetime) -> None:
    begun = time.monotonic()
    made = planned.replan(marketplace=name, load=load, now=now)
    if made.sooner:
        settling.draw_near(schedule, target_ids=made.sooner)
    planned.keep(client, name, made.standing)
    seconds = time.monotonic() - begun
    if made.changed or seconds > SLOW_SECONDS:
        log.info(
            "plan.made", marketplace=name, changed=len(made.changed), asked=made.standing.questions, seconds=seconds
        )
