"""How each housekeeping task ended last, in one hash in Redis, for the operations page, metrics and ``doctor``."""

import dataclasses
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import redis
import structlog

from monitor_site.connections import key

log = structlog.get_logger(__name__)

WISHED_SECONDS = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The last run: when it began and how long it took, the last that was well, failures in a row and the last error.

    Moments are seconds since the epoch.
    """

    at: float
    ms: int
    well_at: float | None
    failed: int
    error: str = ""


def log_key() -> str:
    """Task → its state as JSON."""
    return key("upkeep")


@contextmanager
def noting(client: redis.Redis, name: str, *, now: datetime, told: dict[str, TaskState]) -> Iterator[None]:
    """Run a task inside; a failure is logged and goes no further. How it went is in ``told`` then, for :func:`keep`."""
    begun, error = time.monotonic(), ""
    try:
        yield
    except Exception as trouble:
        error = type(trouble).__name__
        log.exception("upkeep.failed", task=name)
    before = states(client).get(name) if error else None
    told[name] = TaskState(
        at=now.timestamp(),
        ms=round((time.monotonic() - begun) * 1000),
        well_at=(before.well_at if before else None) if error else now.timestamp(),
        failed=(before.failed if before else 0) + 1 if error else 0,
        error=error,
    )


def keep(client: redis.Redis, told: Mapping[str, TaskState]) -> None:
    """Remember how tasks went."""
    if told:
        fields = {name: json.dumps(dataclasses.asdict(state)) for name, state in told.items()}
        client.hset(log_key(), mapping=fields)  # type: ignore[arg-type]


def states(client: redis.Redis) -> dict[str, TaskState]:
    """Every task that has run; what cannot be read is left out."""
    told: dict[Any, Any] = client.hgetall(log_key())
    found = {name.decode(): _state(text) for name, text in told.items()}
    return {name: state for name, state in sorted(found.items()) if state is not None}


def _state(text: bytes) -> TaskState | None:
    try:
        return TaskState(**json.loads(text))
    except (ValueError, TypeError):
        return None


def wish(client: redis.Redis, name: str) -> None:
    """A person wants a task run once whatever its conditions say."""
    client.set(key("wished", name), 1, ex=WISHED_SECONDS)


def wished(client: redis.Redis, names: Sequence[str]) -> set[str]:
    """Which of these tasks somebody wants; nothing is taken."""
    found: list[Any] = client.mget([key("wished", name) for name in names]) if names else []
    return {name for name, wish in zip(names, found, strict=True) if wish}


def was_wished(client: redis.Redis, name: str) -> bool:
    """Whether somebody wanted that; asking takes the wish."""
    return bool(client.delete(key("wished", name)))
