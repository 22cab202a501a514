"""Signals while a worker finishes what it has.

RQ's own handlers are for the time before: when draining began by itself, since the worker is recycled or Redis went
away, they would break it off at the first signal.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SAME_SIGNAL_SECONDS = 1.0
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Asked:
    """How often a process was asked to stop. A terminal and a service manager may both pass on the same signal."""

    def __init__(self) -> None:
        self._first: float | None = None

    def hear(self, now: float) -> bool:
        """Note a signal, at a monotonic moment; whether it is a second one, which cuts off what still runs."""
        if self._first is None:
            self._first = now
        return now - self._first >= SAME_SIGNAL_SECONDS


@contextmanager
def draining(*, asked: bool) -> Iterator[None]:
    """To be asked to stop once changes nothing here; asked again, the process ends at once.

    ``asked``: a signal has begun this. What is cut off is healed when its leases end.
    """
    signals = Asked()
    if asked:
        signals.hear(time.monotonic())

    def hear(number: int, _frame: Any) -> None:
        if signals.hear(time.monotonic()):
            os._exit(128 + number)

    before = {number: signal.signal(number, hear) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
