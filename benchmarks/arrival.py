"""A job that only notes when it began. A module of its own: a worker must be able to import it by name."""

import os
import time
from pathlib import Path

from beats import Notes

JOB = "arrival.note"
FOLDER = "BENCH_NOTES"

_notes: list[Notes] = []


def note(task: int, sent: float, seconds: float = 0.0) -> None:
    """Note the moments of this run in the folder that the environment names; it lasts ``seconds``."""
    started = time.time()
    if not _notes:
        _notes.append(Notes(Path(os.environ[FOLDER])))
    time.sleep(seconds)
    _notes[0].write(task, sent, started, time.time())
