"""From landed checks to the database and back to the schedule. The blocking part runs in the recording thread."""

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import redis
import structlog
from django.db import DatabaseError, OperationalError, close_old_connections

from monitor_site.connections import redis_client
from monitor_site.outbox import stream
from monitor_site.watches import lapses
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.record import record, standing_of
from monitor_site.watches.results import Recorded, Result, Standing

from . import settling
from .flight import Landed
from .members import member, number_of
from .schedule import Return, Schedule

log = structlog.get_logger(__name__)

TRIES = 3
UNRECORDED_DELAY_MS = 5_000


def load_targets(ids: Sequence[str]) -> dict[str, Target]:
    """The active rows of leased ids."""
    close_old_connections()
    rows = Target.objects.filter(pk__in=list(map(number_of, ids)), active=True)
    return {member(row): row for row in rows}


def write(landed: Sequence[Landed]) -> list[Return]:
    """Record a flush; returns how each lease goes back."""
    close_old_connections()
    results = [one.result for one in landed if one.result is not None]
    standings = _recorded(results)
    return [_return(one, standings) for one in landed]


def _recorded(results: Sequence[Result]) -> dict[int, Standing]:
    """The standings of all that could be recorded: together, else each alone, so that one bad row stays alone."""
    together = _try(results)
    if together is not None:
        return together
    alone: dict[int, Standing] = {}
    for result in results:
        alone |= _try([result]) or {}
    return alone


def _try(results: Sequence[Result]) -> dict[int, Standing] | None:
    """A deadlock, a busy or a lost database is tried again on a fresh connection; ``None`` when it stays."""
    for attempt in range(TRIES):
        try:
            return _record(results)
        except DatabaseError as error:
            log.warning("record.failed", attempt=attempt, results=len(results), error=repr(error))
            close_old_connections()
            if not isinstance(error, OperationalError):
                return None
            time.sleep(0.05 * 2**attempt)
        except Exception:
            # Our own fault, in one result most likely: the others must not be lost for it.
            log.exception("record.fault", results=len(results))
            return None
    return None


def _record(results: Sequence[Result]) -> dict[int, Standing]:
    if not results:
        return {}
    recorded = record(results, now=datetime.now(UTC))
    if recorded.stale:
        log.info("record.stale", targets=sorted(recorded.stale))
    _tell_health(recorded)
    with suppress(redis.RedisError):
        lapses.keep(redis_client(), recorded.lapses)
    return {standing.target_id: standing for standing in recorded.standings}


def _return(one: Landed, standings: dict[int, Standing]) -> Return:
    """What could not be recorded comes back with a delay: the marketplace is not asked faster for our own trouble."""
    standing = standings.get(number_of(one.lease.id)) if one.result is not None else None
    if standing is None and one.target is not None:
        standing = standing_of(one.target, delay_ms=UNRECORDED_DELAY_MS)
    if standing is None or not standing.active:
        return Return(lease=one.lease, how="remove")
    return Return(lease=one.lease, how="beat" if standing.due_ms is None else "at", standing=standing)


def _tell_health(recorded: Recorded) -> None:
    """Open pages hear of it when a watch begins to fail or is well again; a page that missed it asks anyway."""
    if not recorded.health_changed:
        return
    watches = Watch.objects.filter(links__target_id__in=recorded.health_changed, paused_at=None).distinct()
    with suppress(redis.RedisError):
        for user_id, watch_id in watches.values_list("user_id", "pk"):
            stream.append(redis_client(), user_id=user_id, event="watch", data={"watch": watch_id})


def quarantine(marketplace: str, ids: Sequence[str]) -> None:
    """Five lone crashes: out of the schedule until a person looks, with a sentence for its users."""
    close_old_connections()
    now = datetime.now(UTC)
    log.error("target.quarantined", marketplace=marketplace, targets=list(ids))
    Target.objects.filter(pk__in=list(map(number_of, ids))).update(
        quarantined_at=now, active=False, last_error="quarantined"
    )


def settle_again(ids: Sequence[str]) -> None:
    """Targets that were edited while they were leased."""
    close_old_connections()
    settling.settle(Schedule(redis_client()), target_ids=list(map(number_of, ids)))
