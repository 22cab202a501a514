"""Steps of one night that wait for each other: a step runs when all before it succeeded, once a night.

A step that failed is tried again alone, so many times a night; what comes after it waits, and nothing that succeeded is
done twice. Where the night stands is kept in Redis: lost, it begins anew, and each step bears that.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import wraps
from graphlib import TopologicalSorter
from typing import Any

from monitor_site.connections import key, redis_client
from monitor_site.wording import JAPAN

from .schedule import UPKEEP, Schedule

GRAPH: Mapping[str, frozenset[str]] = {
    "days-checks": frozenset(),
    "days-prices": frozenset(),
    "tidy": frozenset({"days-checks", "days-prices"}),
}
TRIES_A_NIGHT = 3
NIGHT_KEPT_SECONDS = 3 * 24 * 3600
DONE = b"done"


def ready(graph: Mapping[str, Collection[str]], done: Collection[str]) -> set[str]:
    """The steps that may run now: not done themselves, and everything before them is. Raises ``CycleError``."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    found: set[str] = set()
    while steps := sorter.get_ready():
        found |= set(steps) - set(done)
        sorter.done(*(set(steps) & set(done)))
    return found


def night_key(now: datetime) -> str:
    """A hash: step → ``done``, or how often it failed."""
    return key("night", now.astimezone(JAPAN).date().isoformat())


def has_its_turn(step: str) -> Callable[[datetime], bool]:
    """The condition of a step: what comes before it is done tonight, and it is neither done nor failed too often."""

    def holds(now: datetime) -> bool:
        told: dict[Any, Any] = redis_client().hgetall(night_key(now))
        done = {name.decode() for name, state in told.items() if state == DONE}
        failed = told.get(step.encode(), b"0")
        return step in ready(GRAPH, done) and int(failed) < TRIES_A_NIGHT

    return holds


def step(name: str, run: Callable[[datetime], None]) -> Callable[[datetime], None]:
    """A step that notes how it ended, and pulls in what waited for it."""

    @wraps(run)
    def noted(now: datetime) -> None:
        client, night = redis_client(), night_key(now)
        try:
            run(now)
        except Exception:
            client.hincrby(night, name, 1)
            client.expire(night, NIGHT_KEPT_SECONDS)
            raise
        client.hset(night, name, DONE)
        client.expire(night, NIGHT_KEPT_SECONDS)
        _call_next(name)

    return noted


def _call_next(name: str) -> None:
    moves = [(after, "sooner", 0) for after, before in GRAPH.items() if name in before]
    if moves:
        Schedule(redis_client()).put(marketplace=UPKEEP, moves=moves)
