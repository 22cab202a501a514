"""The only caller of plugins: lets them ask, and draws the consequences of what went wrong."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import redis.asyncio
from django.conf import settings

from monitor_site.contract import (
    AccountInfo,
    AccountSettings,
    BuyRequest,
    Capability,
    MarketplaceError,
    Plugin,
    PluginFault,
    Purchase,
    PurchasePage,
    Receipt,
    SearchCriteria,
    SearchPage,
    Sighting,
    Unavailable,
)
from monitor_site.contract.rules.spending import Spending, WouldSend

from .accounts import Account, Accounts
from .catalog import Catalog, UnknownMarketplace
from .catalog import catalog as installed
from .clients import Clients
from .consequences import Consequences
from .hosts import Reach
from .ordering import Ordering
from .promises import Promise, kept
from .session import HttpSession
from .tokens import Tokens
from .transport import USUAL_LIMITS, Limits
from .usual import StaleTop
from .visit import Control, History, Reading, Visit

__all__ = ["Found", "Gateway", "History", "WouldSend", "remembered"]
T = TypeVar("T")

BEFORE_THE_CUT = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search brought: each listing once, newest first as the marketplace sorts.

    ``gap`` says that more may be new than was read. ``bytes`` is what came over the network; ``bad_rows`` counts rows
    nobody could read, ``padding`` rows that do not answer the question. ``usual`` is what to remember of the question:
    the next search takes it as :attr:`History.before`. It is plain JSON.
    """

    sightings: tuple[Sighting, ...]
    pages: int
    gap: bool
    bytes: int
    bad_rows: int
    padding: int
    usual: Mapping[str, Any] = field(default_factory=dict)


def remembered(error: MarketplaceError) -> Mapping[str, Any] | None:
    """What to remember of the question although its check failed; ``None``: all stays as it was."""
    return error.usual.stored() if isinstance(error, StaleTop) else None


class Gateway:
    """Asks marketplaces. One for each event loop: it keeps connections and cookies until :meth:`close`.

    Its questions raise :class:`MarketplaceError` and nothing else; being cancelled passes. One that takes longer than
    ``within`` seconds, where given, is cut: the marketplace gave no answer. ``chance`` gives numbers from 0 to 1, by
    which waits differ.
    """

    def __init__(
        self,
        *,
        redis: redis.asyncio.Redis,
        catalog: Catalog | None = None,
        limits: Limits = USUAL_LIMITS,
        chance: Callable[[], float] = random.random,
        accounts: Accounts | None = None,
    ) -> None:
        self._redis = redis
        self._catalog = installed() if catalog is None else catalog
        self._limits = limits
        self._clients = Clients(limits)
        self._tokens = Tokens(redis)
        self._promises: dict[str, Promise] = {}
        self._accounts = accounts or Accounts()
        self._consequences = Consequences(redis, accounts=self._accounts, chance=chance)
        self._ordering = Ordering(
            accounts=self._accounts,
            consequences=self._consequences,
            opened=self._opened,
            is_real=lambda marketplace: not self._catalog.practice_address(marketplace),
        )

    async def search(
        self, *, marketplace: str, criteria: SearchCriteria, history: History, within: float | None = None
    ) -> Found:
        """Search, and page as far as ``history`` demands.

        What goes wrong after the first page leaves a gap; the pages read stand.
        """

        async def ask(visit: Visit, session: HttpSession) -> tuple[Found, MarketplaceError | None]:
            read = await visit.read(criteria, history)
            return _found(read, session), read.broken

        return await self._ask(marketplace, Capability.SEARCH, ask, within)

    async def look(self, *, marketplace: str, external_id: str, within: float | None = None) -> Found:
        """Look at one listing. Raises :class:`ListingGone`, too, which says nothing against the marketplace."""

        async def ask(visit: Visit, session: HttpSession) -> tuple[Found, None]:
            sighting = await visit.look(external_id)
            return _found(Reading(pages=[SearchPage(sightings=(sighting,))]), session), None

        return await self._ask(marketplace, Capability.LOOK, ask, within)

    async def sold_prices(self, *, marketplace: str, criteria: SearchCriteria, within: float | None = None) -> Found:
        """The latest sales of what a question asks for: one page."""

        async def ask(visit: Visit, session: HttpSession) -> tuple[Found, None]:
            page = await visit.sold(criteria)
            return _found(Reading(pages=[page], gap=page.next_token is not None), session), None

        return await self._ask(marketplace, Capability.SOLD_PRICES, ask, within)

    async def buy(
        self,
        *,
        marketplace: str,
        account_id: int,
        request: BuyRequest,
        before_commit: Callable[[], Awaitable[None]] | None = None,
    ) -> Receipt:
        """Buy one listing in the name of a person's account, with at most one request that spends.

        :class:`Refused` is a listed refusal, :class:`OutcomeUnknown` means that it was sent and nobody knows. Every
        other :class:`MarketplaceError` means that provably nothing was sent. Whoever cancels it must take the outcome
        for unknown. ``before_commit`` is awaited when only sending is left; what it raises keeps the request back.
        """
        plugin = self._plugin(marketplace)
        return await self._ordering.buy(plugin, account_id, request, before_commit)

    async def rehearse(self, *, marketplace: str, account_id: int, request: BuyRequest) -> WouldSend:
        """Do all of :meth:`buy` but send it: what would have been sent. Raises as that does, and never spends."""
        return await self._ordering.rehearse(self._plugin(marketplace), account_id, request)

    async def find_purchase(self, *, marketplace: str, account_id: int, external_id: str) -> Purchase | None:
        """What the account bought of one listing; ``None``: the marketplace said that there is none.

        Goes on while the account is paused for an unknown outcome.
        """
        return await self._ordering.find_purchase(self._plugin(marketplace), account_id, external_id)

    async def purchases(self, *, marketplace: str, account_id: int, page_token: str | None = None) -> PurchasePage:
        """The account's latest purchases, where the manifest says ``lists_purchases``."""
        return await self._ordering.purchases(self._plugin(marketplace), account_id, page_token)

    async def verify(self, *, marketplace: str, account_id: int) -> AccountInfo:
        """Whether an account's credentials work; asks even while it is paused, and writes nothing."""
        return await self._ordering.verify(self._plugin(marketplace), account_id)

    async def close(self) -> None:
        """Close the connections and forget the cookies."""
        await self._tokens.close()
        await self._clients.close()

    async def _ask(
        self,
        marketplace: str,
        able: Capability,
        ask: Callable[[Visit, HttpSession], Coroutine[Any, Any, tuple[Found, MarketplaceError | None]]],
        within: float | None,
    ) -> Found:
        """Let a visit ask, and draw the consequences; what keeps it from asking at all has none."""
        account = await self._accounts.of(marketplace, _to_read(self._plugin(marketplace)))
        session = self._session(marketplace, account, limits=_tightened(self._limits, within))
        try:
            visit = await self._visit(marketplace, session, able)
            found, broken = await _cut(ask(visit, session), within)
        except MarketplaceError as error:
            await self._consequences.fail(marketplace, error, account=account)
            raise
        if broken is None:
            await self._consequences.succeed(marketplace)
        else:
            await self._consequences.fail(marketplace, broken, account=account)
        return found

    async def _visit(self, marketplace: str, session: HttpSession, able: Capability) -> Visit:
        plugin = self._plugin(marketplace)
        if able not in plugin.manifest.capabilities:
            raise PluginFault(f"{marketplace} has no capability {able}")
        return Visit(
            market=await kept(lambda: _connected(plugin, session)),
            tells=plugin.manifest.search_tells,
            promise=self._promise(plugin),
            control=Control(redis=self._redis, marketplace=marketplace, question=plugin.manifest.control),
            seconds=session.limits.deadline_seconds,
        )

    def _promise(self, plugin: Plugin) -> Promise:
        """What a marketplace's pages must be; it remembers those that were."""
        name = plugin.manifest.name
        if name not in self._promises:
            self._promises[name] = Promise(manifest=plugin.manifest, practice=self._catalog.practice_address(name))
        return self._promises[name]

    def _plugin(self, marketplace: str) -> Plugin:
        try:
            return self._catalog.get(marketplace)
        except UnknownMarketplace as error:
            raise PluginFault(f"no working plugin for {marketplace}") from error

    async def _opened(self, plugin: Plugin, account: Account, spending: Spending | None) -> Any:
        """What a plugin connects to in the name of a person's account."""
        session = self._session(plugin.manifest.name, account, limits=self._limits, spending=spending)
        return await kept(lambda: _connected(plugin, session))

    def _session(
        self, marketplace: str, account: Account | None, *, limits: Limits, spending: Spending | None = None
    ) -> HttpSession:
        plugin = self._plugin(marketplace)
        practice = self._catalog.practice_address(marketplace)
        if not practice and not settings.LIVE:
            raise Unavailable(f"no practice market plays {marketplace}, and this installation does not ask real ones")
        reach = Reach.practising(practice) if practice else Reach.live(plugin.manifest.hosts)
        way = self._clients.way(marketplace=marketplace, account=account, reach=reach)
        return HttpSession(
            client=way.client,
            cookies=way.cookies,
            proxy=way.proxy,
            tokens=self._tokens,
            marketplace=marketplace,
            base=practice or plugin.api,
            web=practice or plugin.manifest.home.rstrip("/"),
            reach=reach,
            pace=self._catalog.pace(marketplace),
            settings=account.settings if account else None,
            account=account.id if account and account.user_id else None,
            keeps=partial(self._accounts.keep_secrets, account) if account else None,
            spending=spending,
            limits=limits,
        )


def _to_read(plugin: Plugin) -> type[AccountSettings] | None:
    """The settings of the account to read with, where there can be one."""
    return plugin.manifest.settings if plugin.manifest.reads_signed_in else None


def _tightened(limits: Limits, within: float | None) -> Limits:
    """A request, a wait for pace and turning pages end by themselves before they are cut: what was read stands."""
    if within is None:
        return limits
    return replace(limits, deadline_seconds=min(limits.deadline_seconds, BEFORE_THE_CUT * within))


async def _cut(asking: Coroutine[Any, Any, T], within: float | None) -> T:
    try:
        async with asyncio.timeout(within):
            return await asking
    except TimeoutError as error:
        raise Unavailable(f"cut after {within} s") from error


async def _connected(plugin: Plugin, session: HttpSession) -> Any:
    return plugin.connect(session)


def _found(read: Reading, session: HttpSession) -> Found:
    return Found(
        sightings=read.rows(),
        pages=len(read.pages),
        gap=read.gap,
        bytes=session.bytes,
        bad_rows=sum(len(page.bad_rows) for page in read.pages),
        padding=sum(page.padding for page in read.pages),
        usual=read.usual.stored(),
    )
