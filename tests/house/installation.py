"""A real ``manage.py home`` in a subprocess, for the tests about starting and stopping."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import psutil

from tests.house.source import ROOT

START_SECONDS = 180
OURS = ("REDIS_URL", "DATABASE_URL", "SECRET_KEY", "LOG_LEVEL", "STATIC_ROOT", "DJANGO_SETTINGS_MODULE")


def environment(folder: Path) -> dict[str, str]:
    """That of a person who has set nothing but the folder, and wants any port. Tests beside it starve no worker."""
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    return kept | {"DATA_DIR": str(folder), "DEMO": "1", "PORT": "0", "CLOCKWORK_NICE": "0"}


def let_interrupt() -> None:
    """What is started in the background is told to ignore Ctrl-C, and would have its children ignore it, too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def command_of(process: psutil.Process) -> list[str]:
    """Its command line; nothing when it has ended since it was found."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


class Installation:
    """One home on its own data folder; ``said`` holds the lines it has written so far."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.said: list[str] = []
        self._lines: Queue[str | None] = Queue()
        let_interrupt()
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "home"],
            cwd=ROOT,
            env=environment(folder) | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> "Installation":
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it, if it still runs, and let go of it."""
        self.process.kill()
        self.process.wait()
        self._reader.join(START_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line.rstrip())
        self._lines.put(None)

    def wait_for(self, words: str, *, seconds: float = START_SECONDS) -> str:
        """The first line, said from now on, that holds ``words``."""
        while True:
            try:
                line = self._lines.get(timeout=seconds)
            except Empty:
                raise AssertionError(f"home did not say {words!r}:\n" + "\n".join(self.said)) from None
            if line is None:
                raise AssertionError(f"home ended before it said {words!r}:\n" + "\n".join(self.said))
            self.said.append(line)
            if words in line:
                return line

    def started(self) -> "Installation":
        """Wait until it says how to stop it: then everything runs."""
        self.wait_for("Ctrl-C")
        return self

    def facts(self) -> dict[str, Any]:
        """What it says about itself."""
        return dict(json.loads((self.folder / "running.json").read_text("utf-8")))

    def link(self) -> str:
        """The one-time sign-in it printed."""
        return next(line for line in self.said if "/start/" in line).split()[2]

    def family(self) -> list[psutil.Process]:
        """All processes it has started, theirs included."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> str:
        """Wait for its end; the rest of what it said."""
        self.process.wait(START_SECONDS)
        while (line := self._lines.get(timeout=START_SECONDS)) is not None:
            self.said.append(line)
        return "\n".join(self.said)


def survivors(family: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run when they have had all the time to end; the dead count as ended, whoever buries them."""
    give_up = time.monotonic() + START_SECONDS
    while (alive := [one for one in family if _runs(one)]) and time.monotonic() < give_up:
        psutil.wait_procs(alive, timeout=0.1)
    return alive


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
