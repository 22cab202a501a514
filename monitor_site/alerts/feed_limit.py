"""How often one feed may be read: far more often than its answers change, and less often than would be a burden."""

import redis
import structlog

from monitor_site.connections import key, redis_client

from .models import Feed

MOST_A_MINUTE = 30
MINUTE = 60

log = structlog.get_logger(__name__)


def seconds_to_wait(feed: Feed) -> int:
    """0 counts a reading; else when the next one is answered. While Redis is away nobody waits."""
    name = key("feed", "reads", feed.pk)
    try:
        with redis_client().pipeline() as pipe:
            pipe.set(name, 0, ex=MINUTE, nx=True)
            pipe.incr(name)
            pipe.ttl(name)
            _, count, left = pipe.execute()
    except redis.RedisError as error:
        log.warning("feed.reads_uncounted", error=str(error))
        return 0
    return max(1, int(left)) if count > MOST_A_MINUTE else 0
