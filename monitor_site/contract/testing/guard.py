"""Sees what code does behind the session's back: connections, processes, threads, written files, sleeping, clocks.

Python tells its audit hooks of the world outside. A hook stays for the life of a process: there is one, and a switch.
The rest is seen as a profiler sees calls, under whatever name: sleeping, threads, clocks, another locale.
"""

import _thread
import gc
import locale
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
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
THREADS = {getattr(_thread, name, None) for name in ("start_new_thread", "start_joinable_thread")} - {None}
CLOCKS = {
    (time, "time"),
    (time, "time_ns"),
    (datetime, "now"),
    (datetime, "utcnow"),
    (datetime, "today"),
    (date, "today"),
}
OTHERS = sys.stdlib_module_names | {"monitor_site"}
CHANGES = {"os.mkdir", "os.putenv", "os.remove", "os.rename", "os.rmdir", "os.unsetenv"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NotAllowed(RuntimeError):
    """Raised into code that does what it must not."""


@dataclass(slots=True)
class Guard:
    """What was seen: things done to the world outside, seconds slept, and clocks looked at, each in words."""

    deeds: list[str] = field(default_factory=list)
    sleeps: list[str] = field(default_factory=list)
    clocks: list[str] = field(default_factory=list)


_switch: list[Guard] = []


@contextmanager
def guarded() -> Iterator[Guard]:
    """Forbid and note all of it until the block ends, in every thread.

    Rubbish is not collected meanwhile: what that of others does at its end would be held against the plugin.
    """
    _install()
    guard = Guard()
    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()
    _switch.append(guard)
    sys.setprofile(_profile)
    try:
        yield guard
    finally:
        sys.setprofile(before)
        _switch.remove(guard)
        if collects:
            gc.enable()


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


def _profile(frame: FrameType, event: str, called: object) -> None:
    if _switch and event == "c_call":
        _called(frame, called)
    elif _switch and event == "call" and _sets_locale(frame):
        _switch[-1].deeds.append("changed the locale of the process")
        raise NotAllowed("the locale belongs to the whole process")


def _called(frame: FrameType, called: object) -> None:
    if called is time.sleep:
        _switch[-1].sleeps.append("slept")
        raise NotAllowed("a plugin never sleeps")
    if any(called is each for each in THREADS):
        _switch[-1].deeds.append("started a thread")
        raise NotAllowed("a plugin starts no thread")
    whose, name = getattr(called, "__self__", None), getattr(called, "__name__", "")
    if any(whose is owner and name == known for owner, known in CLOCKS):
        _note_clock(str(frame.f_globals.get("__name__", "")))


def _note_clock(caller: str) -> None:
    """Libraries of Python look at it for themselves, and the session may."""
    if caller.partition(".")[0] not in OTHERS:
        _switch[-1].clocks.append(f"in {caller}")


def _sets_locale(frame: FrameType) -> bool:
    """Whether it is about to be changed; asking for it is nothing, and reading dates does."""
    return frame.f_code is locale.setlocale.__code__ and frame.f_locals.get("locale") is not None


def _writes(args: tuple[Any, ...]) -> bool:
    """Whether a file is opened to be changed; Python's own compiled modules do not count."""
    path, mode, flags = args
    if isinstance(path, int) or "__pycache__" in str(path) or str(path) == os.devnull:
        return False
    return bool(set(str(mode or "")) & set("wax+")) or bool((flags or 0) & _WRITES)


def _words(args: tuple[Any, ...]) -> str:
    return " ".join(str(each) for each in args if isinstance(each, str | bytes | int | tuple | list))[:120]
