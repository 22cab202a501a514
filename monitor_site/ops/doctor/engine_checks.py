"""The engine: somebody promotes, every lane is served, nothing is missing from the schedule, nothing waits too long."""

from collections.abc import Iterable
from datetime import UTC, datetime

import redis
from django.conf import settings

from monitor_site.engine import rolling
from monitor_site.engine.lateness import MOST_OVERDUE, OLDEST_MS
from monitor_site.engine.machines import Level
from monitor_site.engine.members import member_of
from monitor_site.engine.schedule import Schedule
from monitor_site.marketplaces.breaker import PAUSED
from monitor_site.marketplaces.catalog import catalog
from monitor_site.ops.clockwork import Market
from monitor_site.ops.figures import Running
from monitor_site.ops.stored import Stored
from monitor_site.watches.models import Target

from .finding import Finding, fail, ok, warn

OUTBOX_SECONDS = 120.0
MOST_NAMED = 5
WORKERS_COMMAND = "Start workers: manage.py rqworker."


def promoters(now: Running) -> Iterable[Finding]:
    """Without one nothing is put on the lanes."""
    if now.promoters_alive:
        yield ok("promoter", f"{now.promoters_alive} alive")
    else:
        yield fail("promoter", "none is alive, so nothing is checked", "Start one: manage.py run_promoter.")


def workers(now: Running) -> Iterable[Finding]:
    """Every lane needs one."""
    lonely = [lane.name for lane in now.lanes if not lane.alive]
    if lonely:
        yield fail("workers", f"none for {', '.join(lonely)}", WORKERS_COMMAND)
    else:
        yield ok("workers", ", ".join(f"{lane.name} {lane.alive}" for lane in now.lanes))
    yield from _odd_workers(now)


def _odd_workers(now: Running) -> Iterable[Finding]:
    everybody = [worker for lane in now.lanes for worker in lane.workers]
    if silent := [worker.name for worker in everybody if not worker.alive]:
        advice = "Killed, stopped or stuck: its questions run again when their leases end. See the page Operations."
        yield warn("silent workers", ", ".join(silent[:MOST_NAMED]), advice)
    versions = sorted({worker.version for worker in everybody if worker.alive and worker.version})
    if len(versions) > 1:
        yield warn(
            "versions", f"workers of {' and '.join(versions)} run", "Finish the upgrade: restart the older ones."
        )


def upkeep(now: Running) -> Iterable[Finding]:
    """Housekeeping that fails, or has not been done for long."""
    failing = [(name, state) for name, state in now.tasks.items() if state.failed]
    for name, state in failing:
        words = f"{name} failed {state.failed} times in a row with {state.error}"
        yield warn("upkeep", words, "The log of the upkeep worker says why; the page Operations runs it again.")
    if not failing:
        yield ok("upkeep", f"{len(now.tasks)} tasks have run, all well")


def roll_up() -> Iterable[Finding]:
    """Days of checks that nobody has summed."""
    if rolling.is_behind(datetime.now(UTC)):
        words = f"days of checks wait for over {rolling.PATIENCE_DAYS} days"
        yield warn(
            "roll-up", words, "Is the task days-checks failing? Checks are kept a week longer for it, then lost."
        )
    else:
        yield ok("roll-up", "every day that is over long enough is summed")


def schedule(client: redis.Redis, now: Running) -> Iterable[Finding]:
    """Marked as complete, and with every active question in it."""
    if not now.built:
        yield fail("schedule", "is not built", "A promoter builds it within a second; is one alive?")
        return
    missing = sum(_missing(Schedule(client), name) for name in catalog().plugins)
    if missing:
        words = f"{missing} active questions are missing"
        yield warn("schedule", words, "An audit adds them within a minute; else run manage.py sync_schedule.")
    else:
        yield ok("schedule", f"complete: {sum(one.searches + one.looks for one in now.markets)} questions")


def _missing(planned: Schedule, marketplace: str) -> int:
    active = Target.objects.filter(marketplace=marketplace, active=True).values_list("pk", "kind")
    return len({member_of(pk, kind) for pk, kind in active} - planned.members(marketplace))


def overdue(now: Running) -> Iterable[Finding]:
    """Late searches where somebody may ask."""
    words = f"{now.overdue} searches late by over a second, the latest by {now.oldest_ms / 1000:.1f} s"
    advice = "See the page Operations: too few workers, a slow marketplace, or more watches than the pace allows."
    if now.overdue > MOST_OVERDUE or now.oldest_ms > OLDEST_MS:
        yield fail("overdue", words, advice)
    elif now.overdue:
        yield warn("overdue", words, advice)
    else:
        yield ok("overdue", "nothing is late")


def breakers(now: Running) -> Iterable[Finding]:
    """Marketplaces that are not asked."""
    for one in now.markets:
        view = one.breaker
        if view["reason"] == PAUSED:
            yield warn("breaker", f"{one.name} is paused by an operator", "The page Operations resumes it.")
        elif view["state"] != "closed":
            advice = "See the page Marketplaces; manage.py reset_breaker asks again once the cause is gone."
            yield warn("breaker", f"{one.name} is {view['state']}: {view['reason']}, until {view['until']}", advice)


def demand(now: Running, kept: Stored) -> Iterable[Finding]:
    """More questions than a marketplace's pace allows are asked less often than wished."""
    for one in now.markets:
        wanted = kept.demand.get(one.name, 0.0)
        if wanted > one.pace.per_minute:
            yield warn("pace", _too_much(one, wanted), "Longer intervals or fewer watches; the rest waits its turn.")


def _too_much(one: Market, wanted: float) -> str:
    return f"{one.name} is wanted {wanted:.0f} times a minute and may be asked {one.pace.per_minute} times"


def load(now: Running) -> Iterable[Finding]:
    """Machines on which checks give way."""
    for host, state in now.machines.items():
        if state.level != Level.NORMAL:
            words = f"{host} is {state.level}: processors {state.cpu:.0f} %, memory {state.memory:.0f} %"
            yield warn("load", words, "Checks give way there: give it less to do, or add a machine.")


def outbox(now: Running, kept: Stored) -> Iterable[Finding]:
    """Facts whose consequence is late."""
    age = 0.0 if kept.outbox_oldest is None else now.now_ms / 1000 - kept.outbox_oldest.timestamp()
    if age > OUTBOX_SECONDS:
        words = f"{kept.outbox_open} facts wait for their consequence, the oldest for {age:.0f} s"
        yield warn("outbox", words, f"{WORKERS_COMMAND} If they run, their log says what fails.")
    else:
        yield ok("outbox", f"{kept.outbox_open} open")
    if dead := sum(kept.dead.values()):
        words = f"{dead} facts are dead, since their jobs failed too often ({', '.join(kept.dead)})"
        yield warn("dead jobs", words, "See why, then try them again or discard them on the page Operations.")
    if kept.quarantined:
        words = f"{kept.quarantined} questions are out of the schedule, since they killed workers"
        yield warn("quarantine", words, "Find them under Targets in the administration.")


def plugins() -> Iterable[Finding]:
    """Plugins that do not load, and what is asked where."""
    for name, reason in catalog().broken.items():
        yield fail("plugin", f"{name} does not work: {reason}", "Mend or remove it; its watches stand still.")
    if not catalog().plugins:
        yield fail("plugins", "none works", "PLUGIN_DIR must hold at least one.")
        return
    yield ok("plugins", ", ".join(sorted(catalog().plugins)))
    played = {name: catalog().practice_address(name) for name in catalog().plugins}
    if settings.LIVE:
        yield ok("kind", "live: the real marketplaces are asked")
    elif all(played.values()):
        yield ok("kind", "practice: every marketplace is played on this machine")
    else:
        silent = ", ".join(sorted(name for name, address in played.items() if not address))
        yield warn("kind", f"practice, and nobody plays {silent}", "make run starts practice markets, or set LIVE=1.")
