"""A plugin's only way out: its own hosts, at the agreed pace, with a deadline and a size limit."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import httpx
from redis.exceptions import RedisError

from monitor_site.contract import AccountSettings, Answer, NoPace, Pace, PluginFault, Unavailable
from monitor_site.contract.rules.spending import Spending, WouldSend

from .cookies import Cookies
from .exchange import Exchange
from .hosts import Reach
from .proxies import Proxy
from .renewing import Keeper
from .tokens import Tokens
from .transport import USUAL_LIMITS, Client, Limits, open_client

T = TypeVar("T")

MOST_WEIGHT = 10
REDIRECTS = {301, 302, 303, 307, 308}
OURS = {
    "accept-encoding", "connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding",
    "upgrade",
    # Who asks, and through what, is never made up.
    "forwarded", "proxy-authorization", "via", "x-forwarded-for", "x-real-ip",
}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class HttpSession:
    """The contract's session over HTTP, made anew for each visit; ``client`` and ``cookies`` are those of its account.

    ``base`` is where the marketplace's API is, ``web`` where its pages are, ``reach`` what may be asked, ``pace`` how
    often, ``proxy`` through what. ``account`` names a person's account, whose pace is its own; ``None`` is the
    installation itself, with or without an account. ``bytes`` counts what came over the network.

    ``spending`` is the right to spend once, ``keeper`` seals secrets that were renewed.

    Other requests only read, so one whose connection broke before an answer began is sent once more, over a connection
    of its own; that costs no second token.
    """

    base: str
    web: str
    client: Client
    tokens: Tokens
    marketplace: str
    reach: Reach
    pace: Pace
    cookies: Cookies
    settings: AccountSettings | None = field(default=None, repr=False)
    account: int | None = None
    proxy: Proxy | None = None
    spending: Spending | None = None
    keeper: Keeper | None = None
    limits: Limits = USUAL_LIMITS
    bytes: int = 0

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None, weight: int = 1) -> Answer:
        """Fetch ``url``, and follow it to other addresses of this marketplace; a redirect elsewhere is the answer."""
        address = self._allowed(url)
        for _ in range(self.limits.redirects + 1):
            answer = await self._ask("GET", address, headers, weight=weight)
            follow = _redirect(answer)
            if follow is None or not self.reach.allows(follow):
                return answer
            address = follow
        raise Unavailable(f"more than {self.limits.redirects} redirects from {url}")

    async def post(
        self,
        url: str,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        weight: int = 1,
    ) -> Answer:
        """Post ``json`` or a ``form``; a redirect is never followed."""
        return await self._ask("POST", self._allowed(url), headers, json, form, weight=weight)

    async def commit(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """Post the one request that may spend, over a new HTTP/1.1 connection, once."""
        spending = self._right_to_spend()
        address = self._allowed(url)
        _refuse_our_headers(headers)
        await self._take_tokens(1)
        await spending.ask_leave(WouldSend(url=str(address), json=json))
        async with self._fresh_client(http2=False) as client:
            exchange = replace(self._exchange(), client=client, fresh=None, trace=spending.notice)
            spending.answer = await exchange.ask("POST", address, headers=headers, json=json)
        return spending.answer

    @asynccontextmanager
    async def renewing(self) -> AsyncIterator[AccountSettings]:
        """Nobody else renews the account's secrets meanwhile; ``settings`` is read anew."""
        if self.keeper is None:
            raise PluginFault("there is no account whose secrets could be renewed")
        async with self.keeper.alone(self.limits.deadline_seconds) as self.settings:
            yield self.settings

    async def keep_secrets(self, until: datetime | None = None, /, **secrets: str) -> None:
        """Seal renewed secrets of the account."""
        if self.keeper is None or not all(isinstance(value, str) for value in secrets.values()):
            raise PluginFault("there is no account whose secrets could be kept")
        if until is not None and getattr(until, "tzinfo", None) is None:
            raise PluginFault("the end of a sign-in is a time with its zone")
        await self.keeper.keep(secrets, until)

    async def read(self, parse: Callable[[Answer], T], answer: Answer) -> T:
        """Run a pure parser over an answer; a big one in a thread, so that others go on meanwhile."""
        if len(answer.body) > self.limits.thread_bytes:
            return await asyncio.to_thread(_parsed, parse, answer)
        return parse(answer)

    def now(self) -> datetime:
        """The current time, aware UTC."""
        return datetime.now(UTC)

    def _right_to_spend(self) -> Spending:
        if self.spending is None:
            raise PluginFault("only an order may spend")
        self.spending.use_up()
        return self.spending

    async def _ask(  # noqa: PLR0913  what a request is made of
        self,
        method: str,
        address: httpx.URL,
        headers: Mapping[str, str] | None,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        *,
        weight: int,
    ) -> Answer:
        _refuse_our_headers(headers)
        _refuse_odd_weight(weight)
        await self._take_tokens(weight)
        return await self._exchange().ask(method, address, headers=headers, json=json, form=form)

    def _exchange(self) -> Exchange:
        return Exchange(
            client=self.client,
            limits=self.limits,
            count=self._count,
            fresh=self._fresh_client,
            cookies=self.cookies,
            proxy=self.proxy,
        )

    async def _take_tokens(self, weight: int) -> None:
        """Wait for the pace, but not in vain: when the tokens come after the deadline, say so at once and take none."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.limits.deadline_seconds
        while wait := await self._waits(weight):
            if loop.time() + wait > deadline:
                raise NoPace("no pace left")
            await asyncio.sleep(wait)

    async def _waits(self, weight: int) -> float:
        try:
            return await self.tokens.take(
                marketplace=self.marketplace, account=self.account, pace=self.pace, weight=weight
            )
        except RedisError as error:
            raise NoPace(f"no pace without Redis: {error}") from error

    def _fresh_client(self, *, http2: bool = True) -> Client:
        return open_client(guarded=not self.reach.practice, limits=self.limits, proxy=self.proxy, http2=http2)

    def _allowed(self, url: str) -> httpx.URL:
        try:
            address = httpx.URL(url)
        except (httpx.InvalidURL, TypeError) as error:
            raise PluginFault(f"{url!r} is no address: {error}") from error
        if not self.reach.allows(address):
            raise PluginFault(f"{address.scheme}://{address.host} is not an address the manifest names")
        return address

    def _count(self, size: int) -> None:
        self.bytes += size


def _redirect(answer: Answer) -> httpx.URL | None:
    location = answer.headers.get("location")
    if answer.status not in REDIRECTS or not location:
        return None
    try:
        return httpx.URL(answer.url).join(location)
    except httpx.InvalidURL:
        return None


def _refuse_our_headers(headers: Mapping[str, str] | None) -> None:
    if taken := sorted(name for name in headers or {} if name.lower() in OURS):
        raise PluginFault(f"header {', '.join(taken)} is not the plugin's to set")


def _refuse_odd_weight(weight: object) -> None:
    if not isinstance(weight, int) or not 1 <= weight <= MOST_WEIGHT:
        raise PluginFault(f"a request weighs 1 to {MOST_WEIGHT}, not {weight!r}")


def _parsed(parse: Callable[[Answer], T], answer: Answer) -> T:
    """Run in a thread. A ``StopIteration`` can never be handed to whoever waits for it: they would wait for ever."""
    try:
        return parse(answer)
    except StopIteration as error:
        raise RuntimeError("the parser raised StopIteration") from error
