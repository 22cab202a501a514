"""The loop beside RQ's thread, and how its tasks end."""

import asyncio
from contextlib import suppress

from monitor_site.engine.loop_thread import end


async def test_a_task_that_swallows_its_cancelling_is_ended_all_the_same() -> None:
    swallowed = 0

    async def deaf() -> None:
        nonlocal swallowed
        while swallowed < 2:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            swallowed += 1
        await asyncio.Event().wait()

    task = asyncio.create_task(deaf())
    await asyncio.sleep(0)
    await end([task])
    assert task.cancelled()
    assert swallowed == 2
