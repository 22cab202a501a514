"""The event loop that an alerts worker keeps for its whole life: it sends while the worker takes the next job.

Each channel is served by one task at a time, so a sink that hangs keeps only its own messages waiting.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import structlog
from django.db import close_old_connections

from monitor_site.alerts import claiming, concluding, picturing, rendering, telling
from monitor_site.alerts.claiming import Parcel
from monitor_site.alerts.ways.apprise_process import START_SECONDS
from monitor_site.alerts.ways.kinds import kinds
from monitor_site.alerts.ways.send import Way, send
from monitor_site.alerts.ways.values import Answer, Message, Outcome
from monitor_site.marketplaces import vault

from .loop_thread import LoopThread

log = structlog.get_logger(__name__)
T = TypeVar("T")

DATABASE_THREADS = 4
# As long as the process for Apprise may take, and then some.
BIRTH_SECONDS = START_SECONDS + 10
# One message of a channel after the other; so many before others get the loop's database threads again.
IN_A_ROW = 50


class Postman:
    """Sends what channels have to tell."""

    def __init__(self) -> None:
        self._thread = LoopThread("postman", database_threads=DATABASE_THREADS)
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self._again: set[int] = set()
        self._draining = False

    def start(self) -> None:
        """Start the thread and open the ways out."""
        self._thread.start()
        self._thread.call(self._open()).result(BIRTH_SECONDS)
        telling.deliver_here(self.serve)

    def serve(self, channel_ids: Iterable[int]) -> None:
        """Begin with these channels, or go on with them; from another thread, at once."""
        self._thread.call(self._begin(list(channel_ids))).result(30)

    def stop(self, *, seconds: float) -> None:
        """Begin nothing more, let what is under way finish for so long, close."""
        telling.deliver_here(None)
        try:
            self._thread.call(self._drain(seconds)).result(seconds + 10)
        except TimeoutError:
            log.exception("postman.drain_stuck")
        self._thread.close()

    async def _open(self) -> None:
        self._way = Way()
        await self._way.warm()

    async def _begin(self, channel_ids: list[int]) -> None:
        for channel_id in channel_ids:
            if channel_id in self._under_way:
                self._again.add(channel_id)
            elif not self._draining:
                self._start(channel_id)

    def _start(self, channel_id: int) -> None:
        task = self._thread.loop.create_task(self._deliver(channel_id), name=f"channel-{channel_id}")
        self._under_way[channel_id] = task
        task.add_done_callback(partial(self._ended, channel_id))

    def _ended(self, channel_id: int, task: asyncio.Task[None]) -> None:
        """What came while the last look at the channel was under way may have been missed by it."""
        del self._under_way[channel_id]
        if not task.cancelled() and (error := task.exception()):
            log.error("postman.failed", channel=channel_id, exc_info=error)
        if channel_id in self._again and not self._draining:
            self._again.discard(channel_id)
            self._start(channel_id)

    async def _drain(self, seconds: float) -> None:
        self._draining = True
        if running := list(self._under_way.values()):
            await asyncio.wait(running, timeout=seconds)
        for task in list(self._under_way.values()):
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        await self._way.close()

    async def _deliver(self, channel_id: int) -> None:
        """Claim, send, conclude, until there is nothing left to tell now."""
        for _ in range(IN_A_ROW):
            parcel = None if self._draining else await self._db(claim, channel_id)
            if parcel is None:
                return
            answer = await self._send(parcel)
            if not await self._db(conclude, parcel, answer):
                return
        self._again.add(channel_id)

    async def _send(self, parcel: Parcel) -> Answer:
        """Whatever goes wrong on our side is a try that failed: it is seen, and comes again later each time."""
        try:
            settings = await self._db(settings_of, parcel)
            message = await self._message(parcel)
        except (vault.CannotOpen, vault.BadKeys) as error:
            log.error("channel.cannot_open", channel=parcel.channel.pk, reason=str(error))  # noqa: TRY400
            return Answer(outcome=Outcome.FORBIDDEN, words="")
        except Exception:
            log.exception("delivery.not_made", channel=parcel.channel.pk, delivery=parcel.delivery.public_id)
            return Answer(outcome=Outcome.UNREACHABLE, words="")
        return await send(kind=parcel.channel.kind, settings=settings, message=message, way=self._way)

    async def _message(self, parcel: Parcel) -> Message:
        """A picture that does not come in time never holds up a message."""
        picture = None
        if kinds()[parcel.channel.kind].takes_picture:
            url = rendering.pictured(await self._db(rendering.alerts_of, parcel.delivery))
            picture = await picturing.picture(url) if url else None
        render = partial(rendering.render, delivery=parcel.delivery, channel=parcel.channel, picture=picture)
        return await self._db(render)

    async def _db(self, work: Callable[..., T], *arguments: Any) -> T:
        return await self._thread.loop.run_in_executor(
            self._thread.database, partial(_with_connection, work, *arguments)
        )


def _with_connection(work: Callable[..., T], *arguments: Any) -> T:
    """Database work in a thread that lives as long as the worker."""
    close_old_connections()
    try:
        return work(*arguments)
    finally:
        close_old_connections()


def claim(channel_id: int) -> Parcel | None:
    """The next message of a channel, at the rate its kind bears."""
    if not claiming.is_due(channel_id=channel_id, now=datetime.now(UTC)):
        return None
    rates = {name: kind.per_minute for name, kind in kinds().items()}
    return claiming.claim(channel_id=channel_id, rates=rates, now=datetime.now(UTC))


def conclude(parcel: Parcel, answer: Answer) -> bool:
    """What the answer means, now."""
    return concluding.conclude(parcel=parcel, answer=answer, now=datetime.now(UTC))


def settings_of(parcel: Parcel) -> dict[str, str]:
    """What the kind needs, secrets included. Raises :class:`vault.CannotOpen`."""
    return dict(parcel.channel.values) | vault.unseal(parcel.channel.sealed, identity=parcel.channel.identity)
