"""Two answers for whoever watches the process: alive, and ready to serve."""

import redis
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from monitor_site.connections import redis_client


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The process serves."""
    return HttpResponse("ok", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Database and Redis answer; else 503 and which does not. Details stay in the log."""
    parts = {"database": _database(), "redis": _redis()}
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _redis() -> bool:
    try:
        return bool(redis_client().ping())
    except redis.RedisError:
        return False
