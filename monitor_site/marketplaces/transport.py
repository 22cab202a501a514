"""The one place where bytes leave and enter: guarded addresses or a proxy, an absolute deadline, size caps."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from monitor_site.contract import Answer, LayoutChanged, Unavailable
from monitor_site.networks import is_public

from .body import CappedBody
from .cookies import Cookies
from .proxies import Proxy, ProxyRefused

USER_AGENT = "Mozilla/5.0 (compatible; marketplace-monitor)"
POOL = httpx.Limits(max_connections=500, max_keepalive_connections=100, keepalive_expiry=30)

Resolve = Callable[[str, int], Awaitable[list[str]]]
Permits = Callable[[str, int], bool]
Trace = Callable[[str, dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one request may cost: seconds to connect and in all, bytes as sent and unpacked, redirects followed.

    A body above ``thread_bytes`` is parsed in a thread: one below is read within a few milliseconds, and the way to
    the thread and back would cost as much again.
    """

    connect_seconds: float = 5.0
    deadline_seconds: float = 20.0
    raw_bytes: int = 8 * 1024 * 1024
    decoded_bytes: int = 16 * 1024 * 1024
    redirects: int = 3
    thread_bytes: int = 128 * 1024


USUAL_LIMITS = Limits()


async def resolve(host: str, port: int) -> list[str]:
    """The numeric addresses of a host, IPv4 first: a network without working IPv6 must not cost the deadline."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    ordered = sorted(found, key=lambda entry: entry[0] != socket.AF_INET)
    return list(dict.fromkeys(str(entry[4][0]) for entry in ordered))


class NotPermitted(httpcore.ConnectError):
    """The name leads, with one of its addresses at least, to where we do not go; nothing was sent."""


def _public(address: str, _port: int) -> bool:
    return is_public(address)


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the very address it has checked, so a name cannot mean something else a moment later.

    ``permits`` judges address and port; plainly public ones pass without it.
    """

    def __init__(self, resolve: Resolve = resolve, permits: Permits = _public) -> None:
        self._resolve = resolve
        self._permits = permits
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first checked address that takes it."""
        try:
            async with asyncio.timeout(timeout):
                return await self._connect_first(await self._checked(host, port), port, local_address, socket_options)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"{host} did not take the connection in {timeout} s") from error

    async def _checked(self, host: str, port: int) -> list[str]:
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} has no address: {error}") from error
        if not addresses:
            raise httpcore.ConnectError(f"{host} has no address")
        if not all(self._permits(address, port) for address in addresses):
            raise NotPermitted(f"{host} is not plainly on the public internet")
        return addresses

    async def _connect_first(
        self, addresses: list[str], port: int, local_address: str | None, options: Iterable[Any] | None
    ) -> httpcore.AsyncNetworkStream:
        for address in addresses[:-1]:
            try:
                return await self._inner.connect_tcp(address, port, None, local_address, options)
            except httpcore.ConnectError:
                continue
        return await self._inner.connect_tcp(addresses[-1], port, None, local_address, options)


class GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a guarded pool. httpx offers no other door to the network backend than ``_pool``."""

    def __init__(self, *, resolve: Resolve = resolve, permits: Permits = _public, http2: bool = True) -> None:
        super().__init__(verify=_ssl_context(), trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_ssl_context(),
            max_connections=POOL.max_connections,
            max_keepalive_connections=POOL.max_keepalive_connections,
            keepalive_expiry=POOL.keepalive_expiry,
            http1=True,
            http2=http2,
            network_backend=GuardedBackend(resolve, permits),
        )


class ProxyBackend(httpcore.AsyncNetworkBackend):
    """Connects to the proxy, and says so when it is the proxy that does not answer."""

    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the proxy, wherever it is: its address is the operator's own, most often a private one."""
        try:
            return await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            raise httpcore.ProxyError(f"it takes no connection: {error}") from error


class ProxiedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport, every request through one proxy, encrypted from here to the marketplace.

    The proxy looks the names up, so nobody here can know any more whether a name leads to a private address. What
    still holds is the host list: only names of the manifest are handed to the proxy, and the certificates are theirs.
    """

    def __init__(self, proxy: Proxy, *, http2: bool = True) -> None:
        super().__init__(verify=_ssl_context(), trust_env=False)
        self._pool = httpcore.AsyncHTTPProxy(
            proxy_url=proxy.address,
            proxy_auth=(proxy.user, proxy.password) if proxy.user else None,
            ssl_context=_ssl_context(),
            proxy_ssl_context=httpx.create_ssl_context() if proxy.scheme == "https" else None,
            max_connections=POOL.max_connections,
            max_keepalive_connections=POOL.max_keepalive_connections,
            keepalive_expiry=POOL.keepalive_expiry,
            http1=True,
            http2=http2,
            network_backend=ProxyBackend(),
        )


@cache
def _ssl_context() -> SSLContext:
    return httpx.create_ssl_context()


def open_client(
    *,
    guarded: bool,
    limits: Limits = USUAL_LIMITS,
    resolve: Resolve = resolve,
    proxy: Proxy | None = None,
    http2: bool = True,
) -> httpx.AsyncClient:
    """A client that keeps no cookies itself and follows nothing; ``guarded`` unless it talks to a practice market.

    ``proxy`` is never that of a practice market: it is on this machine.
    """
    return httpx.AsyncClient(
        transport=_transport(guarded, resolve, proxy, http2),
        trust_env=False,
        headers={"user-agent": USER_AGENT, "accept-encoding": "gzip"},
        # An exchange attaches cookies itself, from the jar of its account.
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        # Only connecting has a time-out of its own; httpx's others begin anew at each read, so the deadline is ours.
        timeout=httpx.Timeout(None, connect=limits.connect_seconds),
    )


def _transport(guarded: bool, resolve: Resolve, proxy: Proxy | None, http2: bool) -> httpx.AsyncHTTPTransport:
    if not guarded:
        return httpx.AsyncHTTPTransport(verify=_ssl_context(), trust_env=False, limits=POOL)
    return ProxiedTransport(proxy, http2=http2) if proxy else GuardedTransport(resolve=resolve, http2=http2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and how to bring its answer home; ``count`` hears of every byte that came.

    ``cookies`` is the jar it takes from and adds to, ``proxy`` what the client asks through, for the words of errors.
    ``fresh`` opens a client for a second try when the connection broke before an answer began; without it there is
    none. Never give it to a request that may not be sent twice. ``trace`` hears what the connection does, and when.
    """

    client: httpx.AsyncClient
    limits: Limits
    count: Callable[[int], None]
    fresh: Callable[[], httpx.AsyncClient] | None = None
    cookies: Cookies | None = None
    proxy: Proxy | None = None
    trace: Trace | None = None

    async def ask(
        self,
        method: str,
        url: httpx.URL,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        form: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer, of any status. Raises :class:`Unavailable` and :class:`LayoutChanged` (too large, broken)."""
        request = self.client.build_request(method, url, headers=dict(headers or {}), json=json, data=form)
        if self.trace is not None:
            request.extensions["trace"] = self.trace
        if self.cookies is not None:
            self.cookies.attach(request)
        try:
            async with asyncio.timeout(self.limits.deadline_seconds):
                return await self._bring(request)
        except TimeoutError as error:
            raise Unavailable(f"no whole answer in {self.limits.deadline_seconds} s from {self._way(url)}") from error
        except httpx.ProxyError as error:
            raise ProxyRefused(f"the proxy {self.proxy} does not let us to {url.host}: {error}") from error
        except httpx.HTTPError as error:
            raise Unavailable(f"{type(error).__name__} at {self._way(url)}: {error}") from error

    def _way(self, url: httpx.URL) -> str:
        return f"{url.host} through the proxy {self.proxy}" if self.proxy else url.host

    async def _bring(self, request: httpx.Request) -> Answer:
        async with AsyncExitStack() as opened:
            response = await self._sent(request, opened)
            opened.push_async_callback(response.aclose)
            if self.cookies is not None:
                self.cookies.keep(response)
            body = await self._body(response)
        return Answer(status=response.status_code, headers=_told(response), body=body, url=str(response.url))

    async def _sent(self, request: httpx.Request, opened: AsyncExitStack) -> httpx.Response:
        try:
            return await self.client.send(request, stream=True)
        except httpx.TransportError as error:
            if self.fresh is None or not _is_unanswered(error):
                raise
        # Whatever waits in the pool may be as dead as the connection that broke.
        client = await opened.enter_async_context(self.fresh())
        return await client.send(request, stream=True)

    async def _body(self, response: httpx.Response) -> bytes:
        self._refuse_announced(response)
        body = CappedBody(
            encoding=response.headers.get("content-encoding", "").strip().lower(),
            raw_cap=self.limits.raw_bytes,
            decoded_cap=self.limits.decoded_bytes,
        )
        async for chunk in response.aiter_raw():
            self.count(len(chunk))
            body.feed(chunk)
        return body.whole()

    def _refuse_announced(self, response: httpx.Response) -> None:
        """Do not even begin to read what says it is too large."""
        announced = response.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self.limits.raw_bytes:
            raise LayoutChanged(f"announces {announced} bytes")


def _told(response: httpx.Response) -> dict[str, str]:
    """The headers, without the one that is between the marketplace and the jar."""
    return {name: value for name, value in response.headers.items() if name != "set-cookie"}


def _is_unanswered(error: httpx.TransportError) -> bool:
    """Whether the connection was refused, reset or closed before an answer began; slowness and noise are answers."""
    if isinstance(error, httpx.RemoteProtocolError):
        return "without sending a response" in str(error)
    return isinstance(error, httpx.NetworkError)
