"""A small proxy on loopback: notes who asks to be led where, and leads there, or refuses."""

import asyncio
import base64
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass
class SmallProxy:
    """``asked`` are the CONNECT lines, ``users`` what each gave for itself, as ``user:password``.

    ``status`` is the answer: 200 leads to ``to``, wherever was asked for, since no test reaches the internet.
    """

    status: str = "200 Connection established"
    to: int = 0
    port: int = 0
    silent: bool = False
    asked: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        self.asked.append(lines[0])
        self.users += [user_of(line) for line in lines if line.lower().startswith("proxy-authorization: ")]
        if self.silent:
            await reader.read()
            return
        writer.write(f"HTTP/1.1 {self.status}\r\n\r\n".encode())
        await writer.drain()
        if self.to and self.status.startswith("200"):
            await lead(reader, writer, self.to)


async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """Carry bytes both ways until one side ends."""
    inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
    ways = [asyncio.ensure_future(carry(reader, inner_writer)), asyncio.ensure_future(carry(inner_reader, writer))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        inner_writer.transport.abort()
        await asyncio.gather(*ways, return_exceptions=True)


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


def user_of(line: str) -> str:
    return base64.b64decode(line.rsplit(" ", 1)[1]).decode()
