"""Time that passes for an event loop when a test says so: a deadline comes at the right place, however slow we are."""

import asyncio

LONG = 3600.0


def let_time_pass(seconds: float = LONG) -> None:
    """From now on the clock of the running loop, by which it wakes whoever waits, is so much further."""
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + seconds  # type: ignore[method-assign]
