"""The only caller of plugins: lets them ask, and draws the consequences of what went wrong."""

import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import httpx
import redis.asyncio
from django.conf import settings

from monitor_site.contract import (
    Capability,
    MarketplaceError,
    Plugin,
    PluginFault,
    SearchCriteria,
    SearchPage,
    Sighting,
    Unavailable,
)

from .catalog import Catalog, UnknownMarketplace
from .catalog import catalog as installed
from .consequences import Consequences
from .hosts import Reach
from .promises import Promise, kept
from .session import HttpSession
from .transport import USUAL_LIMITS, Limits, open_client
from .visit import Control, History, Reading, Visit

__all__ = ["Found", "Gateway", "History"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search brought: each listing once, newest first as the marketplace sorts.

    ``gap`` says that more may be new than was read. ``bytes`` is what came over the network; ``bad_rows`` counts rows
    nobody could read, ``padding`` rows that do not answer the question.
    """

    sightings: tuple[Sighting, ...]
    pages: int
    gap: bool
    bytes: int
    bad_rows: int
    padding: int


class Gateway:
    """Asks marketplaces. One for each event loop: it keeps the connections open until :meth:`close`.

    Its questions raise :class:`MarketplaceError` and nothing else; being cancelled passes. ``chance`` gives numbers
    from 0 to 1, by which waits differ.
    """

    def __init__(
        self,
        *,
        redis: redis.asyncio.Redis,
        catalog: Catalog | None = None,
        limits: Limits = USUAL_LIMITS,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._redis = redis
        self._catalog = installed() if catalog is None else catalog
        self._limits = limits
        self._clients: dict[bool, httpx.AsyncClient] = {}
        self._consequences = Consequences(redis, chance=chance)

    async def search(self, *, marketplace: str, criteria: SearchCriteria, history: History) -> Found:
        """Search, and page as far as ``history`` demands.

        What goes wrong after the first page leaves a gap; the pages read stand.
        """

        async def ask(visit: Visit, session: HttpSession) -> tuple[Found, MarketplaceError | None]:
            read = await visit.read(criteria, history)
            return _found(read, session), read.broken

        return await self._ask(marketplace, Capability.SEARCH, ask)

    async def look(self, *, marketplace: str, external_id: str) -> Found:
        """Look at one listing. Raises :class:`ListingGone`, too, which says nothing against the marketplace."""

        async def ask(visit: Visit, session: HttpSession) -> tuple[Found, None]:
            sighting = await visit.look(external_id)
            return _found(Reading(pages=[SearchPage(sightings=(sighting,))]), session), None

        return await self._ask(marketplace, Capability.LOOK, ask)

    async def sold_prices(self, *, marketplace: str, criteria: SearchCriteria) -> Found:
        """The latest sales of what a question asks for: one page."""

        async def ask(visit: Visit, session: HttpSession) -> tuple[Found, None]:
            page = await visit.sold(criteria)
            return _found(Reading(pages=[page], gap=page.next_token is not None), session), None

        return await self._ask(marketplace, Capability.SOLD_PRICES, ask)

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    async def _ask(
        self,
        marketplace: str,
        able: Capability,
        ask: Callable[[Visit, HttpSession], Awaitable[tuple[Found, MarketplaceError | None]]],
    ) -> Found:
        """Let a visit ask, and draw the consequences."""
        session = self._session(marketplace)
        try:
            found, broken = await ask(await self._visit(marketplace, session, able), session)
        except MarketplaceError as error:
            await self._consequences.fail(marketplace, error)
            raise
        if broken is None:
            await self._consequences.succeed(marketplace)
        else:
            await self._consequences.fail(marketplace, broken)
        return found

    async def _visit(self, marketplace: str, session: HttpSession, able: Capability) -> Visit:
        plugin = self._plugin(marketplace)
        if able not in plugin.manifest.capabilities:
            raise PluginFault(f"{marketplace} has no capability {able}")
        promise = Promise(manifest=plugin.manifest, practice=self._catalog.practice_address(marketplace))
        return Visit(
            market=await kept(lambda: _connected(plugin, session)),
            promise=promise,
            control=Control(redis=self._redis, marketplace=marketplace, question=plugin.manifest.control),
            seconds=self._limits.deadline_seconds,
        )

    def _plugin(self, marketplace: str) -> Plugin:
        try:
            return self._catalog.get(marketplace)
        except UnknownMarketplace as error:
            raise PluginFault(f"no working plugin for {marketplace}") from error

    def _session(self, marketplace: str) -> HttpSession:
        plugin = self._plugin(marketplace)
        practice = self._catalog.practice_address(marketplace)
        if not practice and not settings.LIVE:
            raise Unavailable(f"no practice market plays {marketplace}, and this installation does not ask real ones")
        return HttpSession(
            client=self._client(guarded=not practice),
            redis=self._redis,
            marketplace=marketplace,
            base=practice or plugin.api,
            web=practice or plugin.manifest.home.rstrip("/"),
            reach=Reach.practising(practice) if practice else Reach.live(plugin.manifest.hosts),
            pace=self._catalog.pace(marketplace),
            limits=self._limits,
        )

    def _client(self, *, guarded: bool) -> httpx.AsyncClient:
        if guarded not in self._clients:
            self._clients[guarded] = open_client(guarded=guarded, limits=self._limits)
        return self._clients[guarded]


async def _connected(plugin: Plugin, session: HttpSession) -> Any:
    return plugin.connect(session)


def _found(read: Reading, session: HttpSession) -> Found:
    return Found(
        sightings=_each_once(read.pages),
        pages=len(read.pages),
        gap=read.gap,
        bytes=session.bytes,
        bad_rows=sum(len(page.bad_rows) for page in read.pages),
        padding=sum(page.padding for page in read.pages),
    )


def _each_once(pages: Iterable[SearchPage]) -> tuple[Sighting, ...]:
    first: dict[str, Sighting] = {}
    for page in pages:
        for sighting in page.sightings:
            first.setdefault(sighting.external_id, sighting)
    return tuple(first.values())
