"""The practice market as ASGI application: what is asked is counted, answered well, or badly when a fault strikes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from .control import ROOT, Control, Stream, World
from .faults import Faults, Kind, Scene
from .reply import Receive, Reply, Request, Scope, Send, read_request, send_reply

W = TypeVar("W", bound=World)
S = TypeVar("S", bound=Stream)


class PracticeMarket(ABC, Generic[W, S]):
    """One practice market; all of it lives in one process and one event loop.

    A marketplace's own one says its :attr:`control`, :attr:`kinds` and :attr:`routes`, and how it answers.
    """

    control: ClassVar[Control[Any]]
    kinds: ClassVar[Mapping[str, Kind]]
    routes: ClassVar[tuple[str, ...]]

    def __init__(self, world: W, stream: S) -> None:
        self.world, self.stream = world, stream
        self.faults = Faults(Random(world.seed + 1), world.clock.wall, kinds=self.kinds, routes=self.routes)

    @abstractmethod
    def route(self, path: str) -> str:
        """What kind of thing is asked for: requests are counted and faults are set by it."""

    @abstractmethod
    async def good(self, route: str, request: Request) -> Reply:
        """The answer when nothing goes wrong."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI entry."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(await read_request(scope, receive), receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        event = ""
        while event != "lifespan.shutdown":
            event = (await receive())["type"]
            await send({"type": f"{event}.complete"})
        self.world.truth.close()

    async def _answer(self, request: Request, receive: Receive, send: Send) -> None:
        if request.path.startswith(ROOT):
            await send_reply(send, self.control.answer(self, request))
            return
        route = self.route(request.path)
        self.world.truth.count(route)
        if fault := self.faults.strike(route):
            self.world.truth.count(f"fault {fault.kind}")
            await self.faults.play(Scene(fault, send, receive, lambda: self.good(route, request)))
        else:
            await send_reply(send, await self.good(route, request))
