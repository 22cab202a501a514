"""Ways into Redis, and how keys are called.

Commands are never repeated by the client: a lost reply must not run a script or an enqueue twice. All keys share one
hash tag, so that every script's keys live in one slot.
"""

from functools import cache

import redis
import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

SOCKET_SECONDS = 5.0


def key(kind: str, *parts: object) -> str:
    """The name of a key: ``key("due", "mercari")`` is ``{mm}:due:mercari``."""
    return ":".join((f"{{{settings.REDIS_PREFIX}}}", kind, *map(str, parts)))


@cache
def redis_client() -> redis.Redis:
    """The client of this process, for ordinary code."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=SOCKET_SECONDS,
        socket_timeout=SOCKET_SECONDS,
        health_check_interval=30,
    )


def async_redis_client() -> redis.asyncio.Redis:
    """A new client for the event loop that asks for it; whoever asks closes it."""
    return redis.asyncio.Redis.from_url(
        settings.REDIS_URL,
        retry=AsyncRetry(NoBackoff(), 0),
        socket_connect_timeout=SOCKET_SECONDS,
        socket_timeout=SOCKET_SECONDS,
    )


def lane_queue(lane: str, client: redis.Redis) -> Queue:
    """The RQ queue behind a lane; jobs carry JSON only."""
    return Queue(lane, connection=client, serializer=JSONSerializer)
