"""One installation per data folder, and what it says about itself in ``running.json``."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from . import Trouble


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold ``folder`` for this process; raises ``BlockingIOError`` when another one holds it."""
    with (folder / "home.lock").open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold ``folder`` while an installation runs there; raises :class:`Trouble` with the address of another one."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder))
        except BlockingIOError as error:
            raise Trouble(_runs_already(folder)) from error
        forget()
        stack.callback(forget)
        yield


def tell(facts: Mapping[str, Any]) -> None:
    """Write ``running.json``: at once or not at all, and for the owner's eyes only, since it holds a password."""
    fresh = settings.RUNNING_FILE.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=2)
    fresh.replace(settings.RUNNING_FILE)


def forget() -> None:
    """Remove ``running.json``."""
    settings.RUNNING_FILE.unlink(missing_ok=True)


def _runs_already(folder: Path) -> str:
    facts = settings.RUNNING
    where = facts.get("web_url", "and is still starting")
    return (
        f"An installation runs already in {folder}: {where} (process {facts.get('pid', 'unknown')}).\n"
        "Stop it with Ctrl-C in its terminal, or choose another folder with DATA_DIR=..."
    )
