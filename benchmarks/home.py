"""A fresh installation for a measurement: started by ``manage.py home`` in a folder of its own, stopped at the end."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"http://\S+/start/\S+")
PATIENCE_SECONDS = 120


class Home:
    """A running installation: its data folder, its address, and the one-time sign-in that it printed."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self.folder = folder
        self.process = process
        self.link = self._read_link()
        running = json.loads((folder / "running.json").read_text())
        self.address: str = running["web_url"]
        self.markets: dict[str, str] = running["practice_markets"]

    def _read_link(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := LINK.search(line):
                return found.group()
        raise SystemExit("the installation did not start")

    def browser(self) -> httpx.Client:
        """A client that is signed in as the demo user."""
        client = httpx.Client(base_url=self.address, follow_redirects=True, trust_env=False, timeout=PATIENCE_SECONDS)
        client.get(self.link).raise_for_status()
        return client

    def manage(self, *arguments: str) -> str:
        """What a management command of this installation prints."""
        env = os.environ | {"DATA_DIR": str(self.folder)}
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout

    def status(self) -> dict[str, Any]:
        """The figures of ``manage.py status --json``."""
        figures: dict[str, Any] = json.loads(self.manage("status", "--json"))
        return figures

    def practice(self, path: str, **payload: Any) -> dict[str, Any]:
        """Steer the practice market of Mercari."""
        address = f"{self.markets['mercari']}/_practice/{path}"
        answer = httpx.post(address, json=payload, trust_env=False, timeout=PATIENCE_SECONDS)
        found: dict[str, Any] = answer.raise_for_status().json()
        return found

    def practice_state(self, path: str) -> dict[str, Any]:
        """What the practice market of Mercari tells of itself."""
        answer = httpx.get(f"{self.markets['mercari']}/_practice/{path}", trust_env=False, timeout=PATIENCE_SECONDS)
        found: dict[str, Any] = answer.raise_for_status().json()
        return found


@contextmanager
def fresh_home(**environment: str) -> Iterator[Home]:
    """Start an installation with an empty data folder; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as name:
        # It is measured to the limit of this machine: nothing gives way.
        env = os.environ | {"DATA_DIR": name, "PORT": "0", "LOAD_GUARD": "0"} | environment
        command = [sys.executable, "-u", str(ROOT / "manage.py"), "home"]
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        try:
            yield Home(Path(name), process)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE_SECONDS)


def command_of(process: psutil.Process) -> list[str]:
    """Its command line; nothing when it has ended since it was found."""
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def wait_until(true: Any, *, what: str, seconds: float = PATIENCE_SECONDS) -> Any:
    """What ``true()`` returns once it is something; gives up with words."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if found := true():
            return found
        time.sleep(0.02)
    raise SystemExit(f"never happened: {what}")


def quantile(values: list[float], share: float) -> float:
    """The value at ``share`` of the sorted values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
