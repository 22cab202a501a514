"""The end of an order that went well, by its person's word: nobody tells us of what was bought by hand."""

from datetime import datetime

from django.db import transaction

from .models import Order
from .moving import Because, move
from .transitions import BOUGHT, NoSuchStep, State, Verb

RECEIVABLE = BOUGHT - {State.RECEIVED}


@transaction.atomic
def say_received(*, order: Order, actor: str, now: datetime) -> None:
    """The person has it in their hands, so it was on the way, too. Raises :class:`moving.Overtaken`, and
    :class:`NoSuchStep` for what was never bought.
    """
    if order.state not in RECEIVABLE:
        raise NoSuchStep(f"{order} cannot be received")
    if order.state != State.SHIPPED:
        move(order=order, verb=Verb.SHIP, because=Because(actor=actor), now=now)
    move(order=order, verb=Verb.RECEIVE, because=Because(actor=actor), now=now)
