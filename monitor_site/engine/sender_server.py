"""The process that senders are forked from: all is imported here, so that a sender begins within milliseconds.

It has no threads and no connections, reads what is to be done from its standard input, a socket, and ends with whoever
started it. A sender is armed before anything else: the kernel ends it at the deadline, also when it was stopped in
between, and when its parent is gone.
"""

import asyncio
import gc
import json
import os
import signal
import socket
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import httpx
import structlog
from django.db import DatabaseError, connections
from redis.exceptions import RedisError

from monitor_site.connections import async_redis_client
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.transport import open_client
from monitor_site.purchasing.models import Submission
from monitor_site.purchasing.submitting import Told

from . import sender, sender_cancel, tied

log = structlog.get_logger(__name__)

MOST_BYTES = 4096
# Between reading the clock and setting the timer; who took longer may have been stopped there.
ARMED_WITHIN = 0.1
# Nobody listens there.
NOBODY = "http://127.0.0.1:9/"


def serve() -> None:
    """Fork a sender for each message, until there are no more."""
    _warm()
    # Nobody waits for senders here: whoever asked hears from the end of their pipe.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=os.dup(0)) as orders:
        while True:
            message, pipes, _flags, _address = socket.recv_fds(orders, MOST_BYTES, 1)
            if not message:
                return
            _fork(message, pipes, orders)


def _warm() -> None:
    """Do once what every sender would have to do first, and leave nothing open that they would share."""
    catalog()
    with suppress(DatabaseError):
        Submission.objects.filter(pk=0).first()
    connections.close_all()
    asyncio.run(_ask_nobody())
    gc.collect()
    gc.freeze()


async def _ask_nobody() -> None:
    """Have libraries bring in what they only bring in when something is asked."""
    async with async_redis_client() as redis:
        with suppress(RedisError):
            await redis.ping()
    for guarded in (True, False):
        async with open_client(guarded=guarded, limits=sender.LIMITS) as client:
            with suppress(httpx.HTTPError):
                await client.get(NOBODY)


def _fork(message: bytes, pipes: list[int], orders: socket.socket) -> None:
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError:
        child = -1
    if child == 0:
        orders.close()
        _be_sender(json.loads(message), pipes[0], parent)
    for pipe in pipes:
        os.close(pipe)


def _be_sender(asked: dict[str, Any], pipe: int, parent: int) -> None:
    """Never returns."""
    try:
        if tie(parent) and arm(asked["deadline"]):
            _say(pipe, {"pid": os.getpid()})
            _say(pipe, _words(_act(asked)))
    except BaseException:
        log.exception("sender.failed", order=asked.get("order"))
    finally:
        os._exit(0)


def tie(parent: int) -> bool:
    """Have the kernel end this process with its parent; whether the parent is still there."""
    if tied.LINUX:
        tied.tie_by_kernel(signal.SIGKILL)
    return os.getppid() == parent


def arm(deadline: float) -> bool:
    """Have the kernel end this process at a monotonic moment; whether there is time left.

    A process that is stopped and goes on later dies of it before its next step.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    now = time.monotonic()
    if deadline <= now:
        return False
    signal.setitimer(signal.ITIMER_REAL, deadline - now)
    return time.monotonic() - now < ARMED_WITHIN


def _act(asked: dict[str, Any]) -> Told:
    if "cancellation" in asked:
        return sender_cancel.send(cancellation_id=asked["cancellation"])
    if asked["submission"] is None:
        return sender.rehearse(order_id=asked["order"])
    return sender.send(submission_id=asked["submission"])


def _words(told: Told) -> dict[str, Any]:
    return asdict(told)


def _say(pipe: int, words: dict[str, Any]) -> None:
    line = json.dumps(words, default=str).encode() + b"\n"
    with suppress(BrokenPipeError):
        while line:
            line = line[os.write(pipe, line) :]
