"""An operator pauses a marketplace: nobody asks it until somebody resumes it. The row is the truth.

Lost with Redis, the breaker is told again when the schedule is built, and by the audit.
"""

from datetime import datetime
from functools import partial

import redis
import structlog
from django.db import transaction

from monitor_site.connections import redis_client

from . import breaker, scripts
from .catalog import catalog
from .models import MarketplacePause

log = structlog.get_logger(__name__)


@transaction.atomic
def pause(*, marketplace: str, by: str, reason: str, now: datetime) -> bool:
    """Ask a marketplace nothing more; whether it was not paused already."""
    _row, made = MarketplacePause.objects.get_or_create(
        marketplace=marketplace, defaults={"by": by[:150], "reason": reason[:200], "since": now}
    )
    transaction.on_commit(partial(_say, marketplace, "pause"), robust=True)
    return made


@transaction.atomic
def resume(*, marketplace: str) -> bool:
    """Take back :func:`pause`; what stopped the marketplace itself meanwhile begins anew. Whether it was paused."""
    gone, _ = MarketplacePause.objects.filter(marketplace=marketplace).delete()
    transaction.on_commit(partial(_say, marketplace, "resume"), robust=True)
    return bool(gone)


def probe(client: redis.Redis, *, marketplace: str) -> bool:
    """Half-open a breaker that is open, so that one request tries now; a pause stays. Whether it was open."""
    changed = _act(client, marketplace, "probe")
    if changed:
        log.info("breaker.probed", marketplace=marketplace)
    return changed


def apply(client: redis.Redis) -> None:
    """Have the breakers say what the rows say."""
    paused = set(MarketplacePause.objects.values_list("marketplace", flat=True))
    shown = {
        name for name, view in breaker.read_all(client, _known(paused)).items() if view["reason"] == breaker.PAUSED
    }
    for name in paused - shown:
        _act(client, name, "pause")
    for name in shown - paused:
        _act(client, name, "resume")


def _known(paused: set[str]) -> set[str]:
    return paused | set(catalog().plugins)


def _say(marketplace: str, word: str) -> None:
    """After the commit; when Redis is away the audit says it later."""
    try:
        _act(redis_client(), marketplace, word)
    except redis.RedisError as error:
        log.warning("pause.redis_away", marketplace=marketplace, error=str(error))


def _act(client: redis.Redis, marketplace: str, word: str) -> bool:
    keys = [breaker.breaker_key(marketplace), breaker.tally_key(marketplace), breaker.resumed_key(marketplace)]
    return bool(scripts.run_now(client, "pause", keys=keys, args=[word]))
