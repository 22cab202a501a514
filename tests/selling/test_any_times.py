"""The jobs of orders and accounts run never, once, many times, at once, and late: it comes to the same."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor_site.engine import jobs, outcomes, previews, upkeep, worker
from monitor_site.marketplaces import services as accounts
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox import replay
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import reconciling, sweeping
from monitor_site.purchasing.models import Order, Stray, Sweep
from monitor_site.purchasing.transitions import State
from tests.faults.test_races import at_once
from tests.selling.orders import again, all_holds
from tests.selling.test_sending import sent
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = pytest.mark.django_db(transaction=True)

Job = Callable[[list[int]], None]
# How often a job runs before what is left is handed out again, which is what a lost one comes to.
TIMES: dict[str, Callable[[Job, list[int]], Any]] = {
    "never": lambda job, ids: None,
    "once": lambda job, ids: job(ids),
    "three times": lambda job, ids: [job(ids) for _ in range(3)],
    "at once": lambda job, ids: at_once(*[lambda: job(ids)] * 3),
    "twice in one": lambda job, ids: job(ids * 2),
}
times = pytest.mark.parametrize("run", TIMES.values(), ids=TIMES)


@pytest.fixture
def seated(clerk, monkeypatch):
    """This process serves the express lane."""
    monkeypatch.setattr(worker, "_clerks", [clerk])
    yield
    settle(clerk)
    previews.close(seconds=PATIENCE_SECONDS)


def settle(clerk):
    clerk.settle(seconds=2 * PATIENCE_SECONDS)
    outcomes.close()


def late(job, topic, clerk):
    """What upkeep does later, twice, and the job of before, which still stood somewhere."""
    ids = list(OutboxRow.objects.filter(topic=topic).values_list("object_id", flat=True))
    for _ in range(2):
        soon = datetime.now(UTC) + timedelta(seconds=10)
        upkeep.keep_orders(soon)
        replay.sweep(now=soon, before=soon)
        job(ids)
        settle(clerk)


@times
@pytest.mark.usefixtures("seated")
def test_orders_are_advanced(desk, clerk, run):
    order = desk.approved()
    run(jobs.advance_orders, [order.pk])
    settle(clerk)
    late(jobs.advance_orders, "order", clerk)
    assert (again(order).state, len(desk.market.tries)) == (State.PLACED, 1)
    all_holds(desk.market)


@times
@pytest.mark.usefixtures("seated")
def test_outcomes_are_asked(desk, clerk, run):
    order = desk.approved()
    desk.market.answer = lambda _sold: None
    sent(clerk, order)
    Order.objects.update(ask_at=datetime.now(UTC))
    reconciling.wake(now=datetime.now(UTC))
    run(jobs.ask_outcomes, [order.pk])
    settle(clerk)
    late(jobs.ask_outcomes, reconciling.TOPIC, clerk)
    assert (again(order).state, len(desk.market.tries)) == (State.PLACED, 1)
    assert order.readings.count() == 1
    all_holds(desk.market)


@times
@pytest.mark.usefixtures("seated")
def test_accounts_are_swept(desk, clerk, run):
    [order] = sent(clerk, desk.approved())
    sweeping.wake(now=datetime.now(UTC))
    run(jobs.sweep_accounts, [desk.account.pk])
    settle(clerk)
    late(jobs.sweep_accounts, sweeping.TOPIC, clerk)
    assert (again(order).state, Stray.objects.count()) == (State.PAID, 0)
    assert order.history.filter(verb="pay").count() == 1
    assert Sweep.objects.get().due_at > datetime.now(UTC) + sweeping.CLAIM


@times
@pytest.mark.usefixtures("seated")
def test_accounts_are_verified(desk, clerk, run):
    accounts.ask_for_test(account=desk.account, now=datetime.now(UTC))
    run(jobs.verify_accounts, [desk.account.pk])
    late(jobs.verify_accounts, accounts.TEST, clerk)
    until(lambda: MarketplaceAccount.objects.get().worked_at, what="the account is told to work")
    assert MarketplaceAccount.objects.get().known_as == "buyer"
