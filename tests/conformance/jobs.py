"""Jobs that stories about RQ have run."""

import asyncio
import atexit
import signal
import threading
import time
from pathlib import Path

LOOP = asyncio.new_event_loop()
atexit.register(LOOP.close)
HEARD = asyncio.Event()
PATIENCE_SECONDS = 120


def hurry() -> None:
    """RQ's alarm comes now: the time of a job begins before it does, and on a slow machine may end before it, too."""
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if not left:
        raise RuntimeError("RQ has set no alarm")
    signal.setitimer(signal.ITIMER_REAL, 0.5)


def swallow() -> str:
    """Wait for something with an ``except`` that is too broad."""
    try:
        hurry()
        give_up = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < give_up:
            time.sleep(0.05)
    except Exception as error:  # noqa: BLE001 - that is the story
        return f"swallowed {type(error).__name__}"
    return "never interrupted"


def where_the_alarm_goes() -> str:
    """Work in another thread, as a kept event loop does, while the main thread waits; the work is not cut."""
    ended: list[str] = []
    cut = threading.Event()

    def work() -> None:
        try:
            cut.wait(PATIENCE_SECONDS)
            ended.append("the thread worked to its end")
        except BaseException:  # noqa: BLE001 - that is the story
            ended.append("the thread was cut")

    threading.Thread(target=work).start()
    try:
        hurry()
        _wait_for(ended)
    except Exception as error:  # noqa: BLE001 - that is the story
        cut.set()
        _wait_for(ended)
        return f"{type(error).__name__} cut the main thread, {ended[0]}"
    return ended[0]


def _wait_for(ended: list[str]) -> None:
    while not ended:
        time.sleep(0.05)


def leave_a_task(path: str) -> None:
    """Begin something in a loop that is kept between jobs, and be cut while waiting for it."""

    async def later() -> None:
        HEARD.clear()
        hurry()
        await HEARD.wait()
        await asyncio.to_thread(Path(path).touch)

    LOOP.run_until_complete(LOOP.create_task(later()))


def go_on(path: str) -> bool:
    """The next job in the same loop; whether what the one before began ended in it."""

    async def look() -> bool:
        HEARD.set()
        for _ in range(20 * PATIENCE_SECONDS):
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


def tell_and_wait(path: str) -> None:
    """Say that it began, wait until it may end, say that it ended."""
    Path(path).with_suffix(".began").touch()
    while not Path(path).with_suffix(".may_end").exists():
        time.sleep(0.05)
    Path(path).with_suffix(".ended").touch()
