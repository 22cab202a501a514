"""Ready to serve: for whoever decides whether this installation gets requests. Facts without names or addresses."""

from collections.abc import Callable, Mapping

import redis
import structlog
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from monitor_site.connections import redis_client
from monitor_site.engine.heartbeat import HEARTBEAT_SECONDS, silent_seconds
from monitor_site.engine.lateness import MOST_OVERDUE, OLDEST_MS, behind

from .stored import round_trip_ms

log = structlog.get_logger(__name__)


class NotReady(Exception):
    """A part is not as it must be; its text is the reason."""


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Every part with its reason; 503 when one is not ready. What went wrong in detail stays in the log."""
    parts = {name: _part(name, ask) for name, ask in PARTS.items()}
    return JsonResponse(parts, status=200 if all(part["ready"] for part in parts.values()) else 503)


def _part(name: str, ask: Callable[[], str]) -> dict[str, object]:
    try:
        return {"ready": True, "reason": ask()}
    except NotReady as reason:
        return {"ready": False, "reason": str(reason)}
    except (redis.RedisError, DatabaseError, OSError) as error:
        log.warning("ready.part_away", part=name, error=str(error))
        return {"ready": False, "reason": AWAY[name]}


def _database() -> str:
    return f"answers in {round_trip_ms():.0f} ms"


def _redis() -> str:
    redis_client().ping()
    return "answers"


def _promoter() -> str:
    silent = silent_seconds(redis_client())
    if silent is None:
        raise NotReady("none was ever heard of: nothing is put on the lanes")
    if silent > HEARTBEAT_SECONDS:
        raise NotReady(f"none was heard of for {silent:.0f} s: nothing is put on the lanes")
    return f"heard of {silent:.0f} s ago"


def _lateness() -> str:
    now = behind(redis_client())
    told = f"{now.overdue} searches are late by over a second, the latest by {now.oldest_ms / 1000:.0f} s"
    if now.is_bad:
        raise NotReady(f"{told}; to be borne are {MOST_OVERDUE}, and {OLDEST_MS // 1000} s")
    return told if now.overdue else "on time"


PARTS: Mapping[str, Callable[[], str]] = {
    "database": _database,
    "redis": _redis,
    "promoter": _promoter,
    "lateness": _lateness,
}
AWAY = {
    "database": "does not answer",
    "redis": "does not answer",
    "promoter": "not known: Redis does not answer",
    "lateness": "not known: Redis does not answer",
}
