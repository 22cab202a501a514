"""A worker that dies anywhere between an order that is ready and one that is placed, and its jobs that come twice."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor_site.alerts.models import Alert
from monitor_site.connections import lane_queue
from monitor_site.engine import upkeep
from monitor_site.engine.jobs import PATH
from monitor_site.outbox import replay
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing.models import Submission
from monitor_site.purchasing.moving import TOPIC
from monitor_site.purchasing.transitions import State
from tests.faults.installation import Installation
from tests.selling.orders import again, all_holds
from tests.selling.points import PATIENT
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

MOMENTS = {
    # moment: who dies, where the order stands afterwards, how many purchases there can be
    "held": ("kill", {State.PLACED}, {1}),
    "submitting": ("kill", {State.SUBMITTING}, {0}),
    # The sender ends with its worker, and may be quicker than its end.
    "looked": ("kill-worker", {State.SUBMITTING}, {0, 1}),
    "committing": ("kill-worker", {State.SUBMITTING}, {0, 1}),
    "replied": ("kill-worker", {State.SUBMITTING}, {1}),
    "answered": ("kill", {State.SUBMITTING}, {1}),
    "placed": ("kill", {State.PLACED}, {1}),
}


class Workers:
    """Express workers as processes of their own, one after the other."""

    def __init__(self, env: dict[str, str], redis: Any) -> None:
        self.installation, self.redis = Installation(env), redis

    def start(self) -> Any:
        return self.installation.start("rqworker", "express", "--seat", "express-1")

    def again(self) -> None:
        """What upkeep does a little later: what is open is handed out once more, what waits is taken up. And every
        order's job comes twice.
        """
        later = datetime.now(UTC) + timedelta(seconds=10)
        replay.sweep(now=datetime.now(UTC), before=later)
        upkeep.keep_orders(later)
        ids = list(OutboxRow.objects.filter(topic=TOPIC).values_list("object_id", flat=True))
        for number in range(2):
            lane_queue("express", self.redis).enqueue(f"{PATH}.advance_orders", ids, job_id=f"twice-{number}")


@pytest.fixture
def workers(desk: Any, points: Any, child_env: dict[str, str], redis: Any) -> Iterator[Workers]:
    made = Workers(child_env | {PATIENT: "1"}, redis)
    yield made
    made.installation.stop()


def settled(redis: Any) -> bool:
    """Nothing waits and nothing is open."""
    return not (lane_queue("express", redis).count or OutboxRow.objects.filter(topic=TOPIC, done_at=None).exists())


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_that_dies_on_the_way_never_has_an_order_bought_twice(workers, desk, points, redis, moment):
    act, states, bought = MOMENTS[moment]
    points.arm(moment, act)
    first = workers.start()
    order = desk.approved()
    until(lambda: points.hit_by, what=f"the worker comes to {moment}")
    assert first.wait(PATIENCE_SECONDS) < 0
    workers.again()
    workers.start()
    until(lambda: again(order).state in states and settled(redis), what=f"{states} after the loss")
    assert len(desk.market.truth) in bought
    with contextlib.suppress(Submission.DoesNotExist):
        assert again(order).ask_at or order.submissions.get().outcome == "placed"
    if State.PLACED in states:
        until(lambda: Alert.objects.filter(key=f"order:{order.pk}:placed").count() == 1, what="it is told once")
    all_holds(desk.market)
