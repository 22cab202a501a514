"""Asks for people who preview, in a loop of its own, so that its lane goes on at once.

A preview takes what is left over: it never waits inside the pace, asks each marketplace one thing at a time, and all
previews together get half of a marketplace's pace, one person's a quarter.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from datetime import datetime
from typing import Any

import structlog

from monitor_site.connections import async_redis_client, key, redis_client
from monitor_site.contract import MarketplaceError, NoPace, PluginFault, Unavailable, criteria_from
from monitor_site.marketplaces import breaker, pace
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.marketplaces.gateway import Found, Gateway, History
from monitor_site.marketplaces.transport import Limits
from monitor_site.watches import asking
from monitor_site.watches.asking import Answer, Question
from monitor_site.watches.models import TargetKind

from .loop_thread import LoopThread, end

log = structlog.get_logger(__name__)

CUT_SECONDS = 12.0
# Nobody knows when an operator's pause ends.
PAUSED_SECONDS = 3600
LIMITS = Limits(deadline_seconds=8.0)
FIRST = History(known=frozenset(), usual=False, empty_streak=0)
LEAST = 2
MINUTE = 60
BUSY_SECONDS = 2.0


class Asker:
    """A loop in a thread of its own, with one gateway."""

    def __init__(self) -> None:
        self._thread = LoopThread("previews")
        self._thread.start()
        self._running: dict[tuple[int, str], Future[None]] = {}
        self._gates: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(1))
        self._redis = async_redis_client()
        self._gateway = Gateway(redis=self._redis)

    def put(self, user_id: int, question: str) -> None:
        """Ask a person's question, unless it is being asked."""
        self.begin((user_id, question), lambda: self._answer(user_id, question))

    def begin(self, name: tuple[int, str], task: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run this in the loop, unless what is called so runs already."""
        if name not in self._running:
            self._running[name] = self._thread.call(task())
            self._running[name].add_done_callback(lambda _done: self._running.pop(name, None))

    @property
    def gateway(self) -> Gateway:
        """For what runs in this loop."""
        return self._gateway

    def stop(self, *, seconds: float) -> None:
        """Let what runs finish for so long, and close; who waits for the rest asks again."""
        seconds = min(seconds, CUT_SECONDS)
        wait(list(self._running.values()), timeout=seconds)
        with suppress(TimeoutError):
            self._thread.call(self._close()).result(seconds)
        self._thread.close()

    async def _close(self) -> None:
        # A connection that is in use when its loop ends is never closed.
        await end([task for task in asyncio.all_tasks() if task is not asyncio.current_task()])
        await self._gateway.close()
        await self._redis.aclose()

    async def _answer(self, user_id: int, question: str) -> None:
        client, names = redis_client(), {"user_id": user_id, "key": question}
        asked = asking.question_of(client, user_id=user_id, key=question)
        if asked is None:
            asking.forget(client, user_id=user_id, key=question)
            return
        async with self._gates[asked.marketplace]:
            with structlog.contextvars.bound_contextvars(**names):
                answer = _not_now(user_id, asked) or await self._ask(asked)
        asking.keep(client, user_id=user_id, key=question, answer=answer)

    async def _ask(self, question: Question) -> Answer:
        try:
            async with asyncio.timeout(CUT_SECONDS):
                found = await self._found(question)
        except TimeoutError:
            return Answer(state="failed", error=Unavailable.code)
        except NoPace:
            return Answer(state="waiting", again_at=time.time() + BUSY_SECONDS)
        except MarketplaceError as error:
            log.info("preview.failed", error=error.code, detail=error.detail)
            return Answer(state="failed", error=error.code)
        except Exception:
            log.exception("preview.fault")
            return Answer(state="failed", error=PluginFault.code)
        return Answer(state="found", sightings=found.sightings)

    async def _found(self, question: Question) -> Found:
        name = question.marketplace
        if question.kind == TargetKind.LISTING:
            return await self._gateway.look(marketplace=name, external_id=question.criteria)
        criteria = criteria_from(question.criteria, catalog().get(name).manifest.criteria)
        return await self._gateway.search(marketplace=name, criteria=criteria, history=FIRST)


def _not_now(user_id: int, question: Question) -> Answer | None:
    """Why it is not asked at this moment; ``None`` when it is."""
    name = question.marketplace
    view = breaker.read_all(redis_client(), [name])[name]
    if view["state"] == "open":
        until = datetime.fromisoformat(view["until"]).timestamp() if view["until"] else time.time() + PAUSED_SECONDS
        return Answer(state="stopped", again_at=until, error=view["reason"])
    try:
        seconds = _turn(user_id, name)
    except UnknownMarketplace:
        return Answer(state="failed", error="plugin_missing")
    return Answer(state="waiting", again_at=time.time() + seconds) if seconds else None


def _turn(user_id: int, marketplace: str) -> float:
    """Seconds until this person may ask; 0 takes the turn."""
    allowed = catalog().pace(marketplace)
    left = pace.left(redis_client(), marketplace=marketplace, pace=allowed)
    if left < 1:
        return (1 - left) * MINUTE / allowed.per_minute
    for who, share in ((user_id, 4), ("all", 2)):
        if _counted(marketplace, who) > max(LEAST, allowed.per_minute // share):
            return MINUTE - time.time() % MINUTE
    return 0.0


def _counted(marketplace: str, who: int | str) -> int:
    """How many previews have asked in this minute, with this one."""
    name = key("preview", "minute", marketplace, who, int(time.time() // MINUTE))
    with redis_client().pipeline(transaction=False) as pipe:
        pipe.incr(name)
        pipe.expire(name, 2 * MINUTE)
        return int(pipe.execute()[0])


_askers: list[Asker] = []


def asker() -> Asker:
    """The loop of this process."""
    if not _askers:
        _askers.append(Asker())
    return _askers[0]


def ask(user_id: int, question: str) -> None:
    """Have it asked by this process, and return at once."""
    asker().put(user_id, question)


def close(*, seconds: float) -> None:
    """End this process's loop, if it has one."""
    while _askers:
        _askers.pop().stop(seconds=seconds)
