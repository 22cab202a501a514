"""The one place where bytes leave and enter: an absolute deadline, size caps, cookies from one jar."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpcore
import httpx

from monitor_site.contract import Answer, LayoutChanged, Unavailable

from .body import CappedBody
from .cookies import Cookies
from .proxies import Proxy, ProxyRefused
from .transport import Client, Limits

Trace = Callable[[str, dict[str, Any]], Awaitable[None]]
# What can go wrong between here and an answer.
NO_ANSWER = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and how to bring its answer home; ``count`` hears of every byte that came.

    ``cookies`` is the jar it takes from and adds to, ``proxy`` what the client asks through, for the words of errors.
    ``fresh`` opens a client for a second try when the connection broke before an answer began; without it there is
    none. Never give it to a request that may not be sent twice. ``trace`` hears what the connection does, and when.
    """

    client: Client
    limits: Limits
    count: Callable[[int], None]
    fresh: Callable[[], Client] | None = None
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
        except httpcore.ProxyError as error:
            raise ProxyRefused(f"the proxy {self.proxy} does not let us to {url.host}: {error}") from error
        except NO_ANSWER as error:
            raise Unavailable(f"{type(error).__name__} at {self._way(url)}: {error}") from error

    def _way(self, url: httpx.URL) -> str:
        return f"{url.host} through the proxy {self.proxy}" if self.proxy else url.host

    async def _bring(self, request: httpx.Request) -> Answer:
        try:
            response = await self.client.pool.handle_async_request(_as_core(request))
        except NO_ANSWER as error:
            if self.fresh is None or not _is_unanswered(error):
                raise
        else:
            return await self._whole(request, response)
        # Whatever waits in the pool may be as dead as the connection that broke.
        async with self.fresh() as client:
            return await self._whole(request, await client.pool.handle_async_request(_as_core(request)))

    async def _whole(self, request: httpx.Request, response: httpcore.Response) -> Answer:
        headers = httpx.Headers(response.headers)
        try:
            if self.cookies is not None and "set-cookie" in headers:
                self.cookies.keep(httpx.Response(response.status, headers=headers, request=request))
            body = await self._body(response, headers)
        finally:
            await response.aclose()
        return Answer(status=response.status, headers=_told(headers), body=body, url=str(request.url))

    async def _body(self, response: httpcore.Response, headers: httpx.Headers) -> bytes:
        self._refuse_announced(headers)
        body = CappedBody(
            encoding=headers.get("content-encoding", "").strip().lower(),
            raw_cap=self.limits.raw_bytes,
            decoded_cap=self.limits.decoded_bytes,
        )
        async for chunk in response.aiter_stream():
            self.count(len(chunk))
            body.feed(chunk)
        return body.whole()

    def _refuse_announced(self, headers: httpx.Headers) -> None:
        """Do not even begin to read what says it is too large."""
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self.limits.raw_bytes:
            raise LayoutChanged(f"announces {announced} bytes")


def _as_core(request: httpx.Request) -> httpcore.Request:
    """The same request a layer below: what lies between is for redirects, sign-in and cookies, and none of it ours."""
    url = request.url
    return httpcore.Request(
        request.method,
        httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


def _told(headers: httpx.Headers) -> dict[str, str]:
    """The headers, without the one that is between the marketplace and the jar."""
    return {name: value for name, value in headers.items() if name != "set-cookie"}


def _is_unanswered(error: Exception) -> bool:
    """Whether the connection was refused, reset or closed before an answer began; slowness and noise are answers."""
    if isinstance(error, httpcore.RemoteProtocolError):
        return "without sending a response" in str(error)
    return isinstance(error, httpcore.NetworkError)
