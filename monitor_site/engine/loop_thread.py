"""An event loop in a thread of its own, and threads for the database beside it: what a worker keeps for its life."""

import asyncio
import os
import threading
from collections.abc import Collection, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from .patience import Patience
from .threads import close_connections

T = TypeVar("T")

ANSWER_SECONDS = 10.0
AGAIN_SECONDS = 0.1
LOOK_SECONDS = 0.2


async def end(tasks: "Collection[asyncio.Task[Any]]") -> None:
    """Cancel tasks until they have ended: what they wait for may swallow a cancelling that comes just then."""
    while going := [task for task in tasks if not task.done()]:
        for task in going:
            task.cancel()
        await asyncio.wait(going, timeout=AGAIN_SECONDS)


class LoopThread:
    """RQ owns the main thread and its signals; this one is called from there."""

    def __init__(self, name: str, *, database_threads: int = 1) -> None:
        self.loop = asyncio.new_event_loop()
        self.database = ThreadPoolExecutor(max_workers=database_threads, thread_name_prefix=f"{name}-database")
        self._database_threads = database_threads
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)

    def start(self) -> None:
        """Begin to turn."""
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine in the loop, from another thread."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def answers(self, *, within: float) -> bool:
        """Whether the loop turns: it does something in so many seconds in which this process could run."""
        turned, patience = threading.Event(), Patience(os.getpid())
        self.loop.call_soon_threadsafe(turned.set)
        while not turned.wait(LOOK_SECONDS):
            if patience.used > within:
                return False
        return True

    def close(self) -> None:
        """End the loop and the threads."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(ANSWER_SECONDS)
        close_connections(self.database, self._database_threads)
        if not self._thread.is_alive():
            self.loop.close()
        self.database.shutdown()
