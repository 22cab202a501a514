"""A worker's side of sending: hand an order to a sender, hear what became of it, and be sure when it is gone."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

import structlog

from monitor_site.purchasing.models import SubmissionOutcome
from monitor_site.purchasing.submitting import Told

from . import tied
from .home.parts import command

log = structlog.get_logger(__name__)

# How long the process that forks them may take to start.
BIRTH_SECONDS = 30.0
# After its deadline the kernel has ended a sender; what is still there is killed.
GRACE_SECONDS = 1.0
LONGEST_ANSWER = 1_000_000
KNOWN = ("reason", "final", "paid", "reference", "evidence")


class Senders:
    """Starts the process that forks senders, and anew when it is gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None

    def start(self) -> None:
        """Begin to warm up, so that the first order need not wait for that."""
        with self._lock:
            self._alive()

    def stop(self) -> None:
        """End it, and every sender with it."""
        with self._lock:
            self._end()

    def send(self, *, order_id: int, submission_id: int | None, deadline: float) -> Told:
        """Have an order sent before a monotonic moment, or without a submission rehearsed; what became of it."""
        return self._have({"order": order_id, "submission": submission_id, "deadline": deadline})

    def cancel(self, *, cancellation_id: int, deadline: float) -> Told:
        """Have a request to cancel sent before a monotonic moment; what became of it."""
        return self._have({"cancellation": cancellation_id, "deadline": deadline})

    def _have(self, asked: dict[str, Any]) -> Told:
        reading, deadline = self._hand_over(asked), asked["deadline"]
        try:
            return self._heard(reading, deadline)
        finally:
            os.close(reading)

    def _hand_over(self, asked: dict[str, Any]) -> int:
        """One message after the other, so that each gets its own pipe; the end of the pipe is the end of its sender."""
        reading, writing = os.pipe()
        try:
            with self._lock, contextlib.suppress(OSError):
                socket.send_fds(self._alive(), [json.dumps(asked).encode()], [writing])
                # Until the sender is there, or will never be, the next one waits.
                select.select([reading], [], [], min(BIRTH_SECONDS, max(0.0, asked["deadline"] - time.monotonic())))
        finally:
            os.close(writing)
        return reading

    def _alive(self) -> socket.socket:
        if self._server is None or self._server.poll() is not None or self._orders is None:
            self._end()
            self._orders, theirs = socket.socketpair()
            tie = (sys.executable, "-I", "-S", tied.__file__, "KILL", str(os.getpid()))
            with theirs:
                self._server = subprocess.Popen((*tie, *command("run_senders")), stdin=theirs.fileno())  # noqa: S603  ours
        return self._orders

    def _end(self) -> None:
        if self._orders is not None:
            self._orders.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
        self._orders = self._server = None

    def _heard(self, reading: int, deadline: float) -> Told:
        said, ended = read_to_end(reading, until=deadline + GRACE_SECONDS)
        if not ended:
            log.error("sender.stuck", said=len(said))
            self._kill(said)
            more, ended = read_to_end(reading, until=time.monotonic() + GRACE_SECONDS)
            said += more
        return told_from(said, ended=ended)

    def _kill(self, said: bytes) -> None:
        """As long as its pipe is open its number is its own. Without one, whoever was to fork it goes."""
        for words in _lines(said):
            if isinstance(pid := words.get("pid"), int):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                return
        self.stop()


def read_to_end(reading: int, *, until: float) -> tuple[bytes, bool]:
    """What a pipe gives before a monotonic moment, and whether it has ended."""
    said = b""
    while (left := until - time.monotonic()) > 0 and len(said) < LONGEST_ANSWER:
        if not select.select([reading], [], [], left)[0]:
            break
        chunk = os.read(reading, 65536)
        if not chunk:
            return said, True
        said += chunk
    return said, False


def told_from(said: bytes, *, ended: bool) -> Told:
    """The last word of a sender; what makes no sense is no word."""
    for words in reversed(_lines(said)):
        with contextlib.suppress(ValueError, TypeError):
            if words.get("outcome") is not None:
                return _told(words, ended=ended)
    return Told(ended=ended, reason="silent")


def _told(words: dict[str, Any], *, ended: bool) -> Told:
    outcome = SubmissionOutcome(words["outcome"])
    known = {name: words[name] for name in KNOWN if name in words}
    types = {"reason": str, "final": bool, "paid": int | None, "reference": str, "evidence": dict}
    if outcome == SubmissionOutcome.OPEN or not all(isinstance(known[name], types[name]) for name in known):
        raise ValueError("no outcome")
    if outcome == SubmissionOutcome.PLACED and not known.get("reference"):
        raise ValueError("placed without a reference")
    return Told(outcome=outcome, ended=ended, **known)


def _lines(said: bytes) -> list[dict[str, Any]]:
    found = []
    for line in said.split(b"\n"):
        with contextlib.suppress(ValueError):
            words = json.loads(line)
            if isinstance(words, dict):
                found.append(words)
    return found
