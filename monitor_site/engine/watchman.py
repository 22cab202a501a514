"""Looks every few seconds whether the installation is well, and has people told when it is not.

A thread of every alerts worker: what tells of a dead promoter must not wait for a ticket from one. Of several workers
one looks at a time; two that look at once tell of nothing twice.
"""

import threading
from datetime import UTC, datetime

import redis
import structlog
from django.db import DatabaseError, close_old_connections

from monitor_site.alerts import troubles as telling
from monitor_site.connections import key, redis_client

from . import troubles

log = structlog.get_logger(__name__)

SECONDS = 5.0
JOIN_SECONDS = 10.0


def look(client: redis.Redis, *, now: datetime) -> bool:
    """Look and tell, unless somebody has just looked. Raises ``RedisError`` and ``DatabaseError``."""
    if not client.set(key("watchman"), 1, nx=True, px=int(SECONDS * 900)):
        return False
    told = telling.note(troubles.seen(client, now=now), now=now)
    if told:
        log.warning("trouble.told", alerts=sorted({one.key for one in told}))
    return True


class Watchman:
    """Looks until stopped; a look that fails is followed by the next."""

    def __init__(self, client: redis.Redis | None = None) -> None:
        self._redis = client or redis_client()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="watchman", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; returns when a look under way is over."""
        self._stopped.set()
        self._thread.join(JOIN_SECONDS)

    def _keep(self) -> None:
        while not self._stopped.wait(SECONDS):
            self._survive()

    def _survive(self) -> None:
        close_old_connections()
        try:
            look(self._redis, now=datetime.now(UTC))
        except (redis.RedisError, DatabaseError, OSError) as error:
            log.warning("watchman.look_failed", error=str(error))
        except Exception:
            log.exception("watchman.look_failed")
        finally:
            close_old_connections()
