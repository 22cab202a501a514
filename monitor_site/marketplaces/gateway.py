"""The only caller of plugins: asks, pages, doubts an empty answer, and draws the consequences of what went wrong."""

from collections.abc import Iterable
from dataclasses import dataclass

import httpx
import redis.asyncio
from django.conf import settings

from monitor_site.contract import (
    Blocked,
    LayoutChanged,
    Manifest,
    Marketplace,
    MarketplaceError,
    Plugin,
    PluginFault,
    SearchCriteria,
    SearchPage,
    Sighting,
    SuspectEmpty,
    Unavailable,
)

from .catalog import Catalog, UnknownMarketplace
from .catalog import catalog as installed
from .consequences import Consequences
from .hosts import Reach
from .promises import Promise, kept
from .session import HttpSession
from .transport import USUAL_LIMITS, Limits, open_client

PAGE_CAP = 5
ACCEPTED_STREAK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What is known of a target: ids of its last good page, whether rows are usual, doubted empty pages in a row."""

    known: frozenset[str]
    usual: bool
    empty_streak: int


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One search under way at one marketplace."""

    market: Marketplace
    manifest: Manifest
    promise: Promise

    async def page(self, criteria: SearchCriteria, token: str | None = None) -> SearchPage:
        """Ask for one page and look at it."""
        return await kept(lambda: self._asked(criteria, token))

    async def _asked(self, criteria: SearchCriteria, token: str | None) -> SearchPage:
        found = self.promise.page(await self.market.search(criteria, page_token=token))
        if found.bad_rows and not found.sightings:
            # Not "nothing found": there was something, and nobody could read it.
            raise LayoutChanged(f"none of {len(found.bad_rows)} rows can be read: {found.bad_rows[0].reason}")
        return found

    async def pages(self, criteria: SearchCriteria, history: History) -> tuple[list[SearchPage], bool]:
        """Page until something known comes; also whether the page cap left a gap."""
        pages = [await self.page(criteria)]
        seen: set[str] = set()
        while history.usual and pages[-1].next_token and history.known.isdisjoint(latest := _ids(pages[-1])):
            if len(pages) == PAGE_CAP or (latest and latest <= seen):
                return pages, True
            seen |= latest
            pages.append(await self.page(criteria, pages[-1].next_token))
        return pages, False

    async def doubt(self, history: History) -> None:
        """No rows where rows are usual: the control question, which always has answers, tells a block from nothing."""
        control = await self.page(self.manifest.control)
        if not control.sightings:
            raise Blocked("even the control question finds nothing")
        if history.empty_streak < ACCEPTED_STREAK:
            raise SuspectEmpty("nothing found where rows are usual")


class Gateway:
    """Asks marketplaces. One for each event loop: it keeps the connections open until :meth:`close`."""

    def __init__(
        self, *, redis: redis.asyncio.Redis, catalog: Catalog | None = None, limits: Limits = USUAL_LIMITS
    ) -> None:
        self._redis = redis
        self._catalog = installed() if catalog is None else catalog
        self._limits = limits
        self._clients: dict[bool, httpx.AsyncClient] = {}
        self._consequences = Consequences(redis)

    async def search(self, *, marketplace: str, criteria: SearchCriteria, history: History) -> Found:
        """Ask a marketplace, page as far as ``history`` demands, and draw the consequences of what went wrong.

        Raises :class:`MarketplaceError` and nothing else; being cancelled passes.
        """
        session = self._session(marketplace)
        try:
            found = await self._found(marketplace, session, criteria, history)
        except MarketplaceError as error:
            await self._consequences.fail(marketplace, error, ours=session.starved)
            raise
        await self._consequences.succeed(marketplace)
        return found

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    async def _found(self, marketplace: str, session: HttpSession, criteria: SearchCriteria, history: History) -> Found:
        visit = await self._visit(marketplace, session)
        pages, gap = await visit.pages(criteria, history)
        if history.usual and not any(page.sightings for page in pages):
            await visit.doubt(history)
        return Found(
            sightings=_each_once(pages),
            pages=len(pages),
            gap=gap,
            bytes=session.bytes,
            bad_rows=sum(len(page.bad_rows) for page in pages),
            padding=sum(page.padding for page in pages),
        )

    async def _visit(self, marketplace: str, session: HttpSession) -> Visit:
        plugin = self._plugin(marketplace)
        promise = Promise(manifest=plugin.manifest, practice=self._catalog.practice_address(marketplace))
        return Visit(market=await kept(lambda: _connected(plugin, session)), manifest=plugin.manifest, promise=promise)

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
            reach=Reach.practising(practice) if practice else Reach.live(plugin.manifest.hosts),
            pace=self._catalog.pace(marketplace),
            limits=self._limits,
        )

    def _client(self, *, guarded: bool) -> httpx.AsyncClient:
        if guarded not in self._clients:
            self._clients[guarded] = open_client(guarded=guarded, limits=self._limits)
        return self._clients[guarded]


async def _connected(plugin: Plugin, session: HttpSession) -> Marketplace:
    return plugin.connect(session)


def _ids(page: SearchPage) -> set[str]:
    return {sighting.external_id for sighting in page.sightings}


def _each_once(pages: Iterable[SearchPage]) -> tuple[Sighting, ...]:
    first: dict[str, Sighting] = {}
    for page in pages:
        for sighting in page.sightings:
            first.setdefault(sighting.external_id, sighting)
    return tuple(first.values())
