"""Threads that talk to the database, and how they leave it."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait

from django.db import connections

LEAVE_SECONDS = 10.0


def close_connections(threads: ThreadPoolExecutor, count: int) -> None:
    """Every one of ``count`` threads closes its own connections; the barrier makes sure that each gets its turn."""
    everybody = threading.Barrier(count, timeout=LEAVE_SECONDS)

    def close() -> None:
        everybody.wait()
        connections.close_all()

    wait([threads.submit(close) for _ in range(count)], timeout=LEAVE_SECONDS)
