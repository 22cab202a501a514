"""The caller's end of the process that lets Apprise send: starts it, starts it anew when it is gone, and asks it."""

import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

from django.conf import settings

from monitor_site.networks import Networks

MODULE = "monitor_site.alerts.ways.apprise_server"
# It loads much. Whoever gave up on a busy machine would only begin that anew.
START_SECONDS = 120.0
END_SECONDS = 2.0
NOTICE_SECONDS = 0.2
MOST_AT_ONCE = 32
REPLY_BYTES = 1024 * 1024


class AppriseProcess:
    """One process for a loop's life, made when it is first needed; at most 32 messages at once."""

    def __init__(self, networks: Networks) -> None:
        self._networks = networks
        self._process: Process | None = None
        self._folder: Path | None = None
        self._start: asyncio.Task[Path] | None = None
        self._places = asyncio.Semaphore(MOST_AT_ONCE)

    async def ask(self, wanted: dict[str, Any], *, until: float) -> dict[str, Any] | None:
        """What came of one message, ``None`` when the child died or said nothing; ``until`` is on the loop's clock."""
        async with self._places:
            # Shielded: a start that takes longer than one message may goes on for the next one.
            socket = await asyncio.shield(self._started())
            found = await _asked(socket, wanted, until)
            if found is None and await self._has_died(socket):
                # The process itself, not a child of it: a new one tries this message once.
                found = await _asked(await asyncio.shield(self._started(failed=socket)), wanted, until)
            return found

    async def warm(self) -> None:
        """Start it, if it does not run."""
        await asyncio.shield(self._started())

    async def close(self) -> None:
        """End it, with every child that still sends."""
        if self._start is not None:
            self._start.cancel()
            await asyncio.gather(self._start, return_exceptions=True)
        await self._forget()

    @property
    def pid(self) -> int | None:
        """Its process id, while there is one."""
        return self._process.pid if self._process else None

    async def _has_died(self, socket: Path) -> bool:
        """Whether the process behind a socket is gone; the system may need a moment to say so."""
        process = self._process
        if process is None or self._folder != socket.parent or _is_swept_away(socket):
            return True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(NOTICE_SECONDS):
                await process.wait()
        return process.returncode is not None

    def _started(self, *, failed: Path | None = None) -> asyncio.Task[Path]:
        if self._start is None or (self._start.done() and self._is_gone(self._start, failed)):
            self._start = asyncio.ensure_future(self._anew())
        return self._start

    def _is_gone(self, start: asyncio.Task[Path], failed: Path | None) -> bool:
        if start.cancelled() or start.exception() or start.result() == failed:
            return True
        return self._process is None or self._process.returncode is not None

    async def _anew(self) -> Path:
        await self._forget()
        self._folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="alerts-"))
        self._process = process = await asyncio.create_subprocess_exec(
            *self._command(socket := self._folder / "socket"),
            stdin=PIPE,
            stdout=PIPE,
            cwd=self._folder,
            env={"PYTHONPATH": str(settings.BASE_DIR), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,  # it ends its children as a group
        )
        async with asyncio.timeout(START_SECONDS):
            if process.stdout is None or await process.stdout.readline() != b"ready\n":
                raise ConnectionAbortedError("the process that sends did not start")
        return socket

    def _command(self, socket: Path) -> tuple[str, ...]:
        given = {"named": list(map(str, self._networks.named)), "own": sorted(self._networks.own)}
        return sys.executable, "-P", "-m", MODULE, str(socket), json.dumps(given)

    async def _forget(self) -> None:
        process, self._process = self._process, None
        folder, self._folder = self._folder, None
        if process is not None:
            await _end(process)
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _is_swept_away(socket: Path) -> bool:
    """Systems clear their temporary folders of what is old, whoever still listens there."""
    return not socket.exists()


async def _asked(socket: Path, wanted: dict[str, Any], until: float) -> dict[str, Any] | None:
    try:
        reader, writer = await asyncio.open_unix_connection(socket, limit=REPLY_BYTES)
    except (ConnectionError, FileNotFoundError):
        return None
    try:
        left = until - asyncio.get_running_loop().time()
        writer.write(json.dumps(wanted | {"seconds": left}).encode() + b"\n")
        await writer.drain()
        return _read(await reader.read(-1))
    except ConnectionError:
        return None  # the child died while it read, or before it spoke
    finally:
        writer.close()


async def _end(process: Process) -> None:
    """It ends by itself when nothing holds its standard input any more; if not, it is ended."""
    if process.stdin:
        process.stdin.close()
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _read(answer: bytes) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(answer)
    except ValueError:
        return None
    return found
