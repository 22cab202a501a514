"""Tokens for many requests in one call: what an event loop asks for in one of its turns is taken together.

Checks begin in bunches, and a call for each of them would take a tenth of the time of a check.
"""

import asyncio
from dataclasses import dataclass, field

import redis.asyncio

from monitor_site.contract import Pace

from . import pace as buckets


@dataclass(slots=True)
class Turn:
    """Who waits for tokens of one bucket, with how many each wants."""

    weights: list[int] = field(default_factory=list)
    waiting: "list[asyncio.Future[float]]" = field(default_factory=list)


class Tokens:
    """Takes tokens for one event loop."""

    def __init__(self, redis: redis.asyncio.Redis) -> None:
        self._redis = redis
        self._turns: dict[tuple[str, int | None, Pace], Turn] = {}
        self._taking: set[asyncio.Task[None]] = set()

    async def take(self, *, marketplace: str, pace: Pace, account: int | None = None, weight: int = 1) -> float:
        """As :func:`.pace.take`. Who is cancelled meanwhile has taken for nothing; that only slows us down."""
        place = (marketplace, account, pace)
        if (turn := self._turns.get(place)) is None:
            turn = self._turns[place] = Turn()
            asyncio.get_running_loop().call_soon(self._begin, place)
        answer: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        turn.weights.append(weight)
        turn.waiting.append(answer)
        return await answer

    async def close(self) -> None:
        """Wait for what is under way."""
        await asyncio.gather(*self._taking, return_exceptions=True)

    def _begin(self, place: tuple[str, int | None, Pace]) -> None:
        task = asyncio.get_running_loop().create_task(self._take(place, self._turns.pop(place)))
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)

    async def _take(self, place: tuple[str, int | None, Pace], turn: Turn) -> None:
        marketplace, account, pace = place
        try:
            waits = await buckets.take_each(
                self._redis, marketplace=marketplace, pace=pace, account=account, weights=turn.weights
            )
        except Exception as error:  # noqa: BLE001  whoever waits hears of it
            for answer in _open(turn):
                answer.set_exception(error)
            return
        for answer, wait in zip(turn.waiting, waits, strict=True):
            if not answer.done():
                answer.set_result(wait)


def _open(turn: Turn) -> "list[asyncio.Future[float]]":
    return [answer for answer in turn.waiting if not answer.done()]
