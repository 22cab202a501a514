"""How long a process has had to answer. Its waits for a processor do not count: starved is not stuck."""

import time
from contextlib import suppress
from pathlib import Path

NANO = 1_000_000_000


def waited_by_thread(pid: int) -> dict[str, float]:
    """Seconds that each thread of a process has waited for a processor; empty where the system does not tell.

    Linux keeps them in ``/proc/PID/task/TID/schedstat``: time on a processor and time waited for one, both in
    nanoseconds, then how often it ran (Documentation/scheduler/sched-stats.rst of the kernel).
    """
    waited: dict[str, float] = {}
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, IndexError, ValueError):
                waited[thread.name] = int((thread / "schedstat").read_text(encoding="ascii").split()[1]) / NANO
    return waited


class Patience:
    """Counts from when it is made."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._began = time.monotonic()
        self._waited = waited_by_thread(pid)

    @property
    def used(self) -> float:
        """Seconds in which the process could run: all of them, less those that its most starved thread waited."""
        elapsed = time.monotonic() - self._began
        waited = waited_by_thread(self._pid)
        return elapsed - max((waited[name] - self._waited.get(name, 0.0) for name in waited), default=0.0)
