"""All lanes under one supervisor: at least one process a lane, more for checks while work waits, restart always."""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import redis
import structlog
from django.conf import settings
from django.db import connection

from monitor_site.connections import key, redis_client
from monitor_site.marketplaces.catalog import catalog

from . import machines
from .draining import SIGNALS, Asked
from .home.child import Child, Part
from .home.console import Console
from .home.parts import command
from .home.supervisor import Supervisor
from .loop import ALIVE_SECONDS
from .patience import Patience
from .schedule import Schedule

log = structlog.get_logger(__name__)

LOOK_SECONDS = 2.0
BIRTH_SECONDS = 30.0
TARGETS_A_WORKER = 50
CALM_LOOKS = 30
# A worker that a target kills must not be away for long: its neighbours wait.
RESTART_SECONDS = 1.0
# After draining a worker gives back what it still has, before it is killed.
GIVE_BACK_SECONDS = 5
CHECKS = "checks"


def wanted_workers(*, waiting: int, late: int, present: int, least: int, most: int) -> int:
    """How many checks workers the waiting work asks for; one more while something is late, never above ``most``."""
    by_amount = waiting // TARGETS_A_WORKER + 1
    by_age = present + 1 if late else 0
    return max(least, min(most, max(by_amount, by_age)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the pool saw: workers whose loop lives, ids that more workers could lease, those that are late, and

    whether this machine is busy.
    """

    alive: frozenset[str]
    waiting: int
    late: int
    busy: bool = False


@dataclass(kw_only=True)
class Pool:
    """The workers of this machine, by seat.

    ``silent`` is since when a checks worker was not heard of, ``numbers`` the last seat given in a lane, ``calm``
    counts looks in a row at which fewer workers would have done.
    """

    supervisor: Supervisor
    client: redis.Redis
    least: int
    most: int
    workers: dict[str, Child] = field(default_factory=dict)
    silent: dict[str, Patience] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    leaving: list["asyncio.Task[None]"] = field(default_factory=list)
    calm: int = 0

    def start(self) -> None:
        """One process a lane, and the least number of checks workers."""
        for lane in settings.LANES:
            self._add(lane)
        while len(self._checkers()) < self.least:
            self._add(CHECKS)
        self.supervisor.settle()

    def _add(self, lane: str) -> None:
        number = self.numbers[lane] = self.numbers.get(lane, 0) + 1
        seat = f"{lane}-{number}-{socket.gethostname()}-{os.getpid()}"
        part = Part(name=f"{lane} {number}", command=command("rqworker", lane, "--seat", seat), tries=1_000_000)
        self.workers[seat] = self.supervisor.add(part)

    def _checkers(self) -> list[str]:
        return [name for name in self.workers if name.startswith(f"{CHECKS}-")]

    async def look_after(self) -> None:
        """Scale and end stuck workers, until cancelled. A look that fails is followed by the next."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with suppress(redis.RedisError, OSError):
                await self._act(await asyncio.to_thread(self._facts))

    def _facts(self) -> Facts:
        schedule = Schedule(self.client)
        known = catalog()
        found = [schedule.waiting(marketplace=name, pace=known.pace(name)) for name in known.plugins]
        return Facts(
            alive=self._alive(),
            waiting=sum(one.due for one in found),
            late=sum(one.late for one in found),
            busy=self._is_busy(),
        )

    def _alive(self) -> frozenset[str]:
        seats = self._checkers()
        signs: Any = self.client.mget([key("alive", seat) for seat in seats]) if seats else []
        return frozenset(seat for seat, sign in zip(seats, signs, strict=True) if sign)

    def _is_busy(self) -> bool:
        state = machines.states(self.client).get(socket.gethostname())
        return state is not None and state.level != machines.Level.NORMAL

    async def _act(self, facts: Facts) -> None:
        for seat in self._checkers():
            self._end_if_stuck(seat, alive=seat in facts.alive)
        present = len(self._checkers())
        # Another worker would only take time from those that are there, or that are just beginning.
        most = min(self.most, present) if facts.busy or self._is_growing(facts) else self.most
        wanted = wanted_workers(waiting=facts.waiting, late=facts.late, present=present, least=self.least, most=most)
        self.calm = self.calm + 1 if wanted < present else 0
        if wanted > present:
            self._add(CHECKS)
        elif self.calm >= CALM_LOOKS:
            self.calm = 0
            leaving = self.supervisor.retire(self.workers.pop(self._checkers()[-1]))
            self.leaving.append(asyncio.create_task(leaving))

    def _is_growing(self, facts: Facts) -> bool:
        """A worker that was added has not begun to work yet: what it will do for the late ones is not known."""
        newcomers = (seat for seat in self._checkers() if seat not in facts.alive)
        return any(self.workers[seat].ends == 0 and self.workers[seat].age < BIRTH_SECONDS for seat in newcomers)

    def _end_if_stuck(self, seat: str, *, alive: bool) -> None:
        """A loop silent for 15 s in which it could run is stuck in code that holds the interpreter."""
        child = self.workers[seat]
        if alive or child.pid is None or child.age < BIRTH_SECONDS:
            self.silent.pop(seat, None)
        elif self.silent.setdefault(seat, Patience(child.pid)).used > ALIVE_SECONDS:
            log.error("pool.worker_stuck", seat=seat)
            del self.silent[seat]
            child.kill()


def most_workers() -> int:
    """SQLite has one writer: a second checks worker would only wait for the first."""
    return 1 if connection.vendor == "sqlite" else settings.WORKERS_MAX


def run() -> None:
    """Supervise all lanes until SIGTERM or SIGINT; then each worker may finish what it has."""
    asyncio.run(_run())


def _listen(stop: asyncio.Event, cut: Callable[[], None]) -> None:
    """The first signal stops in order; a second one ends all at once, and leases heal it."""
    asked = Asked()

    def hear() -> None:
        stop.set()
        if asked.hear(time.monotonic()):
            cut()

    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, hear)


async def _run() -> None:
    stop = asyncio.Event()
    console = Console(settings.DATA_DIR / "logs")
    patience = settings.DRAIN_SECONDS + GIVE_BACK_SECONDS
    supervisor = Supervisor(console, patience=patience, longest_pause=RESTART_SECONDS)
    _listen(stop, supervisor.kill)
    pool = Pool(
        supervisor=supervisor,
        client=redis_client(),
        least=min(settings.WORKERS_MIN, most_workers()),
        most=most_workers(),
    )
    pool.start()
    looking = asyncio.create_task(pool.look_after())
    await stop.wait()
    looking.cancel()
    await supervisor.stop()
