"""How promoters say that they live, and how others hear it."""

from typing import Any

import redis

from monitor_site.connections import key

HEARTBEAT_SECONDS = 5
# Names every promoter: "beat ms|since ms|host". One that is silent is forgotten after a while.
PROMOTERS = "promoters"


def last_beat_ms(client: redis.Redis) -> int | None:
    """When any promoter was heard of last, in server ms; ``None`` when nobody remembers one."""
    told: dict[Any, Any] = client.hgetall(key(PROMOTERS))
    return max((int(text.partition(b"|")[0]) for text in told.values()), default=None)


def silent_seconds(client: redis.Redis) -> float | None:
    """For how long no promoter was heard of; ``None`` when nobody remembers one."""
    last = last_beat_ms(client)
    seconds, micros = client.time()
    return None if last is None else max(0.0, seconds + micros / 1e6 - last / 1000)
