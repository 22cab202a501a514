"""How a supervisor of workers stops when one of them does not."""

import os
import signal
from contextlib import suppress
from typing import Any

import pytest

from tests.faults.installation import Installation
from tests.waiting import lives, until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def test_a_second_signal_ends_the_workers_that_the_first_one_waits_for(installation: Installation, redis: Any) -> None:
    installation.env["DRAIN_SECONDS"] = "600"
    pool = installation.start("rqworker")
    until(lambda: len(redis.smembers("rq:workers")) == 5, what="every lane has its worker")
    frozen = installation.pids("rqworker", "checks")
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    pool.send_signal(signal.SIGTERM)
    until(lambda: len(redis.smembers("rq:workers")) == 1, what="all others end")
    assert pool.poll() is None

    def asked_again() -> bool:
        with suppress(ProcessLookupError):
            pool.send_signal(signal.SIGTERM)
        return pool.poll() is not None

    until(asked_again, what="the supervisor ends")
    until(lambda: not any(map(lives, frozen)), what="the frozen ones are gone")
