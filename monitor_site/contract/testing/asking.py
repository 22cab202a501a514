"""Asking a plugin something under guard, and what came of it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVarTuple, Unpack

from ..errors import MarketplaceError
from ..fields import AccountSettings
from ..manifest import Capability
from ..marketplace import Plugin, Session
from ..values import Answer
from .guard import Guard, guarded, slept
from .samples import Sample
from .session import NOW, Request, ScriptedSession

SECONDS = 120.0
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a plugin returned (``found``) or raised (``error``), what it asked, and what it did besides.

    ``reads`` is how often it read by the session.
    """

    sample: Sample
    found: Any = None
    error: BaseException | None = None
    asked: list[Request] = field(default_factory=list)
    guard: Guard = field(default_factory=Guard)
    reads: int = 0

    @property
    def words(self) -> str:
        """What happened, for a person."""
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error}".rstrip(": ")[:200]
        rows = getattr(self.found, "sightings", None)
        return f"a page of {len(rows)}" if isinstance(rows, tuple) else f"{self.found!r:.200}"

    @property
    def refused(self) -> bool:
        """Whether it raised an error of the contract."""
        return isinstance(self.error, MarketplaceError)

    @property
    def rows(self) -> tuple[Any, ...]:
        """The sightings of a page, or the one of a look."""
        page = getattr(self.found, "sightings", None)
        return page if isinstance(page, tuple) else () if self.found is None else (self.found,)


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that notices whoever waits for time to pass. Time limits pass by another way."""

    def call_later(
        self, delay: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        slept(delay)
        return super().call_later(delay, callback, *args, context=context)


def run(asked: Callable[[], Awaitable[Any]]) -> Any:
    """Run it on an event loop of its own, for at most two minutes."""

    async def limited() -> Any:
        async with asyncio.timeout(SECONDS):
            return await asked()

    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(limited())


def asked_of(market: Any, sample: Sample) -> Awaitable[Any]:
    """The call that a sample answers."""
    calls: dict[Capability, Callable[[], Awaitable[Any]]] = {
        Capability.SEARCH: lambda: market.search(sample.question, page_token=sample.page_token),
        Capability.LOOK: lambda: market.look(sample.external_id),
        Capability.SOLD_PRICES: lambda: market.sold_prices(sample.question, page_token=sample.page_token),
    }
    return calls[sample.capability]()


def ask(
    plugin: Plugin,
    sample: Sample,
    settings: AccountSettings | None = None,
    *,
    reply: Callable[[Request], Answer] | None = None,
    moment: datetime = NOW,
) -> Outcome:
    """Hand the plugin the sample's answer, or what ``reply`` gives; never raises because of what the plugin does."""
    session = ScriptedSession(plugin, reply or (lambda _: sample.answer), settings, moment)
    with guarded() as guard:
        try:
            found = run(lambda: _connected(plugin, session, sample))
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001  a rule is about to judge it
            return Outcome(sample=sample, error=error, asked=session.asked, guard=guard, reads=session.reads)
    return Outcome(sample=sample, found=found, asked=session.asked, guard=guard, reads=session.reads)


async def _connected(plugin: Plugin, session: Session, sample: Sample) -> Any:
    return await asked_of(plugin.connect(session), sample)
