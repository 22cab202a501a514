"""One visit to one marketplace: search page after page and doubt what looks wrong, or look at one listing."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import redis.asyncio
from redis.exceptions import RedisError

from monitor_site.connections import key
from monitor_site.contract import (
    Blocked,
    MarketplaceError,
    NoPace,
    SearchCriteria,
    SearchPage,
    Sighting,
    SuspectEmpty,
)

from .promises import Promise, kept
from .suspicion import refuse_odd
from .usual import Usual, compare

PAGE_CAP = 5
MOVED_UP = 10  # one row in so many
ACCEPTED_STREAK = 2
CONTROL_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What is known of a target: ids of its last good page, whether rows are usual, doubted empty pages in a row.

    ``answered``: it had a good answer before, be it an empty one. ``before`` is what was usual of it, as the last
    search gave it.
    """

    known: frozenset[str]
    usual: bool
    empty_streak: int
    answered: bool = False
    before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Reading:
    """What was read: the pages, whether more may be new than they hold, and what broke off the reading, if it did.

    ``usual`` is what to remember of the question.
    """

    pages: list[SearchPage]
    usual: Usual = field(default_factory=Usual)
    gap: bool = False
    broken: MarketplaceError | None = None
    seen: set[str] = field(default_factory=set)

    @property
    def last(self) -> SearchPage:
        """The latest page."""
        return self.pages[-1]

    def rows(self) -> tuple[Sighting, ...]:
        """Each listing once. Of one page that has none twice its own rows: who knows them need not look again."""
        first: dict[str, Sighting] = {}
        for page in self.pages:
            for sighting in page.sightings:
                first.setdefault(sighting.external_id, sighting)
        alone = len(self.pages) == 1 and len(first) == len(self.last.sightings)
        return self.last.sightings if alone else tuple(first.values())

    def is_empty(self) -> bool:
        """Whether no page holds anything."""
        return not any(page.sightings for page in self.pages)

    def goes_on(self, known: frozenset[str]) -> bool:
        """Whether to turn the page: nothing known on it, something new, and not too far already; marks a gap.

        What is known among its first rows may have been promoted or moved up: it does not say that all below is older.
        """
        rows = [sighting.external_id for sighting in self.last.sightings]
        latest = set(rows)
        if not self.last.next_token or not known.isdisjoint(rows[len(rows) // MOVED_UP :]):
            return False
        self.gap = len(self.pages) == PAGE_CAP or bool(latest and latest <= self.seen)
        self.seen |= latest
        return not self.gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The question that always has answers, and when it last had some: Redis remembers that for ten minutes."""

    redis: redis.asyncio.Redis
    marketplace: str
    question: SearchCriteria

    async def was_good(self) -> bool:
        """Whether it had answers lately; a Redis that is away remembers nothing."""
        try:
            return bool(await self.redis.exists(key("control", self.marketplace)))
        except RedisError:
            return False

    async def remember(self) -> None:
        """It had answers just now."""
        try:
            await self.redis.set(key("control", self.marketplace), 1, ex=CONTROL_SECONDS)
        except RedisError:
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One visit; ``market`` is what the plugin connected to.

    ``tells`` are the fields that searches tell. ``seconds`` is how long turning pages may take; what was read by then
    stands.
    """

    market: Any
    tells: frozenset[str]
    promise: Promise
    control: Control
    seconds: float

    async def read(self, criteria: SearchCriteria, history: History) -> Reading:
        """Page until something known comes, then doubt it if nothing was found. Raises :class:`MarketplaceError`."""
        ends = asyncio.get_running_loop().time() + self.seconds
        first = await self._page(criteria)
        reading = Reading(pages=[first], usual=compare(first, Usual.of(history.before), tells=self.tells))
        try:
            while (history.usual or history.answered) and reading.goes_on(history.known):
                reading.pages.append(await self._next_page(criteria, reading.last.next_token, ends))
        except MarketplaceError as error:
            if reading.is_empty():
                raise
            reading.gap, reading.broken = True, error
        if reading.is_empty():
            await self._doubt(history)
        return reading

    async def look(self, external_id: str) -> Sighting:
        """One listing, as promised. Raises :class:`MarketplaceError`."""

        async def asked() -> Sighting:
            return self.promise.sighting(await self.market.look(external_id), external_id=external_id)

        return await kept(asked)

    async def sold(self, criteria: SearchCriteria) -> SearchPage:
        """The latest sales, as promised. Raises :class:`MarketplaceError`."""

        async def asked() -> SearchPage:
            found = self.promise.page(await self.market.sold_prices(criteria))
            refuse_odd(found)
            return found

        return await kept(asked)

    async def _next_page(self, criteria: SearchCriteria, token: str | None, ends: float) -> SearchPage:
        try:
            async with asyncio.timeout_at(ends):
                return await self._page(criteria, token)
        except TimeoutError as error:
            raise NoPace(f"no time left to turn the page within {self.seconds} s") from error

    async def _page(self, criteria: SearchCriteria, token: str | None = None) -> SearchPage:
        return await kept(lambda: self._asked(criteria, token))

    async def _asked(self, criteria: SearchCriteria, token: str | None) -> SearchPage:
        found = self.promise.page(await self.market.search(criteria, page_token=token))
        refuse_odd(found)
        return found

    async def _doubt(self, history: History) -> None:
        """Nothing found: the control question, which always has answers, tells a block from nothing."""
        if history.usual or not await self.control.was_good():
            await self._ask_control()
        if history.usual and history.empty_streak < ACCEPTED_STREAK:
            raise SuspectEmpty("nothing found where rows are usual")

    async def _ask_control(self) -> None:
        found = await self._page(self.control.question)
        if not found.sightings:
            raise Blocked("even the control question finds nothing")
        await self.control.remember()
