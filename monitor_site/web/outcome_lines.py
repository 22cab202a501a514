"""What became of an order at the marketplace, as plain values: what was seen, and what its person may say."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.marketplaces.named import ERRORS
from monitor_site.purchasing import handing, proposing_again
from monitor_site.purchasing.models import FOUND_LATE, Order, Reading, Submission
from monitor_site.purchasing.proposing_again import AGAIN, Unsuitable
from monitor_site.purchasing.transitions import ASKING, BOUGHT, State

from .cancel_lines import Cancelling, cancelling_of

MOST_READINGS = 50
SENTENCES = {
    State.SUBMITTING: _("It is on its way to the marketplace."),
    State.UNKNOWN: _(
        "The answer was lost, so we are asking the marketplace. Do not buy it by hand yet. It is not sent again, and "
        "the money stays held."
    ),
    State.NEEDS_HUMAN: _(
        "Please look at your purchases at the marketplace and say what is so. Until then the money stays held, and the "
        "account orders nothing."
    ),
    State.NOT_PLACED: _(
        "It was not bought, as far as anybody knows, and the money is free again. Should it turn up among the "
        "purchases, it is booked."
    ),
}
WHY = {
    "contradiction": _("What the marketplace showed contradicts itself."),
    "nothing_older": _("The account has bought nothing before, so an empty list proves nothing."),
    "no_answer": _("The marketplace gave no answer for a day that proves anything."),
}
SEEN = {
    "absent": _("Not among the purchases; an older one was there."),
    "unproven": _("Not among the purchases; no older one proves that all were shown."),
}
NOT_AGAIN = {
    proposing_again.NO_RULE: _("No rule of a watch proposes it any more."),
    "gone": _("It is not on sale any more."),
    "no_price": _("Its price is not known any more."),
    "no_limit": _("The rule of its watch has no highest price."),
    "over_limit": _("It costs more now than the rule of its watch allows."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the marketplace says against what we know: a purchase with its number. ``paid`` is as a person would type
    it; empty where it was not told, and then its person has to say it.
    """

    words: str
    number: str
    paid: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """``next_at``: when the marketplace is asked next; ``asks``: its person has to say what is so; ``late``: they may
    still say that they bought it; ``unseen``: its account waits until they have looked at what was found late.
    """

    sentence: str
    why: str
    next_at: datetime | None
    asks: bool
    late: bool
    unseen: bool
    not_cancelled_here: bool
    cancelling: Cancelling
    again: int | None = None
    not_again: str = ""
    here: str = ""
    claims: list[Claim] = field(default_factory=list)
    looks: list[dict[str, Any]] = field(default_factory=list)


def outcome_of(order: Order) -> Outcome:
    """What its page says of it."""
    again, not_again = _again(order)
    cancelling, (readings, submissions) = cancelling_of(order), _evidence(order)
    silent = not (cancelling.possible or cancelling.sentence)
    return Outcome(
        sentence=str(SENTENCES.get(State(order.state), "")),
        why=str(WHY.get(order.reason, "")) if order.state == State.NEEDS_HUMAN else "",
        next_at=order.ask_at if order.state == State.UNKNOWN else None,
        asks=order.state == State.NEEDS_HUMAN,
        late=handing.can_say_late(order),
        unseen=order.reason == FOUND_LATE,
        not_cancelled_here=silent and order.state in BOUGHT - {State.RECEIVED},
        cancelling=cancelling,
        again=again,
        not_again=not_again,
        here=" ".join(answer_words(one.evidence) for one in submissions),
        claims=_claims(order, readings) if order.state == State.NEEDS_HUMAN else [],
        looks=_looks(order, readings, submissions),
    )


def _again(order: Order) -> tuple[int | None, str]:
    """What it would cost now, or why it is not proposed again; neither where nothing is to be said."""
    if order.state not in AGAIN or Order.objects.filter(supersedes=order).exists():
        return None, ""
    try:
        return proposing_again.offer_again(order).total, ""
    except Unsuitable as error:
        return None, not_again_words(error.reason)


def not_again_words(reason: str) -> str:
    """Why nothing is proposed again."""
    return str(NOT_AGAIN.get(reason) or gettext("It cannot be ordered as it is offered now."))


def _evidence(order: Order) -> tuple[list[Reading], list[Submission]]:
    """What was read and answered, newest first; of what was never approved there is neither."""
    if order.state in ASKING:
        return [], []
    readings = list(order.readings.order_by("-at", "-pk")[:MOST_READINGS])
    if not order.epoch:  # it never went out
        return readings, []
    return readings, list(order.submissions.filter(answered_at__isnull=False).order_by("-epoch"))


def _claims(order: Order, readings: Sequence[Reading]) -> list[Claim]:
    """Each purchase the marketplace showed, as it showed it last."""
    found = {one.number: one for one in reversed(readings) if one.seen == "found"}
    return [_claim(one, order) for one in found.values()]


def _claim(reading: Reading, order: Order) -> Claim:
    paid = "" if reading.paid is None else wording.figure(reading.paid, order.currency)
    return Claim(words=reading_words(reading, order), number=reading.number, paid=paid, at=reading.at)


def _looks(order: Order, readings: Sequence[Reading], submissions: Sequence[Submission]) -> list[dict[str, Any]]:
    """Everything that is known, newest first: what the marketplace showed, and what it had answered to the order."""
    looks = [{"words": reading_words(reading, order), "at": reading.at} for reading in readings]
    return looks + [{"words": answer_words(one.evidence), "at": one.answered_at} for one in submissions if looks]


def reading_words(reading: Reading, order: Order) -> str:
    """What a reading saw."""
    if reading.seen == "failed":
        error = ERRORS.get(reading.error)
        return gettext("No usable answer: %(error)s.") % {"error": error} if error else gettext("No usable answer.")
    if reading.seen != "found":
        return str(SEEN[reading.seen])
    paid = gettext("price unknown") if reading.paid is None else wording.money(reading.paid, order.currency)
    return gettext("Among the purchases: number %(number)s, %(paid)s.") % {"number": reading.number, "paid": paid}


def answer_words(evidence: dict[str, Any]) -> str:
    """What the answer to the order itself had named."""
    number = str(evidence.get("transaction_id") or "")[:80]
    if number:
        return gettext("The answer to the order named the purchase %(number)s.") % {"number": number}
    return gettext("The answer to the order told nothing certain.")
