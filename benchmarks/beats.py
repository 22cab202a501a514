"""Runs of tasks, as the processes of a measurement note them, and what they come to. Standard library only."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "max": 1.0}


@dataclass(frozen=True, slots=True)
class Run:
    """A task ran: when it was due (or sent, where nobody keeps a due time), began and ended, in epoch seconds."""

    task: int
    due: float
    started: float
    ended: float = 0.0


class Notes:
    """The notes of one process, in a file of its own; ``batch`` lines are written together."""

    def __init__(self, folder: Path, *, batch: int = 1) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file = os.open(folder / f"{os.getpid()}.beats", flags, 0o600)
        self._lines: list[str] = []
        self._batch = batch

    def write(self, task: int, due: float, started: float, ended: float = 0.0) -> None:
        """Note a run; by one call of the system, so that threads do not mix their lines."""
        line = f"{task} {due:.6f} {started:.6f} {ended:.6f}\n"
        if self._batch == 1:
            os.write(self._file, line.encode())
            return
        self._lines.append(line)
        if len(self._lines) >= self._batch:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        os.write(self._file, "".join(self._lines).encode())
        self._lines = []


def read(folder: Path) -> list[Run]:
    """The runs of all processes."""
    lines = [line.split() for file in sorted(folder.glob("*.beats")) for line in file.read_text().splitlines()]
    return [Run(int(task), float(due), float(started), float(ended)) for task, due, started, ended in lines]


def due_by_the_one_before(runs: Iterable[Run], interval: float) -> list[Run]:
    """Of runs that know only when they were sent: each is due an interval after the one before was sent.

    This forgives a scheduler its drift; what it drifts away shows in beats that were not run.
    """
    tasks: defaultdict[int, list[Run]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: run.due):
        tasks[run.task].append(run)
    pairs = [pair for mine in tasks.values() for pair in pairwise(mine)]
    return [Run(run.task, before.due + interval, run.started, run.ended) for before, run in pairs]


def figures(runs: Iterable[Run], *, begin: float, end: float, expected: int) -> dict[str, Any]:
    """Beats that were due between ``begin`` and ``end``: how many ran, ran twice, were missed.

    Late is what began in that time, whenever it was due: under too much load nothing of it was due in that time.
    """
    runs = list(runs)
    mine = [run for run in runs if begin <= run.due < end]
    distinct = len({(run.task, run.due) for run in mine})
    counts = {"beats": distinct, "expected": expected, "missed": max(0, expected - distinct)}
    late = lateness([run.started - run.due for run in runs if begin <= run.started < end])
    return counts | {"duplicates": len(mine) - distinct, "lateness_ms": late}


def lateness(seconds: Sequence[float]) -> dict[str, float | None]:
    """Quantiles in milliseconds; without a run there are none."""
    ordered = sorted(seconds)
    return {name: _at(ordered, share) for name, share in SHARES.items()}


def _at(ordered: Sequence[float], share: float) -> float | None:
    return round(1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2) if ordered else None
