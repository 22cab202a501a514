"""Cancelling a purchase at its marketplace: a request of its own, sent at most once, with an outcome of its own.

The order stays bought and its money booked, whatever is answered, until the purchase itself is shown as cancelled; then
the sweep pays back what was booked. Only looks at the purchase end an unknown outcome. A switch that stops spending
stops this, too: it is the promise that nothing goes out.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from monitor_site.contract import Capability, Purchase
from monitor_site.marketplaces.catalog import catalog
from monitor_site.outbox import services as outbox

from .cancel_evidence import StageSeen
from .cancel_evidence import conclude as concluded
from .evidence import LONGEST, Case, next_look
from .models import MOST_EPOCHS, Cancellation, CancelOutcome, Order, SubmissionOutcome, Sweep
from .moving import TOPIC, Overtaken
from .submitting import FIRST_ASK, SEND_TIME, Told, lag_of
from .switching import is_stopped
from .transitions import State

# Once it is on its way to its buyer there is nothing to cancel any more, only something to send back.
CANCELLABLE = frozenset({State.PLACED, State.LATE_PLACED, State.WON, State.PAID})
PATIENCE = timedelta(seconds=5)
KEPT_BACK, NO_ANSWER = "kept_back", "no_answer"
MOST, MOST_LOOKS = 100, 50
AWAITED = [CancelOutcome.UNKNOWN, CancelOutcome.DONE]
UNSETTLED = [CancelOutcome.ASKED, CancelOutcome.OPEN, CancelOutcome.UNKNOWN]
OUTCOMES = {
    SubmissionOutcome.PLACED: CancelOutcome.DONE,
    SubmissionOutcome.REFUSED: CancelOutcome.REFUSED,
    SubmissionOutcome.NOT_SENT: CancelOutcome.NOT_SENT,
    SubmissionOutcome.UNKNOWN: CancelOutcome.UNKNOWN,
}


def last_of(order: Order) -> Cancellation | None:
    """The latest request to cancel an order."""
    return order.cancellations.order_by("-epoch").first()


def can_ask(order: Order) -> bool:
    """Whether its person may have it cancelled from here: its plugin can, it was ordered with an account of theirs, and
    nothing that may have come was sent before.
    """
    if order.state not in CANCELLABLE or order.account is None or not order.reference:
        return False
    plugin = catalog().plugins.get(order.listing.marketplace)
    if plugin is None or Capability.CANCEL not in plugin.manifest.capabilities or order.account.removed_at:
        return False
    outcomes = list(order.cancellations.values_list("outcome", flat=True))
    return len(outcomes) < MOST_EPOCHS and set(outcomes) <= {CancelOutcome.NOT_SENT}


@transaction.atomic
def ask(*, order: Order, actor: str, now: datetime) -> Cancellation:
    """Have it cancelled. Raises :class:`Overtaken` where that cannot be, was asked already, or spending is stopped."""
    current = Order.objects.select_for_update(of=("self",)).select_related("listing", "account").get(pk=order.pk)
    if not can_ask(current) or is_stopped(user_id=current.user_id, now=now):
        raise Overtaken(f"{order} is not to be cancelled")
    epoch = current.cancellations.count() + 1
    made = Cancellation.objects.create(order=current, epoch=epoch, actor=actor[:40], asked_at=now)
    outbox.write(topic=TOPIC, object_ids=[order.pk], now=now)
    return made


def is_for_sender(order: Order) -> bool:
    """Whether a request of it waits to be sent."""
    return order.cancellations.filter(outcome=CancelOutcome.ASKED).exists()


@transaction.atomic
def begin(*, order: Order, now: datetime) -> Cancellation | None:
    """From here on somebody will find out what became of it; ``None``: there is nothing to send, or not any more."""
    waiting = Cancellation.objects.filter(order=order, outcome=CancelOutcome.ASKED)
    if not _may_go(order, now):
        waiting.update(outcome=CancelOutcome.NOT_SENT, reason=KEPT_BACK, answered_at=now)
        return None
    row = waiting.first()
    moments = {"begun_at": now, "send_deadline": now + SEND_TIME}
    if row is None or not waiting.update(outcome=CancelOutcome.OPEN, **moments):
        return None
    row.refresh_from_db()
    return row


def _may_go(order: Order, now: datetime) -> bool:
    stands = Order.objects.filter(pk=order.pk, state__in=CANCELLABLE, account__isnull=False).exists()
    return stands and not is_stopped(user_id=order.user_id, now=now)


@transaction.atomic
def may_commit(*, cancellation: Cancellation, now: datetime) -> bool:
    """The last check, with only sending left. Once it has said yes it never says so again."""
    rows = Cancellation.objects.filter(pk=cancellation.pk, outcome=CancelOutcome.OPEN, send_deadline__gt=now)
    return _may_go(cancellation.order, now) and bool(rows.filter(committing_at=None).update(committing_at=now))


def conclude(*, cancellation: Cancellation, told: Told, now: datetime) -> bool:
    """Write down what a sender said; whether it counted. What comes too late is kept as evidence."""
    with transaction.atomic():
        row = Cancellation.objects.select_for_update(of=("self",)).select_related("order").get(pk=cancellation.pk)
        counts = row.outcome == CancelOutcome.OPEN
        if counts:
            _write(row, told, now)
        else:
            late = {"outcome": told.outcome, "reason": told.reason, "at": now.isoformat()}
            row.evidence = row.evidence | {"late": late | told.evidence}
        row.save(update_fields=["outcome", "reason", "answered_at", "evidence"])
        return counts


def _write(row: Cancellation, told: Told, now: datetime) -> None:
    """What nobody has said is unknown, unless the sender is gone and had never begun to commit."""
    unsent = told.ended and row.committing_at is None
    silent = CancelOutcome.NOT_SENT if unsent else CancelOutcome.UNKNOWN
    row.outcome = silent if told.outcome is None else OUTCOMES[told.outcome]
    row.reason, row.answered_at, row.evidence = told.reason[:40], now, row.evidence | told.evidence
    if row.outcome in AWAITED:
        row.reason = ""
        look_soon(account_id=row.order.account_id, at=now + FIRST_ASK)
    outbox.write(topic=TOPIC, object_ids=[row.order_id], now=now)


def look_soon(*, account_id: int | None, at: datetime) -> None:
    """Have the account's purchases looked at no later than then."""
    Sweep.objects.filter(account=account_id, due_at__gt=at).update(due_at=at)


def wake(*, now: datetime) -> None:
    """Lose sight of what nobody ended in time, take up what nobody began, give to a person what stays unknown."""
    over = Q(send_deadline__lt=now - PATIENCE) | Q(begun_at__gt=now + PATIENCE)
    for row in Cancellation.objects.filter(over, outcome=CancelOutcome.OPEN)[:MOST]:
        conclude(cancellation=row, told=Told(reason="silent"), now=now)
    left = Q(asked_at__lt=now - PATIENCE) | Q(asked_at__gt=now + PATIENCE)
    waiting = Cancellation.objects.filter(left, outcome=CancelOutcome.ASKED)
    _hand_out(waiting, now)
    unknown = Cancellation.objects.filter(outcome=CancelOutcome.UNKNOWN, reason="", begun_at__lte=now - LONGEST)
    _hand_out(unknown, now, reason=NO_ANSWER)


@transaction.atomic
def _hand_out(rows: QuerySet[Cancellation], now: datetime, **changes: str) -> None:
    found = dict(rows.order_by("pk").values_list("pk", "order")[:MOST])
    if changes:
        Cancellation.objects.filter(pk__in=found).update(**changes)
    outbox.write(topic=TOPIC, object_ids=list(found.values()), now=now)


def next_look_at(account_id: int, *, now: datetime) -> datetime | None:
    """When the account's purchases are to be looked at because of what was asked to be cancelled; ``None``: as ever."""
    rows = Cancellation.objects.filter(order__account=account_id, order__state__in=CANCELLABLE, outcome__in=AWAITED)
    recent = rows.filter(begun_at__gt=now - LONGEST).select_related("order__listing")
    return min((next_look(case_of(row), now=now) for row in recent), default=None)


def case_of(row: Cancellation) -> Case:
    """When it was sent, and from when on what is seen proves something."""
    begun_at, deadline = row.begun_at or row.asked_at, row.send_deadline or row.asked_at
    return Case(lost_at=begun_at, send_deadline=deadline, lag=lag_of(row.order.listing.marketplace))


def hear(*, order: Order, purchase: Purchase, now: datetime) -> None:
    """The marketplace shows the purchase of an order, in the transaction of whoever saw it: what that proves."""
    rows = Cancellation.objects.select_for_update(of=("self",)).select_related("order__listing")
    row = rows.filter(order=order, outcome=CancelOutcome.UNKNOWN).first()
    if row is None or purchase.transaction_id[:80] != row.order.reference:
        return
    row.looks = [*row.looks, {"at": now.isoformat(), "stage": purchase.stage.value}][-MOST_LOOKS:]
    seen = [StageSeen(datetime.fromisoformat(one["at"]), one["stage"]) for one in row.looks]
    outcome = concluded(case_of(row), seen)
    if outcome is not None:
        row.outcome, row.reason = outcome, ""
        outbox.write(topic=TOPIC, object_ids=[order.pk], now=now)
    row.save(update_fields=["looks", "outcome", "reason"])


def failed(order: Order) -> bool:
    """Whether its person has to know that it is not cancelled, or that nobody can find out."""
    last = last_of(order)
    if last is None or order.state not in CANCELLABLE | {State.SHIPPED}:
        return False
    lost = last.outcome == CancelOutcome.UNKNOWN and last.reason == NO_ANSWER
    return lost or last.outcome in {CancelOutcome.REFUSED, CancelOutcome.NOT_DONE}


def forget(*, now: datetime) -> int:
    """After a restored backup nobody knows what was sent since: what waits is not sent, and the marketplace tells."""
    rows = Cancellation.objects.filter(outcome__in=[CancelOutcome.ASKED, CancelOutcome.OPEN])
    return rows.update(outcome=CancelOutcome.UNKNOWN, begun_at=now, send_deadline=now, answered_at=now)
