"""Jobs that stories about RQ have run."""

import asyncio
import threading
import time
from pathlib import Path

LOOP = asyncio.new_event_loop()


def swallow() -> str:
    """Wait for something with an ``except`` that is too broad."""
    try:
        give_up = time.monotonic() + 20
        while time.monotonic() < give_up:
            time.sleep(0.05)
    except Exception:  # noqa: BLE001 - that is the story
        return "swallowed"
    return "never interrupted"


def where_the_alarm_goes() -> str:
    """Work in another thread, as a kept event loop does, while the main thread waits; the work is not cut."""
    ended: list[str] = []

    def work() -> None:
        try:
            time.sleep(1.5)
            ended.append("the thread worked to its end")
        except BaseException:  # noqa: BLE001 - that is the story
            ended.append("the thread was cut")

    threading.Thread(target=work).start()
    try:
        _wait_for(ended)
    except Exception:  # noqa: BLE001 - that is the story
        _wait_for(ended)
        return f"the main thread was cut, {ended[0]}"
    return ended[0]


def _wait_for(ended: list[str]) -> None:
    while not ended:
        time.sleep(0.05)


def leave_a_task(path: str) -> None:
    """Begin something in a loop that is kept between jobs, and be cut while waiting for it."""

    async def later() -> None:
        await asyncio.sleep(1.2)
        await asyncio.to_thread(Path(path).touch)

    LOOP.run_until_complete(LOOP.create_task(later()))


def go_on(path: str) -> bool:
    """The next job in the same loop; whether what the one before began ended in it."""

    async def look() -> bool:
        for _ in range(100):
            if await asyncio.to_thread(Path(path).exists):
                return True
            await asyncio.sleep(0.05)
        return False

    return LOOP.run_until_complete(look())


def tell_and_sleep(path: str, seconds: float) -> None:
    """Say that it began, take its time, say that it ended."""
    Path(path).with_suffix(".began").touch()
    time.sleep(seconds)
    Path(path).with_suffix(".ended").touch()
