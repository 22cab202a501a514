"""Orders whose outcome nobody knows: who is asked about when, and what becomes of them. Only this leaves ``unknown``.

Nothing is ever sent again. The asking itself, over the network, happens outside, between :func:`questions` and
:func:`settle`.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from monitor_site.contract import Purchase
from monitor_site.outbox import services as outbox

from .asking import Answer, Question
from .evidence import LOOKS, AskAgain, AskPerson, Case, Decision, Look, Placed, Seen, decide
from .knowledge import older_of, taken_of
from .models import Order, Reading, Submission, SubmissionOutcome
from .moving import Because, Overtaken, move
from .submitting import lag_of
from .transitions import State, Verb

TOPIC = "outcome"
RECONCILER = "reconciler"
# The kernel ends the sender at its deadline; its parent then has so long to say what it knows.
GRACE = timedelta(seconds=5)
# Whoever asks and is not heard of again is replaced after this time.
CLAIM = timedelta(minutes=2)
LATEST = timedelta(hours=3)
MOST = 100


def wake(*, now: datetime) -> int:
    """Lose sight of submissions that nobody ended in time, and have asked what is due; returns how many orders."""
    lose_sight(now=now)
    ids = list(_due(now).order_by("ask_at").values_list("pk", flat=True)[:MOST])
    with transaction.atomic():
        outbox.write(topic=TOPIC, object_ids=ids, now=now)
    return len(ids)


def _due(now: datetime) -> Any:
    """Soon after sight was lost, whatever was planned at the submission; then by plan. Nothing is planned for so late
    that it can only be a clock that was set back since.
    """
    planned = Q(ask_at=None) | Q(ask_at__lte=now) | Q(ask_at__gt=now + LATEST)
    first = Q(readings=None, stood_since__lte=now - LOOKS[0]) & ~Q(ask_at__gt=now, ask_at__lte=now + CLAIM)
    return Order.objects.filter(planned | first, state=State.UNKNOWN).distinct()


def lose_sight(*, now: datetime) -> int:
    """Submissions past their deadline of which nobody has said what became of them: dead senders, lost answers.

    One of the future is of a clock that was set back since.
    """
    over = Q(send_deadline__lt=now - GRACE) | Q(begun_at__gt=now + GRACE)
    ended = Submission.objects.filter(over, outcome=SubmissionOutcome.OPEN)
    orders = Order.objects.filter(state=State.SUBMITTING, submissions__in=ended)
    return sum(_lose_sight(order, now) for order in orders.order_by("pk"))


@transaction.atomic
def _lose_sight(order: Order, now: datetime) -> bool:
    because = Because(actor=RECONCILER, fields={"ask_at": now + LOOKS[0]}, evidence={"seen": "nobody answered in time"})
    try:
        move(order=order, verb=Verb.LOSE_SIGHT, because=because, now=now)
    except Overtaken:
        return False
    open_one = Submission.objects.filter(order=order, outcome=SubmissionOutcome.OPEN)
    open_one.update(outcome=SubmissionOutcome.UNKNOWN)
    return True


def questions(*, order_ids: Collection[int], now: datetime) -> list[Question]:
    """Take those of these orders that are due; whoever takes one first asks."""
    rows = _due(now).filter(pk__in=order_ids).select_related("listing").order_by("pk")
    return [question_of(order) for order in rows if _claim(order, now)]


def _claim(order: Order, now: datetime) -> bool:
    same = Order.objects.filter(pk=order.pk, state=State.UNKNOWN, steps=order.steps, ask_at=order.ask_at)
    return bool(same.update(ask_at=now + CLAIM))


def question_of(order: Order) -> Question:
    """What is asked about an order, with what was known of its account before it was sent."""
    begun_at = submission_of(order).begun_at
    return Question(
        order_id=order.pk,
        marketplace=order.listing.marketplace,
        account_id=order.account_id or 0,
        external_id=order.listing.external_id,
        begun_at=begun_at,
        older=older_of(order, before=begun_at),
        taken=taken_of(order, before=begun_at),
    )


def submission_of(order: Order) -> Submission:
    """The one submission that may count."""
    return Submission.objects.filter(order=order).exclude(outcome=SubmissionOutcome.NOT_SENT).latest("epoch")


@transaction.atomic
def settle(*, order_id: int, answer: Answer, now: datetime) -> Decision | None:
    """Write down what was seen, and draw the conclusion of everything seen so far; ``None``: it was settled already."""
    order = Order.objects.select_for_update(of=("self",)).select_related("listing").get(pk=order_id)
    note(order=order, answer=answer, now=now)
    if order.state not in {State.UNKNOWN, State.NEEDS_HUMAN}:
        return None
    decision = decide(case_of(order), now=now)
    _conclude(order, decision, answer, now)
    return decision


def note(*, order: Order, answer: Answer, now: datetime) -> Reading:
    """One more reading of an order."""
    shown: dict[str, Any] = {}
    if answer.purchase is not None:
        bought = answer.purchase
        shown = {"number": bought.transaction_id[:80], "stage": bought.stage, "paid": paid_of(order, bought)}
    what = {"seen": answer.seen, "doubtful": answer.doubtful, "error": answer.error[:40]}
    return Reading.objects.create(order=order, account_id=order.account_id, at=now, **what, **shown)


def paid_of(order: Order, purchase: Purchase) -> int | None:
    """What was paid, where the marketplace says so in the order's currency; unknown is never 0."""
    paid = purchase.paid
    return paid.amount if paid is not None and paid.amount and paid.currency == order.currency else None


def case_of(order: Order) -> Case:
    """Everything known about an order whose outcome nobody knows."""
    submission = submission_of(order)
    lost = order.history.filter(after=State.UNKNOWN).order_by("-number").first()
    rows = Reading.objects.filter(order=order, at__gte=submission.begun_at).order_by("at", "pk")
    looks = [Look(at=row.at, seen=Seen(row.seen), number=row.number, doubtful=row.doubtful) for row in rows]
    return Case(
        lost_at=lost.at if lost else order.stood_since,
        send_deadline=submission.send_deadline,
        lag=lag_of(order.listing.marketplace),
        said=_number_said(submission),
        looks=looks,
    )


def _number_said(submission: Submission) -> str:
    """The number of a purchase that an answer named, also one that came too late to count."""
    late = submission.evidence.get("late") or {}
    return str(submission.evidence.get("transaction_id") or late.get("transaction_id") or "")[:80]


def _conclude(order: Order, decision: Decision, answer: Answer, now: datetime) -> None:
    """A person who was asked is not asked again; what they are asked may still turn out."""
    if isinstance(decision, Placed):
        _place(order, decision.look, now)
    elif order.state == State.NEEDS_HUMAN:
        return
    elif isinstance(decision, AskAgain):
        Order.objects.filter(pk=order.pk, state=State.UNKNOWN).update(ask_at=decision.at)
    elif isinstance(decision, AskPerson):
        _take(order, Verb.GIVE_TO_PERSON, answer, now, fields={"reason": decision.why, "ask_at": None})
    else:
        _take(order, Verb.RULE_OUT, answer, now, fields={"ask_at": None, "reason": ""})


def _take(order: Order, verb: Verb, answer: Answer, now: datetime, *, fields: Mapping[str, Any]) -> None:
    evidence = {"seen": answer.seen, "error": answer.error, "readings": order.readings.count()}
    move(order=order, verb=verb, because=Because(actor=RECONCILER, fields=fields, evidence=evidence), now=now)


def _place(order: Order, look: Look, now: datetime) -> None:
    reading = order.readings.filter(seen=Seen.FOUND, number=look.number).latest("at")
    fields = {"reference": reading.number, "paid": reading.paid, "ask_at": None, "reason": ""}
    evidence = {"seen": Seen.FOUND, "number": reading.number, "stage": reading.stage}
    because = Because(actor=RECONCILER, fields=fields, evidence=evidence, paid=reading.paid)
    move(order=order, verb=Verb.PLACE, because=because, now=now)
    Submission.objects.filter(order=order, epoch=order.epoch).update(outcome=SubmissionOutcome.PLACED)
