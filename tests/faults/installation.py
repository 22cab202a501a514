"""A whole installation as subprocesses on the test's own database and Redis."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
from django.conf import settings

from tests.servers import stop, tied

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"


class Installation:
    """Starts, kills and looks at the processes of one installation."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, name: str, *arguments: object) -> subprocess.Popen[bytes]:
        """Run a management command until the test ends; ``processes`` has the last one of each name."""
        command = tied(sys.executable, MANAGE, name, *arguments)
        log = Path(settings.DATA_DIR) / f"{name}.log"
        with log.open("ab") as sink:
            self.processes[name] = subprocess.Popen(command, env=self.env, stdout=sink, stderr=sink)
        self._started.append(self.processes[name])
        return self.processes[name]

    def kill(self, name: str) -> None:
        """SIGKILL a command."""
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()

    def pids(self, *words: str) -> list[int]:
        """Processes below this test whose command line holds all words."""
        children = psutil.Process(os.getpid()).children(recursive=True)
        return [child.pid for child in children if set(words) <= set(_command_line(child))]

    def stop(self) -> None:
        """End everything."""
        for process in self._started:
            stop(process)


def signal_to(pids: list[int], number: signal.Signals) -> None:
    """Their pool may have ended some of them by now."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
