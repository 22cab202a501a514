"""What a user's open pages hear: one Redis Stream per user, short, and never the truth.

The id of an entry is the cursor: comparable over all processes, and what a page sends when it comes back.
"""

import json
from typing import Any

import redis

from monitor_site.connections import key

KEPT_ENTRIES = 500
KEPT_SECONDS = 15 * 60


def stream_key(user_id: int) -> str:
    """The stream of a user."""
    return key("live", user_id)


def append(client: redis.Redis, *, user_id: int, event: str, data: dict[str, Any]) -> None:
    """Tell the open pages of a user that something happened; ``data`` carries ids only."""
    name = stream_key(user_id)
    with client.pipeline(transaction=False) as pipe:
        pipe.xadd(name, {"event": event, "data": json.dumps(data)}, maxlen=KEPT_ENTRIES, approximate=True)
        pipe.expire(name, KEPT_SECONDS)
        pipe.execute()


def cursor(client: redis.Redis, *, user_id: int) -> str:
    """The id of the newest entry, ``0-0`` when there is none: a page is rendered with it before it connects."""
    newest: list[Any] = client.xrevrange(stream_key(user_id), count=1)  # type: ignore[assignment]
    return newest[0][0].decode() if newest else "0-0"
