"""One process that home keeps alive."""

import asyncio
import logging
import os
import re
import signal
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import psutil

from monitor_site.engine import tied

from .console import Console

TIED = Path(tied.__file__)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
LINE_CAP = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A process to run.

    ``shares`` are file descriptors it inherits; ``aloud`` shows its lines on the terminal; ``serves`` the others, so
    it ends after them; ``tries`` is how often it may end before that fails the start.
    """

    name: str
    command: tuple[str, ...]
    shares: tuple[int, ...] = ()
    aloud: bool = True
    serves: bool = False
    tries: int = 1


class Child:
    """A :class:`Part` and, one after the other, its processes."""

    def __init__(self, part: Part, console: Console) -> None:
        self.part = part
        self.tail: deque[str] = deque(maxlen=15)
        self.ends = 0
        self.retired = False
        self._born = 0.0
        self._console = console
        self._log: logging.Logger = console.log_file(part.name)
        self._process: asyncio.subprocess.Process | None = None
        self._family: set[psutil.Process] = set()

    async def run(self) -> int:
        """Start it, take down what it writes, and answer its exit code; negative means a signal."""
        self._born = time.monotonic()
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(TIED), "TERM", str(os.getpid()), *self.part.command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            pass_fds=self.part.shares,
            start_new_session=True,  # Ctrl-C in the terminal reaches home alone, which then stops in order
        )
        await self._take_down(self._process.stdout)
        code = await self._process.wait()
        self.ends += 1
        return code

    async def _take_down(self, stream: asyncio.StreamReader | None) -> None:
        rest = b""
        while stream and (chunk := await stream.read(65_536)):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._write(line)
            rest = rest[:LINE_CAP]
        if rest:
            self._write(rest)

    def _write(self, line: bytes) -> None:
        text = line[:LINE_CAP].decode("utf-8", "replace").rstrip()
        self.tail.append(text)
        self._log.info("%s", COLOURS.sub("", text))
        if self.part.aloud:
            self._console.child_line(self.part.name, text)

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int | None:
        """The number of its process, while that runs."""
        return self._process.pid if self._process and self.alive else None

    @property
    def age(self) -> float:
        """Seconds since its process was started."""
        return time.monotonic() - self._born

    def ask_to_end(self) -> None:
        """SIGTERM to the process; its own children are its own affair, until :meth:`kill`."""
        if self._process and self.alive:
            self._meet_family()
            self._process.terminate()

    def kill(self) -> None:
        """SIGKILL to the process and all it has started."""
        self._meet_family()
        if self._process and self.alive:
            self._process.kill()
        for relative in self._family:
            if relative.is_running():
                relative.send_signal(signal.SIGKILL)

    def _meet_family(self) -> None:
        if self._process and self.alive:
            try:
                self._family |= set(psutil.Process(self._process.pid).children(recursive=True))
            except psutil.Error:
                return
