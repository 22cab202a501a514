"""What must happen at an exact instant. Whoever needs it registers how, and says when; a worker does it on time.

It stands in Redis and may be lost: ``pending`` brings it back from the database. It may run late, twice, or at once for
an instant that has passed: ``run`` is told the instant, and decides by rows of its own whether there is still a point.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType

import redis

from monitor_site.connections import key

KIND = "exact"
EARLY_MS = 5000
WAKE = "wake"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactJob:
    """``run`` takes an object's id and its instant; ``pending`` gives all of both that lie before it after a moment."""

    run: Callable[[int, datetime], None]
    pending: Callable[[datetime], Iterable[tuple[int, datetime]]]


_jobs: dict[str, ExactJob] = {}


def register(topic: str, job: ExactJob) -> None:
    """Say what happens at the instants of a topic, whose name is made of letters and underscores."""
    _jobs[topic] = job


def jobs() -> Mapping[str, ExactJob]:
    """Every topic with its job."""
    return MappingProxyType(_jobs)


def name_of(topic: str, object_id: int, instant: datetime) -> str:
    """What an instant of an object is called."""
    return f"{topic}:{object_id}:{round(instant.timestamp() * 1000)}"


def read_name(name: str) -> tuple[str, int, datetime]:
    """Topic, object id and instant of a name."""
    topic, object_id, instant_ms = name.split(":")
    return topic, int(object_id), datetime.fromtimestamp(int(instant_ms) / 1000, tz=UTC)


def at(client: redis.Redis, *, topic: str, object_id: int, instant: datetime) -> None:
    """Have it happen then; call it after the commit of the row that says so. Saying it twice is saying it once."""
    due_ms = round(instant.timestamp() * 1000) - EARLY_MS
    if client.zadd(key(KIND), {name_of(topic, object_id, instant): due_ms}, nx=True):
        client.publish(key(WAKE), KIND)


def not_at(client: redis.Redis, *, topic: str, object_id: int, instant: datetime) -> None:
    """It need not happen any more; what a worker holds already still runs."""
    client.zrem(key(KIND), name_of(topic, object_id, instant))
