"""The ways out: to guarded addresses, through a proxy, or to a practice market."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from monitor_site.networks import is_public

from .pool import SwiftPool, SwiftProxyPool
from .proxies import Proxy

USER_AGENT = "Mozilla/5.0 (compatible; marketplace-monitor)"
POOL: dict[str, Any] = {"max_connections": 500, "max_keepalive_connections": 100, "keepalive_expiry": 30}

Resolve = Callable[[str, int], Awaitable[list[str]]]
Permits = Callable[[str, int], bool]


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


class PooledTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a pool of ours. httpx offers no other door to it than ``_pool``."""

    def __init__(self, pool: SwiftPool | SwiftProxyPool) -> None:
        super().__init__(verify=_ssl_context(), trust_env=False)
        self._pool = self.pool = pool


class NearTransport(PooledTransport):
    """To a practice market: whatever address it has."""

    def __init__(self) -> None:
        super().__init__(SwiftPool(ssl_context=_ssl_context(), **POOL))


class GuardedTransport(PooledTransport):
    """To checked addresses only."""

    def __init__(self, *, resolve: Resolve = resolve, permits: Permits = _public, http2: bool = True) -> None:
        backend = GuardedBackend(resolve, permits)
        super().__init__(SwiftPool(ssl_context=_ssl_context(), http2=http2, network_backend=backend, **POOL))


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


class ProxiedTransport(PooledTransport):
    """Every request through one proxy, encrypted from here to the marketplace.

    The proxy looks the names up, so nobody here can know any more whether a name leads to a private address. What
    still holds is the host list: only names of the manifest are handed to the proxy, and the certificates are theirs.
    """

    def __init__(self, proxy: Proxy, *, http2: bool = True) -> None:
        pool = SwiftProxyPool(
            proxy_url=proxy.address,
            proxy_auth=(proxy.user, proxy.password) if proxy.user else None,
            ssl_context=_ssl_context(),
            proxy_ssl_context=httpx.create_ssl_context() if proxy.scheme == "https" else None,
            http2=http2,
            network_backend=ProxyBackend(),
            **POOL,
        )
        super().__init__(pool)


@cache
def _ssl_context() -> SSLContext:
    return httpx.create_ssl_context()


class Client(httpx.AsyncClient):
    """httpx's client; ``pool`` is what an exchange asks through, without the layers between."""

    def __init__(self, transport: PooledTransport, **options: Any) -> None:
        super().__init__(transport=transport, **options)
        self.pool = transport.pool


def open_client(
    *,
    guarded: bool,
    limits: Limits = USUAL_LIMITS,
    resolve: Resolve = resolve,
    proxy: Proxy | None = None,
    http2: bool = True,
) -> Client:
    """A client that keeps no cookies itself and follows nothing; ``guarded`` unless it talks to a practice market.

    ``proxy`` is never that of a practice market: it is on this machine.
    """
    return Client(
        _transport(guarded, resolve, proxy, http2),
        trust_env=False,
        headers={"user-agent": USER_AGENT, "accept-encoding": "gzip"},
        # An exchange attaches cookies itself, from the jar of its account.
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        # Only connecting has a time-out of its own; httpx's others begin anew at each read, so the deadline is ours.
        timeout=httpx.Timeout(None, connect=limits.connect_seconds),
    )


def _transport(guarded: bool, resolve: Resolve, proxy: Proxy | None, http2: bool) -> PooledTransport:
    if not guarded:
        return NearTransport()
    return ProxiedTransport(proxy, http2=http2) if proxy else GuardedTransport(resolve=resolve, http2=http2)
