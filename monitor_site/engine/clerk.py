"""Who submits orders in an express worker, while the worker takes the next job.

Each order is a thread's work for as long as it takes to send it; one of an account at a time. Nothing hangs on what is
only in memory here: the row of an order says where it stands, and what is ready for long is taken up again.
"""

import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime

import structlog
from django.db import DatabaseError, close_old_connections, connection

from monitor_site.contract import Capability
from monitor_site.faultpoint import faultpoint
from monitor_site.marketplaces.catalog import catalog
from monitor_site.purchasing import cancelling, submitting
from monitor_site.purchasing.models import Cancellation, Order, Submission
from monitor_site.purchasing.moving import Overtaken
from monitor_site.purchasing.submitting import SEND_TIME, Told
from monitor_site.purchasing.transitions import State

from . import ordering
from .senders import Senders
from .threads import close_connections

log = structlog.get_logger(__name__)

AT_ONCE = 8


class Clerk:
    """Submits what it is given, through ``senders``."""

    def __init__(self, senders: Senders | None = None) -> None:
        self._senders = senders or Senders()
        self._threads = ThreadPoolExecutor(AT_ONCE, "clerk")
        self._under_way: dict[int, Future[None]] = {}
        self._lock = threading.Lock()

    def start(self) -> None:
        """Be ready for the first order, where there can be one."""
        if any(Capability.BUY in plugin.manifest.capabilities for plugin in catalog().plugins.values()):
            self._senders.start()

    def serve(self, order_ids: Iterable[int]) -> None:
        """Begin with these orders, and return at once; what is under way already is not begun twice."""
        with self._lock:
            for order_id in order_ids:
                if order_id not in self._under_way:
                    self._under_way[order_id] = self._threads.submit(self._work, order_id)

    def settle(self, *, seconds: float) -> None:
        """Wait for what is under way."""
        wait(list(self._under_way.values()), timeout=seconds)

    def stop(self, *, seconds: float) -> None:
        """Let what is under way come to its end, which is soon, and begin nothing more."""
        self.settle(seconds=min(seconds, SEND_TIME.total_seconds() + 5))
        close_connections(self._threads, AT_ONCE)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def close(self, *, seconds: float) -> None:
        """The same, and no more senders."""
        self.stop(seconds=seconds)
        self._senders.stop()

    def _work(self, order_id: int) -> None:
        close_old_connections()
        try:
            self._take(order_id)
        except Exception:
            log.exception("order.failed", order=order_id)
        finally:
            close_old_connections()
            with self._lock:
                self._under_way.pop(order_id, None)

    def _take(self, order_id: int) -> None:
        order = Order.objects.select_related("listing", "account", "user").get(pk=order_id)
        if order.state == State.PROPOSED:
            self._rehearse(order)
        elif cancelling.is_for_sender(order):
            self._cancel(order)
        else:
            self._submit(order)

    def _rehearse(self, order: Order) -> None:
        told = self._senders.send(
            order_id=order.pk, submission_id=None, deadline=time.monotonic() + SEND_TIME.total_seconds()
        )
        try:
            submitting.conclude_rehearsal(order=order, told=told, now=_now())
        except Overtaken:
            log.info("order.overtaken", order=order.pk)

    def _submit(self, order: Order) -> None:
        """T1, T2 and T3, each on its own."""
        faultpoint("held")
        try:
            submission = submitting.begin(order=order, now=_now())
        except Overtaken as reason:
            log.info("order.waits", order=order.pk, why=str(reason))
            return
        if submission is None:
            ordering.tell_of_speed(order, now=_now())
            return
        faultpoint("submitting")
        deadline = _monotonic(submission.send_deadline)
        told = self._senders.send(order_id=order.pk, submission_id=submission.pk, deadline=deadline)
        faultpoint("answered")
        conclude(submission, told)
        faultpoint("placed")

    def _cancel(self, order: Order) -> None:
        """The same for a request to cancel what was bought."""
        request = cancelling.begin(order=order, now=_now())
        if request is None or request.send_deadline is None:
            return
        faultpoint("cancelling")
        told = self._senders.cancel(cancellation_id=request.pk, deadline=_monotonic(request.send_deadline))
        faultpoint("answered")
        conclude(request, told)


def conclude(sent: Submission | Cancellation, told: Told) -> None:
    """T3 and T4: when nobody knows whether it was written, look again over a connection of its own; what then still
    stands there is written once more, and what cannot be is found out by whoever asks the marketplace.
    """
    try:
        _conclude(sent, told)
    except DatabaseError as error:
        log.warning("order.not_concluded", order=sent.order_id, error=type(error).__name__)
        connection.close()
        _conclude(sent, told)


def _conclude(sent: Submission | Cancellation, told: Told) -> None:
    if isinstance(sent, Cancellation):
        cancelling.conclude(cancellation=sent, told=told, now=_now())
    else:
        submitting.conclude(submission=sent, told=told, now=_now())


def _now() -> datetime:
    return datetime.now(UTC)


def _monotonic(deadline: datetime) -> float:
    """The deadline on the clock that nobody sets."""
    return time.monotonic() + (deadline - _now()).total_seconds()
