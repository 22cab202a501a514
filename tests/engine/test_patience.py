"""Patience with a process counts the time in which it could run."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from monitor_site.engine.patience import Patience, waited_by_thread
from tests.servers import tied
from tests.waiting import until

SPIN = "while True: pass"


@contextmanager
def spinning() -> Iterator[int]:
    """A process that would take a whole processor; its number."""
    process = subprocess.Popen(tied(sys.executable, "-I", "-S", "-c", SPIN))
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def test_a_process_that_stands_still_uses_it_up() -> None:
    with spinning() as pid:
        os.kill(pid, signal.SIGSTOP)
        patience = Patience(pid)
        until(lambda: patience.used > 1, what="a second is used")


@pytest.mark.skipif(not waited_by_thread(os.getpid()), reason="this system does not tell who waits for a processor")
def test_a_process_that_starves_uses_little_of_it() -> None:
    """Three want one processor, so each waits for most of the time."""
    with ExitStack() as stack:
        pids = [stack.enter_context(spinning()) for _ in range(3)]
        for pid in pids:
            os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})
        patience = Patience(pids[0])
        until(lambda: sum(waited_by_thread(pids[0]).values()) > 3, what="it has waited for seconds")
        assert patience.used < 3


def test_of_a_process_that_is_gone_nothing_is_known() -> None:
    with spinning() as pid:
        patience = Patience(pid)
    assert waited_by_thread(pid) == {}
    assert patience.used >= 0
