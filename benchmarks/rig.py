"""Processes of a measurement's own around an empty Redis: started, watched, and gone at the end."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import arrival
import psutil

HERE = Path(__file__).resolve().parent
STOPS_WITHIN = 120.0
STARTS_WITHIN = 120.0


class Rig:
    """What runs, by name. ``folder`` is for notes of runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[str, psutil.Popen] = {}
        folder.mkdir()

    def start(self, name: str, *command: object, python: str = sys.executable, **environment: str) -> None:
        """Start a script; it does not outlive this process, and what it says goes to a file."""
        from tests import servers

        env = os.environ | {"LOAD_GUARD": "0", "PYTHONPATH": str(HERE), arrival.FOLDER: str(self.folder)} | environment
        with (self.folder / f"{name}.log").open("wb") as log:
            self._running[name] = psutil.Popen(
                servers.tied(python, *command), env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def costs(self) -> dict[str, float]:
        """CPU seconds of each so far, its children included, and of Redis."""
        from monitor_site.connections import redis_client

        self.demand_alive()
        told: dict[str, Any] = redis_client().info("cpu")
        mine = {name: sum(sum(one.cpu_times()[:2]) for one in family(each)) for name, each in self._running.items()}
        return mine | {"redis": told["used_cpu_sys"] + told["used_cpu_user"]}

    def memory(self) -> dict[str, float]:
        """Megabytes that each holds now, and Redis."""
        from monitor_site.connections import redis_client

        told: dict[str, Any] = redis_client().info("memory")
        mine = {name: sum(one.memory_info().rss for one in family(each)) for name, each in self._running.items()}
        return {name: round(held / 1e6, 1) for name, held in (mine | {"redis": told["used_memory_rss"]}).items()}

    def demand_alive(self) -> None:
        """Give up, with its last words, when something has ended."""
        for name, process in self._running.items():
            if process.poll() is not None:
                words = (self.folder / f"{name}.log").read_text(errors="replace")[-2000:]
                raise SystemExit(f"{name} ended with {process.returncode}:\n{words}")

    def stop(self) -> None:
        """Ask all to end, and end what does not; children whose parent forgot them as well."""
        everybody = [one for process in self._running.values() for one in family(process)]
        for process in self._running.values():
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        _, alive = psutil.wait_procs(everybody, timeout=STOPS_WITHIN)
        for process in alive:
            process.kill()
        psutil.wait_procs(everybody, timeout=5)
        self._running.clear()


def family(process: psutil.Process) -> list[psutil.Process]:
    """A process and its children; none when it is gone."""
    with suppress(psutil.NoSuchProcess):
        return [process, *process.children(recursive=True)]
    return []


@contextmanager
def rig(name: str = "notes") -> Iterator[Rig]:
    """Something to start processes in, beside a Redis that ``bare.own_redis`` runs and that is emptied first."""
    from monitor_site.connections import redis_client

    redis_client().flushall()
    made = Rig(Path(os.environ["DATA_DIR"]) / name)
    try:
        yield made
    finally:
        made.stop()


def wait_for(true: Any, made: Rig, *, seconds: float = STARTS_WITHIN) -> None:
    """Wait until ``true()``, while everybody lives."""
    give_up = time.monotonic() + seconds
    while not true():
        made.demand_alive()
        if time.monotonic() > give_up:
            raise SystemExit("it did not begin in time")
        time.sleep(0.1)


def spent(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """CPU seconds in between, by process."""
    return {name: round(after[name] - before[name], 2) for name in after}
