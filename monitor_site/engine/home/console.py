"""What home says, and where the lines of its children go: the terminal and one rotated file for each."""

import logging
import sys
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

WIDTH = 16
FILE_BYTES, FILES_KEPT = 2_000_000, 3


class Console:
    """Writes to the terminal; a terminal that went away is no reason to stop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.quiet = False
        folder.mkdir(parents=True, exist_ok=True)

    def say(self, text: str = "") -> None:
        """One line of home's own."""
        with suppress(OSError, ValueError):
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()

    def step(self, name: str, text: str) -> None:
        """What a step of the start has come to."""
        self.say(f"  {name:<{WIDTH}} {text}")

    def child_line(self, name: str, text: str) -> None:
        """A line of a child, after its name; silent while everything stops."""
        if not self.quiet:
            self.say(f"{name:>{WIDTH}} | {text}")

    def log_file(self, name: str) -> logging.Logger:
        """The log of the child called ``name``, rotated by size."""
        log = logging.Logger(f"home.{name}")  # noqa: LOG001 - on its own: these lines are formatted already
        log.addHandler(
            RotatingFileHandler(
                self.folder / f"{name}.log", maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8"
            )
        )
        return log
