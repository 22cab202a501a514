"""What a page says of a request to cancel a purchase at its marketplace."""

from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site.order_reasons import reason_words
from monitor_site.purchasing import cancelling
from monitor_site.purchasing.models import CancelOutcome, Order

ON_ITS_WAY = _("The request to cancel it is on its way to the marketplace.")
SENTENCES = {
    CancelOutcome.ASKED: ON_ITS_WAY,
    CancelOutcome.OPEN: ON_ITS_WAY,
    CancelOutcome.DONE: _(
        "The marketplace has taken the request to cancel it. The money counts as spent until the marketplace shows the "
        "purchase as cancelled."
    ),
    CancelOutcome.NOT_SENT: _("The request to cancel it was not sent."),
    CancelOutcome.REFUSED: _("The marketplace refused to cancel it."),
    CancelOutcome.UNKNOWN: _(
        "Nobody knows yet whether the request to cancel it arrived, so the purchase is looked at. It is not sent again."
    ),
    CancelOutcome.NOT_DONE: _("It was not cancelled: the marketplace still shows the purchase."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelling:
    """``possible``: it can be asked for from here; ``sentence``: what became of it; ``moves``: that may change soon."""

    possible: bool
    sentence: str
    moves: bool


def cancelling_of(order: Order) -> Cancelling:
    """What its page says and offers."""
    last = cancelling.last_of(order) if order.state in cancelling.CANCELLABLE else None
    if last is None:
        return Cancelling(possible=cancelling.can_ask(order), sentence="", moves=False)
    moves = last.outcome in {CancelOutcome.ASKED, CancelOutcome.OPEN}
    sentence = _sentence(CancelOutcome(last.outcome), last.reason)
    return Cancelling(possible=cancelling.can_ask(order), sentence=sentence, moves=moves)


def _sentence(outcome: CancelOutcome, reason: str) -> str:
    if outcome == CancelOutcome.UNKNOWN and reason == cancelling.NO_ANSWER:
        return gettext("Nobody could find out whether it was cancelled. Please look at the marketplace yourself.")
    why = reason_words(reason)
    if outcome == CancelOutcome.REFUSED and why:
        return gettext("The marketplace refused to cancel it: %(why)s.") % {"why": why}
    return str(SENTENCES[outcome])
