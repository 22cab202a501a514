"""Waiting for what other processes and threads do."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE_SECONDS = 240


def until(true: Callable[[], Any], *, what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Return when ``true()`` is; fail with words when it never is. The patience is no measurement."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if true():
            return
        time.sleep(0.1)
    raise AssertionError(f"never happened: {what}")
