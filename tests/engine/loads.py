"""States of machines, as their workers would have told them."""

import json
from typing import Any

from monitor_site.connections import key


def say_load(redis: Any, host: str, *, level: str, cpu: float = 80.0, memory: float = 50.0, age: float = 0.0) -> None:
    """A machine told of itself so many seconds ago."""
    at = redis.time()[0] - age
    state = {"level": level, "cpu": cpu, "memory": memory, "since": at - 60, "at": at}
    redis.hset(key("load"), host, json.dumps(state))
