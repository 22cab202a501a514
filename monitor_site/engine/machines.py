"""How busy a machine is, and what gives way for that: normal, careful or shedding.

Every checks worker weighs its machine every three seconds; what it sees is smoothed and kept in Redis, one state a
machine, so that all its workers give way together. Orders, alerts and pages never do.
"""

import dataclasses
import enum
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psutil
import redis
import redis.asyncio
import structlog
from django.conf import settings

from monitor_site.connections import key
from monitor_site.contract import Pace

log = structlog.get_logger(__name__)

SMOOTHED_SECONDS = 10.0
# It goes back to a quieter level only well below the threshold and after a while, so that it does not flap.
SLACK_PERCENT = 10.0
CALM_SECONDS = 30.0
FRESH_SECONDS = 15.0
FORGOTTEN_SECONDS = 3600.0


class Level(enum.StrEnum):
    """What a machine can bear. ``careful``: half of the concurrency; ``shedding``: a quarter."""

    NORMAL = "normal"
    CAREFUL = "careful"
    SHEDDING = "shedding"


ORDER = (Level.NORMAL, Level.CAREFUL, Level.SHEDDING)
# Percent of processor time and of memory above which a level begins.
ABOVE = {Level.CAREFUL: (75.0, 80.0), Level.SHEDDING: (92.0, 92.0)}
PARTS = {Level.NORMAL: 1, Level.CAREFUL: 2, Level.SHEDDING: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Percent of processor time and of memory in use, on the whole machine."""

    cpu: float
    memory: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadState:
    """A machine's level since a moment, with the smoothed percentages; moments are Redis server time in seconds."""

    level: Level
    cpu: float
    memory: float
    since: float
    at: float


def next_state(before: LoadState | None, seen: Reading, *, at: float) -> LoadState:
    """What follows from a reading: up as soon as the smoothed figures pass a threshold, down slowly."""
    share = 1.0 if before is None else min(1.0, max(0.0, at - before.at) / SMOOTHED_SECONDS)
    cpu = seen.cpu if before is None else before.cpu + share * (seen.cpu - before.cpu)
    level = Level.NORMAL if before is None else before.level
    wanted = _wanted(level, cpu, seen.memory, rested=before is not None and at - before.since >= CALM_SECONDS)
    since = before.since if before is not None and wanted == level else at
    return LoadState(level=wanted, cpu=cpu, memory=seen.memory, since=since, at=at)


def _wanted(level: Level, cpu: float, memory: float, *, rested: bool) -> Level:
    up, down = _level_of(cpu, memory), _level_of(cpu + SLACK_PERCENT, memory + SLACK_PERCENT)
    if ORDER.index(up) > ORDER.index(level):
        return up
    return down if rested and ORDER.index(down) < ORDER.index(level) else level


def _level_of(cpu: float, memory: float) -> Level:
    reached = [level for level, (most_cpu, most_memory) in ABOVE.items() if cpu > most_cpu or memory > most_memory]
    return reached[-1] if reached else Level.NORMAL


def eased(pace: Pace, level: Level) -> Pace:
    """The pace with so many requests at once as a machine of that level should have under way; always one."""
    return dataclasses.replace(pace, concurrency=max(1, pace.concurrency // PARTS[level]))


def load_state(client: redis.Redis) -> LoadState | None:
    """The state of the busiest machine with workers; ``None`` when no machine has told of itself lately."""
    return max(states(client).values(), key=lambda state: (ORDER.index(state.level), state.cpu), default=None)


def states(client: redis.Redis) -> dict[str, LoadState]:
    """The machines that told of themselves lately, by name."""
    with client.pipeline(transaction=False) as pipe:
        pipe.time()
        pipe.hgetall(_load_key())
        (seconds, _), told = pipe.execute()
    return {host: state for host, state in read_states(told).items() if seconds - state.at < FRESH_SECONDS}


def read_states(told: Mapping[Any, Any]) -> dict[str, LoadState]:
    """What machines have told, old or not; what cannot be read is left out."""
    found = {host.decode(): _state(text) for host, text in told.items()}
    return {host: state for host, state in sorted(found.items()) if state is not None}


def _load_key() -> str:
    return key("load")


def _state(text: Any) -> LoadState | None:
    try:
        fields: dict[str, Any] = json.loads(text or b"null")
        return LoadState(**fields | {"level": Level(fields["level"])})
    except (ValueError, TypeError, KeyError):
        return None


class Scales:
    """Weighs this machine for a worker. ``state`` is ``None`` until it has, and for ever with ``LOAD_GUARD`` off."""

    def __init__(self) -> None:
        self.host = socket.gethostname()
        self.state: LoadState | None = None
        psutil.cpu_percent(interval=None)  # the first answer means nothing; later ones are since the one before

    def eased(self, pace: Pace) -> Pace:
        """The pace as this machine can bear it."""
        return pace if self.state is None else eased(pace, self.state.level)

    async def weigh(self, client: redis.asyncio.Redis, *, at: float) -> None:
        """Look, and share what follows with the other workers of this machine."""
        if not settings.LOAD_GUARD:
            return
        seen = Reading(cpu=psutil.cpu_percent(interval=None), memory=psutil.virtual_memory().percent)
        before = _state(await client.hget(_load_key(), self.host))
        if before is not None and not 0 <= at - before.at < FORGOTTEN_SECONDS:
            before = None
        self.state = next_state(before, seen, at=at)
        async with client.pipeline(transaction=False) as pipe:
            pipe.hset(_load_key(), self.host, json.dumps(dataclasses.asdict(self.state)))
            pipe.expire(_load_key(), int(FORGOTTEN_SECONDS))
            await pipe.execute()
        if self.state.level != (before.level if before else Level.NORMAL):
            level_changed(self.host, self.state)


def level_changed(host: str, state: LoadState) -> None:
    """A machine went to another level, which the log hears of; people hear of one that lasts, see :mod:`.troubles`."""
    told = log.info if state.level == Level.NORMAL else log.warning
    told("load.changed", host=host, level=state.level.value, cpu=round(state.cpu), memory=round(state.memory))
