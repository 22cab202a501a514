"""Runs a command that must not outlive whoever started it: ``tied.py SIGNAL PARENT_PID COMMAND...``.

Started as a plain script, before Django and without site packages. On Linux the kernel sends ``SIGNAL`` (KILL, TERM)
when the parent dies, and the command takes this process's place. Elsewhere this process stays and watches the parent.
"""

import ctypes
import os
import signal
import subprocess
import sys
from types import FrameType

PR_SET_PDEATHSIG = 1
LINUX = sys.platform.startswith("linux")


def tie_by_kernel(death: signal.Signals) -> None:
    """Ask Linux for ``death`` at the end of the parent; kept over exec."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(death), 0, 0, 0)


def watch(parent: int, death: signal.Signals, command: list[str]) -> int:
    """Run the command, hand on what would end it, and end it when the parent is gone; its exit code."""
    child = subprocess.Popen(command)  # noqa: S603 - the caller's own command

    def hand_on(number: int, _frame: FrameType | None) -> None:
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hand_on)
    while True:
        try:
            return child.wait(0.5)
        except subprocess.TimeoutExpired:
            if os.getppid() != parent:
                child.send_signal(death)
                return child.wait()


def main(arguments: list[str]) -> int:
    """Tie, look once whether the parent died in the meantime, and run; returns only where it must watch."""
    death, parent, command = signal.Signals[f"SIG{arguments[0]}"], int(arguments[1]), arguments[2:]
    if not LINUX:
        return watch(parent, death, command)
    tie_by_kernel(death)
    if os.getppid() == parent:
        os.execvp(command[0], command)  # noqa: S606 - the caller's own command
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
