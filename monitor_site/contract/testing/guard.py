"""Sees what code does behind the session's back: connections, processes, written files, sleeping.

Python tells its audit hooks of all but sleeping. A hook stays for the life of a process, so there is one, and a switch.
Calls of ``time.sleep``, under whatever name, are seen as a profiler sees them.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from types import FrameType
from typing import Any

NETWORK = {
    "socket.bind",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyaddr",
    "socket.gethostbyname",
    "socket.sendmsg",
    "socket.sendto",
}
PROCESSES = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}
CHANGES = {"os.mkdir", "os.putenv", "os.remove", "os.rename", "os.rmdir", "os.unsetenv"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NotAllowed(RuntimeError):
    """Raised into code that does what it must not."""


@dataclass(slots=True)
class Guard:
    """What was seen: things done to the world outside, and seconds slept, each in words."""

    deeds: list[str] = field(default_factory=list)
    sleeps: list[str] = field(default_factory=list)


_switch: list[Guard] = []


@contextmanager
def guarded() -> Iterator[Guard]:
    """Forbid and note all of it until the block ends, in every thread."""
    _install()
    guard = Guard()
    before = sys.getprofile()
    _switch.append(guard)
    sys.setprofile(_profile)
    try:
        yield guard
    finally:
        sys.setprofile(before)
        _switch.remove(guard)


def slept(seconds: float) -> None:
    """Note a wait that did not go through ``time.sleep``."""
    if _switch and seconds > 0:
        _switch[-1].sleeps.append(f"waited {seconds:g} s")


@cache
def _install() -> None:
    sys.addaudithook(_hook)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not _switch:
        return
    if event in NETWORK | PROCESSES | CHANGES or (event == "open" and _writes(args)):
        _switch[-1].deeds.append(f"{event} {_words(args)}")
        raise NotAllowed(f"a plugin has no way out but its session: {event}")


def _profile(_: FrameType, event: str, called: object) -> None:
    if event == "c_call" and called is time.sleep and _switch:
        _switch[-1].sleeps.append("slept")
        raise NotAllowed("a plugin never sleeps")


def _writes(args: tuple[Any, ...]) -> bool:
    """Whether a file is opened to be changed; Python's own compiled modules do not count."""
    path, mode, flags = args
    if isinstance(path, int) or "__pycache__" in str(path) or str(path) == os.devnull:
        return False
    return bool(set(str(mode or "")) & set("wax+")) or bool((flags or 0) & _WRITES)


def _words(args: tuple[Any, ...]) -> str:
    return " ".join(str(each) for each in args if isinstance(each, str | bytes | int | tuple | list))[:120]
