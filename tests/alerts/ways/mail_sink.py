"""A mail server on loopback that takes letters, or says what the test wants it to say."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class MailSink:
    """``replies`` by command replace the usual ones; ``None`` says nothing at all."""

    letters: list[bytes] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    replies: dict[str, str | None] = field(default_factory=dict)
    port: int = 0
    tls: ssl.SSLContext | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            await self._reply(writer, "HELLO", "220 sink ready")
            while line := (await reader.readline()).decode("latin-1").strip():
                self.said.append(line)
                await self._obey(line.split(" ")[0].upper(), reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _obey(self, command: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        offers = "250-STARTTLS\r\n" if self.tls else ""
        usual = {
            "EHLO": f"250-sink\r\n{offers}250 AUTH PLAIN",
            "AUTH": "235 welcome",
            "DATA": "354 go on",
            "STARTTLS": "220 go",
            "QUIT": "221 bye",
        }
        await self._reply(writer, command, usual.get(command, "250 fine"))
        if command == "STARTTLS" and self.tls:
            await writer.start_tls(self.tls)
        if command == "DATA" and "DATA" not in self.replies:
            self.letters.append(await reader.readuntil(b"\r\n.\r\n"))
            await self._reply(writer, "LETTER", "250 taken")

    async def _reply(self, writer: asyncio.StreamWriter, command: str, usual: str) -> None:
        words = self.replies.get(command, usual)
        if words is None:
            await asyncio.Event().wait()
        writer.write(f"{words}\r\n".encode())
        await writer.drain()


@asynccontextmanager
async def listening(sink: MailSink, **options: Any) -> AsyncIterator[MailSink]:
    """The sink takes connections until the block ends, and nobody is left half served."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(task := asyncio.ensure_future(sink.serve(reader, writer)))
        await asyncio.gather(task, return_exceptions=True)

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, **options)
    sink.port = listener.sockets[0].getsockname()[1]
    try:
        yield sink
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
