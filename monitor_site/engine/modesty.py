"""Clockwork steps back for events when the machine is busy."""

import os
from contextlib import suppress
from pathlib import Path

MODEST_LANES = frozenset({"checks", "upkeep"})
MODEST_NICE = 10
AUTOGROUP = Path("/proc/self/autogroup")


def step_back() -> None:
    """Let other processes go first from now on, those of other sessions as well.

    Linux shares processors out among sessions first (autogroup, see sched(7)), so that being nice counts among
    processes of the same one only, and each worker of a pool leads a session of its own. A session that others share
    is left as it is.
    """
    os.nice(MODEST_NICE)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):
            AUTOGROUP.write_text(str(MODEST_NICE), encoding="ascii")
