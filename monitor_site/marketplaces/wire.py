"""A connection as asyncio itself has it, for the HTTP library: nothing between its bytes and the event loop.

A usual request reads and writes some ten times, and the library's own way through another library costs more than
taking the answer apart. Of the library's exceptions the same are raised. The deadline of an exchange is what ends a
read or a write; neither has a time-out here.
"""

import asyncio
import select
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore

MOST_UNREAD = 256 * 1024
# Of two addresses of a name, one may lead nowhere.
NEXT_ADDRESS_SECONDS = 0.25


class Wire(asyncio.Protocol):
    """What came and was not read yet; whether more may come, and whether more may go."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.unread = bytearray()
        self.ended = False
        self.broken: Exception | None = None
        self._full = False
        self._paused = False
        self._reading: asyncio.Future[None] | None = None
        self._writing: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It stands."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Something came; what nobody reads makes the other side wait."""
        self.unread += data
        if len(self.unread) > MOST_UNREAD and not self._paused and self.transport is not None:
            self._paused = True
            self.transport.pause_reading()
        _wake(self._reading)

    def eof_received(self) -> bool:
        """Nothing more comes; a wire without encryption stays open for what we have to say until it is closed."""
        self.ended = True
        _wake(self._reading)
        return self.transport is not None and self.transport.get_extra_info("sslcontext") is None

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over, or broken."""
        self.ended, self.broken = True, exc
        _wake(self._reading)
        _wake(self._writing)

    def pause_writing(self) -> None:
        """The other side reads too slowly."""
        self._full = True

    def resume_writing(self) -> None:
        """It has caught up."""
        self._full = False
        _wake(self._writing)

    async def some(self, most: int) -> bytes:
        """What came next; empty when nothing more comes. Raises what broke the connection."""
        while not self.unread and not self.ended:
            self._reading = asyncio.get_running_loop().create_future()
            await self._reading
        if not self.unread and self.broken is not None:
            raise self.broken
        data = bytes(self.unread[:most])
        del self.unread[:most]
        if self._paused and len(self.unread) <= MOST_UNREAD and self.transport is not None:
            self._paused = False
            self.transport.resume_reading()
        return data

    async def drained(self) -> None:
        """Wait until the other side keeps up."""
        while self._full and self.broken is None and self.transport is not None and not self.transport.is_closing():
            self._writing = asyncio.get_running_loop().create_future()
            await self._writing


def _wake(waiting: "asyncio.Future[None] | None") -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)


class WireStream(httpcore.AsyncNetworkStream):
    """A wire as the HTTP library wants it."""

    def __init__(self, transport: asyncio.Transport, wire: Wire) -> None:
        self._transport = transport
        self._wire = wire
        self._unsent = bytearray()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109  httpcore's
        """Raises ``ReadError``."""
        try:
            return await self._wire.some(max_bytes)
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109  httpcore's
        """Raises ``WriteError`` when the other side is gone. What is written in one turn of the loop goes as one."""
        if self._wire.broken is not None or self._transport.is_closing():
            raise httpcore.WriteError(str(self._wire.broken or "the connection is closed"))
        if buffer and not self._unsent:
            asyncio.get_running_loop().call_soon(self._send)
        self._unsent += buffer
        await self._wire.drained()

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, bytearray()
        if unsent and not self._transport.is_closing():
            self._transport.write(unsent)

    async def aclose(self) -> None:
        """Say good-bye where that is usual, and wait for nobody."""
        self._send()
        self._transport.close()
        try:
            await asyncio.sleep(0)
        finally:
            self._transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore's
    ) -> httpcore.AsyncNetworkStream:
        """The same wire, encrypted. Raises ``ConnectError`` and ``ConnectTimeout``, and closes it then."""
        self._send()
        start = asyncio.get_running_loop().start_tls
        try:
            async with asyncio.timeout(timeout):
                over = await start(self._transport, self._wire, ssl_context, server_hostname=server_hostname)
        except TimeoutError as error:
            self._transport.abort()
            raise httpcore.ConnectTimeout(str(error)) from error
        except OSError as error:
            self._transport.abort()
            raise httpcore.ConnectError(str(error)) from error
        except BaseException:
            self._transport.abort()
            raise
        if over is None:
            raise httpcore.ConnectError("the connection broke before it was encrypted")
        self._wire.transport = over
        return WireStream(over, self._wire)

    def get_extra_info(self, info: str) -> Any:
        """As far as the HTTP library asks."""
        if info == "is_readable":
            return bool(self._wire.unread) or self._wire.ended or _is_readable(self._transport)
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._transport.get_extra_info(names.get(info, info))


def _is_readable(transport: asyncio.Transport) -> bool:
    """Whether an idle connection has something to say, most likely good-bye, of which the loop has not heard yet."""
    socket = transport.get_extra_info("socket")
    number = -1 if socket is None else socket.fileno()
    if number < 0:
        return True
    poll = select.poll()
    poll.register(number, select.POLLIN)
    return bool(poll.poll(0))


class WireBackend(httpcore.AsyncNetworkBackend):
    """Opens wires."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Raises ``ConnectError`` and ``ConnectTimeout``."""
        bound = (local_address, 0) if local_address else None
        try:
            async with asyncio.timeout(timeout):
                transport, wire = await asyncio.get_running_loop().create_connection(
                    Wire, host, port, local_addr=bound, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS
                )
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        for option in socket_options or ():
            transport.get_extra_info("socket").setsockopt(*option)
        return WireStream(transport, wire)
