"""The loop beside RQ's thread, and how its tasks end."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from monitor_site.engine.loop_thread import LoopThread, end


@pytest.fixture
def thread() -> Iterator[LoopThread]:
    found = LoopThread("test")
    found.start()
    yield found
    found.close()


def test_a_loop_that_turns_answers_though_its_work_waits(thread: LoopThread) -> None:
    gate = asyncio.Event()
    waiting = thread.call(gate.wait())
    assert thread.answers(within=60)
    thread.loop.call_soon_threadsafe(gate.set)
    assert waiting.result(60)


def test_a_loop_that_something_holds_up_does_not_answer(thread: LoopThread) -> None:
    let_go = threading.Event()
    thread.loop.call_soon_threadsafe(let_go.wait)
    assert not thread.answers(within=0.1)
    let_go.set()
    assert thread.answers(within=60)


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
