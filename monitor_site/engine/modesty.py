"""Clockwork steps back for events when the machine is busy."""

import os
from contextlib import suppress
from pathlib import Path

MODEST_LANES = frozenset({"checks", "upkeep"})
AUTOGROUP = Path("/proc/self/autogroup")


def step_back(nice: int) -> None:
    """Let other processes go first from now on, those of other sessions as well; ``nice``: how far, 0 to 19.

    Linux shares processors out among sessions first (autogroup, see sched(7)), so that being nice counts among
    processes of the same one only, and each worker of a pool leads a session of its own. A session that others share
    is left as it is.
    """
    nice = max(0, nice)
    os.nice(nice)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):
            AUTOGROUP.write_text(str(nice), encoding="ascii")
