"""Waiting for what other processes and threads do."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import redis

# A worker needs seconds of a processor to start, and on a busy machine many of them share one.
PATIENCE_SECONDS = 300


def until(true: Callable[[], Any], *, what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Return when ``true()`` is; fail with words when it never is. The patience is no measurement."""
    give_up = time.monotonic() + seconds
    # The last look comes after the last pause, however long that was.
    while not true():
        if time.monotonic() > give_up:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.1)


def lives(pid: int) -> bool:
    """Whether a process does anything any more; a machine without an init keeps the dead."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def never_stuck(patch: Any) -> None:
    """A worker's loop that gets little time is not taken for stuck, which would end the process of the tests."""
    patch.setattr("monitor_site.engine.loop.stuck_seconds", lambda: 2.0 * PATIENCE_SECONDS)
    patch.setattr("monitor_site.engine.loop.ANSWER_SECONDS", float(PATIENCE_SECONDS))


@contextmanager
def hearing(client: redis.Redis, channel: str) -> Iterator[Callable[[], Any]]:
    """What is said on a channel of Redis from now on: each call waits for the next word."""
    with client.pubsub() as ear:

        def heard() -> Any:
            if (word := ear.get_message(timeout=PATIENCE_SECONDS)) is None:
                raise AssertionError(f"nothing was said on {channel}")
            return word["data"]

        ear.subscribe(channel)
        heard()
        yield heard
