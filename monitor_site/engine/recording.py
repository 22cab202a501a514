"""From landed checks to the database and back to the schedule. The blocking part runs in the recording thread."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import structlog
from django.db import OperationalError, close_old_connections

from monitor_site.connections import key, redis_client
from monitor_site.outbox import stream
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.record import record
from monitor_site.watches.results import Recorded, Result, Standing

from .flight import Landed
from .schedule import Return

log = structlog.get_logger(__name__)

TRIES = 3


def load_targets(ids: Sequence[str]) -> dict[str, Target]:
    """The active rows of leased ids."""
    close_old_connections()
    rows = Target.objects.filter(pk__in=[int(name) for name in ids], active=True)
    return {str(row.pk): row for row in rows}


def write(landed: Sequence[Landed]) -> list[Return]:
    """Record a flush; returns how each lease goes back. What cannot be recorded goes back as it came."""
    close_old_connections()
    results = [one.result for one in landed if one.result is not None]
    recorded = _record(results)
    if recorded is None:
        return [Return(lease=one.lease, how="release") for one in landed]
    _tell_health(recorded)
    standings = {standing.target_id: standing for standing in recorded.standings}
    return [_return(one, standings) for one in landed]


def _record(results: Sequence[Result]) -> Recorded | None:
    """A deadlock or a busy database is tried again; after that the checks simply run once more."""
    for attempt in range(TRIES):
        try:
            return record(results, now=datetime.now(UTC)) if results else Recorded()
        except OperationalError as error:
            log.warning("record.failed", attempt=attempt, results=len(results), error=str(error))
            time.sleep(0.05 * 2**attempt)
    return None


def _return(one: Landed, standings: dict[int, Standing]) -> Return:
    standing = standings.get(int(one.lease.id))
    if standing is None or not standing.active:
        return Return(lease=one.lease, how="remove")
    return Return(lease=one.lease, how="beat", standing=standing)


def _tell_health(recorded: Recorded) -> None:
    """Open pages hear of it when a watch begins to fail or is well again; a page that missed it asks anyway."""
    if not recorded.health_changed:
        return
    watches = Watch.objects.filter(links__target_id__in=recorded.health_changed, paused_at=None).distinct()
    for user_id, watch_id in watches.values_list("user_id", "pk"):
        stream.append(redis_client(), user_id=user_id, event="watch", data={"watch": watch_id})


def quarantine(marketplace: str, ids: Sequence[str]) -> None:
    """Five lone crashes: out of the schedule until a person looks, with a reason its owners see."""
    close_old_connections()
    now = datetime.now(UTC)
    log.error("target.quarantined", marketplace=marketplace, targets=list(ids))
    Target.objects.filter(pk__in=[int(name) for name in ids]).update(
        quarantined_at=now, active=False, last_error="quarantined"
    )
    redis_client().hdel(key("suspects", marketplace), *ids)
