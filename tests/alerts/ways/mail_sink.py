"""A mail server on loopback that takes letters, or says what the test wants it to say."""

import asyncio
from dataclasses import dataclass, field


@dataclass
class MailSink:
    """``replies`` by command replace the usual ones; ``None`` says nothing at all."""

    letters: list[bytes] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    replies: dict[str, str | None] = field(default_factory=dict)
    port: int = 0

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
        usual = {"EHLO": "250-sink\r\n250 AUTH PLAIN", "AUTH": "235 welcome", "DATA": "354 go on", "QUIT": "221 bye"}
        await self._reply(writer, command, usual.get(command, "250 fine"))
        if command == "DATA" and "DATA" not in self.replies:
            self.letters.append(await reader.readuntil(b"\r\n.\r\n"))
            await self._reply(writer, "LETTER", "250 taken")

    async def _reply(self, writer: asyncio.StreamWriter, command: str, usual: str) -> None:
        words = self.replies.get(command, usual)
        if words is None:
            await asyncio.Event().wait()
        writer.write(f"{words}\r\n".encode())
        await writer.drain()
