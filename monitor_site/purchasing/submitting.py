"""The one request that can spend money: written down before its first byte, and what became of it afterwards.

T1 is :func:`begin`. T2 happens in a process of its own, which asks :func:`may_commit` when only sending is left. T3 is
:func:`conclude`. Whatever is repeated, comes late or is said by nobody changes nothing but evidence.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.outbox import services as outbox

from . import cooling, speeding
from .models import MOST_EPOCHS, Entry, LedgerEntry, Mode, Order, Submission, SubmissionOutcome, Way
from .moving import TOPIC, Because, Overtaken, move
from .switching import is_stopped
from .transitions import State, Verb

SENDER = "sender"
SEND_TIME = timedelta(seconds=15)
"""The kernel ends whoever sends after this."""
# How soon an outcome that nobody knows is asked for first, and how long a purchase may hide from its buyer.
FIRST_ASK = timedelta(seconds=15)
USUAL_LAG = timedelta(minutes=15)
RETRY_PAUSE = timedelta(seconds=5)
TIME_TO_GO = timedelta(hours=24)
MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a sender said. Without ``outcome`` it said nothing; ``ended`` says that it is provably gone.

    ``reason`` is a stable word; ``final``: another try would come to the same.
    """

    outcome: SubmissionOutcome | None = None
    ended: bool = False
    reason: str = ""
    final: bool = False
    paid: int | None = None
    reference: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


def begin(*, order: Order, now: datetime) -> Submission | None:
    """T1: from here on somebody will ask what became of it. ``None`` when the person's orders come too fast: that has
    stopped their spending. Raises :class:`Overtaken` when anything speaks against it.
    """
    if order.state != State.READY or order.way != Way.PARTNER_API or _waits(order, now):
        raise Overtaken(f"{order} is not to be submitted")
    try:
        return _begun(order, now)
    except Overtaken:
        order.refresh_from_db()
        raise


@transaction.atomic
def _begun(order: Order, now: datetime) -> Submission | None:
    if is_stopped(user_id=order.user_id, now=now):
        raise Overtaken("spending is stopped")
    if speeding.is_too_fast(user_id=order.user_id, now=now):
        speeding.trip(user=order.user, now=now)
        return None
    deadline = now + SEND_TIME
    fields = {"epoch": F("epoch") + 1, "ask_at": deadline + lag_of(order.listing.marketplace)}
    because = Because(actor=SENDER, fields=fields)
    move(order=order, verb=Verb.SUBMIT, because=because, now=now, among=can_spend(now=now))
    said = {"price_cap": order.price_max, "send_deadline": deadline, "digest": digest(order), "begun_at": now}
    return Submission.objects.create(order=order, epoch=order.epoch, **said)


def can_spend(*, now: datetime) -> QuerySet[Order]:
    """Orders that money may be spent on, switches aside: no dry run, what they cost is held and above no limit, and
    their account is their person's own, of this marketplace, allowed to spend, and not paused.
    """
    held = LedgerEntry.objects.filter(order=OuterRef("pk"), kind=Entry.HOLD)
    own = {"account__user": F("user"), "account__marketplace": F("listing__marketplace")}
    rows = Order.objects.filter(Exists(held), ~Exists(held.filter(scope__overrun__gt=0)), **own)
    allowed = rows.filter(account__spends_since__isnull=False).exclude(mode=Mode.DRY_RUN)
    return allowed.exclude(account__paused_until__gt=now)


def _waits(order: Order, now: datetime) -> bool:
    """What was not sent is not tried again at once."""
    return order.epoch > 0 and order.stood_since > now - RETRY_PAUSE


def lag_of(marketplace: str) -> timedelta:
    """How long a purchase may stay invisible to its buyer: before that "none" means nothing."""
    try:
        return timedelta(seconds=catalog().get(marketplace).manifest.purchase_lag)
    except UnknownMarketplace:
        return USUAL_LAG


def digest(order: Order) -> str:
    """Of what is asked for: the thing, the most it may cost, in whose name, for the how many-th time."""
    asked = {
        "reference": order.public_id,
        "epoch": order.epoch,
        "listing": order.listing.external_id,
        "account": order.account_id,
        "price_max": order.price_max,
        "currency": order.currency,
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


@transaction.atomic
def may_commit(*, submission: Submission, now: datetime) -> bool:
    """The last check, with only sending left: the switch, the account, the deadline and the order as they are now.

    Once it has said yes the submission may have reached the marketplace, and it never says so again.
    """
    order = submission.order
    if is_stopped(user_id=order.user_id, now=now):
        return False
    standing = can_spend(now=now).filter(pk=order.pk, state=State.SUBMITTING, epoch=submission.epoch)
    open_now = Submission.objects.filter(pk=submission.pk, outcome=SubmissionOutcome.OPEN, send_deadline__gt=now)
    return bool(standing.exists() and open_now.filter(committing_at=None).update(committing_at=now))


def conclude(*, submission: Submission, told: Told, now: datetime) -> bool:
    """T3; whether it counted. When somebody else was faster, what was told is kept as evidence and nothing changes."""
    with transaction.atomic():
        row = Submission.objects.select_for_update().get(pk=submission.pk)
        order = Order.objects.select_for_update().get(pk=row.order_id)
        if _is_awaited(order, row):
            _write(row, order, told, now)
            return True
        _keep(row, told, now)
        return False


def _is_awaited(order: Order, row: Submission) -> bool:
    return row.outcome == SubmissionOutcome.OPEN and order.state == State.SUBMITTING and order.epoch == row.epoch


def _keep(row: Submission, told: Told, now: datetime) -> None:
    late = {"outcome": told.outcome, "reason": told.reason, "at": now.isoformat()} | told.evidence
    row.evidence = row.evidence | {"late": late}
    row.save(update_fields=["evidence"])


def _write(row: Submission, order: Order, told: Told, now: datetime) -> None:
    row.outcome, row.answered_at = _outcome(row, told), now
    row.evidence = row.evidence | told.evidence | {"reason": told.reason}
    row.save(update_fields=["outcome", "answered_at", "evidence"])
    _STEPS[SubmissionOutcome(row.outcome)](order, told, now)
    cooling.cool_down(order=order, now=now)
    _wake_next(order, now)


def _outcome(row: Submission, told: Told) -> SubmissionOutcome:
    """What nobody has said is unknown, unless the sender is gone and had never begun to commit."""
    if told.outcome is not None:
        return told.outcome
    return SubmissionOutcome.NOT_SENT if told.ended and row.committing_at is None else SubmissionOutcome.UNKNOWN


def _placed(order: Order, told: Told, now: datetime) -> None:
    fields = {"paid": told.paid, "reference": told.reference[:80], "ask_at": None}
    _step(order, Verb.PLACE, told, now, fields=fields)
    if told.paid is not None and told.paid > order.price_max:
        cooling.stop_account(order=order, now=now)


def _refused(order: Order, told: Told, now: datetime) -> None:
    _step(order, Verb.REFUSE, told, now, fields={"reason": told.reason[:40], "ask_at": None})


def _lost(order: Order, told: Told, now: datetime) -> None:
    _step(order, Verb.LOSE_SIGHT, told, now, fields={"ask_at": now + FIRST_ASK})


def _not_sent(order: Order, told: Told, now: datetime) -> None:
    """Three tries at most; what would come to the same again is not tried again."""
    _step(order, Verb.SEND_NOTHING, told, now, fields={"ask_at": None})
    if told.final or order.epoch >= MOST_EPOCHS:
        reason = told.reason if told.final else "not_sent"
        _step(order, Verb.CANCEL, told, now, fields={"reason": reason[:40]})


_STEPS = {
    SubmissionOutcome.PLACED: _placed,
    SubmissionOutcome.REFUSED: _refused,
    SubmissionOutcome.UNKNOWN: _lost,
    SubmissionOutcome.NOT_SENT: _not_sent,
}


def _step(order: Order, verb: Verb, told: Told, now: datetime, *, fields: dict[str, Any]) -> None:
    evidence = {"reason": told.reason} | told.evidence
    move(
        order=order, verb=verb, because=Because(actor=SENDER, fields=fields, evidence=evidence, paid=told.paid), now=now
    )


def _wake_next(order: Order, now: datetime) -> None:
    """The account is free again, so its next order may go."""
    waiting = Order.objects.filter(state=State.READY, account=order.account_id).exclude(pk=order.pk)
    outbox.write(topic=TOPIC, object_ids=waiting.order_by("pk").values_list("pk", flat=True)[:1], now=now)


@transaction.atomic
def conclude_rehearsal(*, order: Order, told: Told, now: datetime) -> None:
    """A dry run ends with what would have been sent, or with why nothing would have been. Raises :class:`Overtaken`."""
    fields = {"reason": told.reason[:40] or "dry_run"}
    move(order=order, verb=Verb.CANCEL, because=Because(actor=SENDER, fields=fields, evidence=told.evidence), now=now)


def is_for_sender(order: Order) -> bool:
    """Whether the next step of an order is the sender's: to submit it, or to rehearse that."""
    rehearses = order.state == State.PROPOSED and order.mode == Mode.DRY_RUN
    return rehearses or (order.state == State.READY and order.way == Way.PARTNER_API)


def give_up(*, now: datetime) -> int:
    """End what could not go for a day: an account that stayed paused, a switch nobody took back. How many."""
    late = Order.objects.filter(state=State.READY, way=Way.PARTNER_API, stood_since__lte=now - TIME_TO_GO)
    return sum(_given_up(order, now) for order in late.order_by("stood_since")[:MOST])


def _given_up(order: Order, now: datetime) -> bool:
    try:
        move(order=order, verb=Verb.CANCEL, because=Because(actor="clock", fields={"reason": "waited"}), now=now)
    except Overtaken:
        return False
    return True
