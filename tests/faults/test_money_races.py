"""Eight real processes want the same money and things at once: never more than there is, and the ledger agrees."""

import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from monitor_site.purchasing.ledger import OverBudget, recount
from monitor_site.purchasing.models import Order, OrderStep, Scope
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from tests.purchasing.rows import budget_of, order_of
from tests.servers import tied

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

PROCESSES, ORDERS, PRICE, LIMIT = 8, 48, 100, 1500
# Every process goes through all orders, from its own end: most are wanted by several at once.
WANTS = """
import sys
import django
django.setup()
from datetime import UTC, datetime
from monitor_site.purchasing.ledger import OverBudget
from monitor_site.purchasing.models import Order
from monitor_site.purchasing.moving import Because, Overtaken, move
from monitor_site.purchasing.transitions import NoSuchStep, Verb

number = int(sys.argv[1])
orders = list(Order.objects.order_by("pk"))
sys.stdin.read(1)
for order in orders[number * 6 :] + orders[: number * 6]:
    order.refresh_from_db()
    for verb in (Verb.MAKE_READY, Verb.CANCEL) if order.pk % 3 == 0 else (Verb.MAKE_READY,):
        try:
            move(order=order, verb=verb, because=Because(actor=str(number)), now=datetime.now(UTC))
        except (OverBudget, Overtaken, NoSuchStep):
            pass
"""


@pytest.mark.parametrize("limits", [{"total": LIMIT}, {"units": LIMIT // PRICE}], ids=["money", "things"])
def test_eight_processes_never_hold_more_than_there_is(
    child_env: dict[str, str], alice: Any, limits: dict[str, int]
) -> None:
    now = datetime.now(UTC)
    budget_of(alice, now=now, kind="user", **limits)
    for number in range(ORDERS):
        order_of(alice, number, now=now, price=PRICE)
    processes = [start(child_env, number) for number in range(PROCESSES)]
    for process in processes:
        process.stdin.write(b"!")
        process.stdin.close()
    assert [process.wait(120) for process in processes] == [0] * PROCESSES
    ready = Order.objects.filter(state=State.READY).count()
    money = Scope.objects.get(period="total", measure="money")
    assert (money.held, money.spent) == (ready * PRICE, 0)
    assert money.held <= LIMIT
    assert Scope.objects.get(measure="units").held == ready
    given_back = OrderStep.objects.filter(verb=Verb.CANCEL, before=State.READY).count()
    assert OrderStep.objects.filter(verb=Verb.MAKE_READY).count() == ready + given_back
    assert recount(Scope.objects.all()) == []
    everything_free_can_still_be_had(now)


def everything_free_can_still_be_had(now: datetime) -> None:
    """What the cancelled ones gave back is there for others, to the last yen and thing."""
    for order in Order.objects.filter(state=State.PROPOSED):
        with suppress(OverBudget):
            move(order=order, verb=Verb.MAKE_READY, because=Because(actor="after"), now=now)
    assert Order.objects.filter(state=State.READY).count() == LIMIT // PRICE
    assert recount(Scope.objects.all()) == []


def start(env: dict[str, str], number: int) -> subprocess.Popen[bytes]:
    """One of those who want; it begins at a sign."""
    return subprocess.Popen(tied(sys.executable, "-c", WANTS, number), env=env, stdin=subprocess.PIPE)
