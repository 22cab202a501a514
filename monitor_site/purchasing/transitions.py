"""The states of an order, and every way from one to another with what it does to the money. Pure, and the only source.

Money and units are held on entering ``ready``. They are released only where no purchase can exist any more; there is no
way from ``unknown`` or ``not_placed`` back to ``ready``: nothing is ever sent a second time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class State(StrEnum):
    """Where an order stands."""

    PROPOSED = "proposed"
    AWAITING_APPROVAL = "awaiting_approval"
    READY = "ready"
    SUBMITTING = "submitting"
    HANDED_OVER = "handed_over"
    UNKNOWN = "unknown"
    NEEDS_HUMAN = "needs_human"
    PLACED = "placed"
    LEADING = "leading"
    OUTBID = "outbid"
    WON = "won"
    LATE_PLACED = "late_placed"
    PAID = "paid"
    SHIPPED = "shipped"
    RECEIVED = "received"
    MARKET_CANCELLED = "market_cancelled"
    CANCELLED = "cancelled"
    DECLINED = "declined"
    EXPIRED = "expired"
    REFUSED = "refused"
    NOT_PLACED = "not_placed"
    SOLD_TO_OTHER = "sold_to_other"
    LOST = "lost"


class Verb(StrEnum):
    """What happens to an order."""

    ASK = "ask"
    MAKE_READY = "make_ready"
    APPROVE = "approve"
    DECLINE = "decline"
    EXPIRE = "expire"
    CANCEL = "cancel"
    SUBMIT = "submit"
    HAND_OVER = "hand_over"
    REFUSE = "refuse"
    SEND_NOTHING = "send_nothing"
    LOSE_SIGHT = "lose_sight"
    PLACE = "place"
    RULE_OUT = "rule_out"
    GIVE_TO_PERSON = "give_to_person"
    FIND_LATE = "find_late"
    SELL_TO_OTHER = "sell_to_other"
    LEAD = "lead"
    OUTBID = "outbid"
    WIN = "win"
    LOSE = "lose"
    PAY = "pay"
    SHIP = "ship"
    RECEIVE = "receive"
    CANCEL_AT_MARKET = "cancel_at_market"


class Money(StrEnum):
    """What a step does to the ledger."""

    NOTHING = "nothing"
    HOLD = "hold"
    RELEASE = "release"
    SPEND = "spend"
    BOOK = "book"
    """Spend what was not held any more, even above a limit."""
    REFUND = "refund"


@dataclass(frozen=True, slots=True)
class Edge:
    """Where a verb leads, and what it does to the money."""

    to: State
    money: Money = Money.NOTHING


S, V, M = State, Verb, Money
EDGES: Mapping[tuple[State, Verb], Edge] = MappingProxyType(
    {
        (S.PROPOSED, V.ASK): Edge(S.AWAITING_APPROVAL),
        (S.PROPOSED, V.MAKE_READY): Edge(S.READY, M.HOLD),
        (S.PROPOSED, V.CANCEL): Edge(S.CANCELLED),
        (S.AWAITING_APPROVAL, V.APPROVE): Edge(S.READY, M.HOLD),
        (S.AWAITING_APPROVAL, V.DECLINE): Edge(S.DECLINED),
        (S.AWAITING_APPROVAL, V.EXPIRE): Edge(S.EXPIRED),
        (S.AWAITING_APPROVAL, V.CANCEL): Edge(S.CANCELLED),
        (S.READY, V.CANCEL): Edge(S.CANCELLED, M.RELEASE),
        (S.READY, V.SUBMIT): Edge(S.SUBMITTING),
        (S.READY, V.HAND_OVER): Edge(S.HANDED_OVER),
        (S.SUBMITTING, V.SEND_NOTHING): Edge(S.READY),
        (S.SUBMITTING, V.REFUSE): Edge(S.REFUSED, M.RELEASE),
        (S.SUBMITTING, V.PLACE): Edge(S.PLACED, M.SPEND),
        (S.SUBMITTING, V.LEAD): Edge(S.LEADING),
        (S.SUBMITTING, V.LOSE_SIGHT): Edge(S.UNKNOWN),
        (S.HANDED_OVER, V.PLACE): Edge(S.PLACED, M.SPEND),
        (S.HANDED_OVER, V.SELL_TO_OTHER): Edge(S.SOLD_TO_OTHER, M.RELEASE),
        (S.HANDED_OVER, V.EXPIRE): Edge(S.EXPIRED, M.RELEASE),
        (S.HANDED_OVER, V.CANCEL): Edge(S.CANCELLED, M.RELEASE),
        (S.UNKNOWN, V.PLACE): Edge(S.PLACED, M.SPEND),
        (S.UNKNOWN, V.LEAD): Edge(S.LEADING),
        (S.UNKNOWN, V.RULE_OUT): Edge(S.NOT_PLACED, M.RELEASE),
        (S.UNKNOWN, V.GIVE_TO_PERSON): Edge(S.NEEDS_HUMAN),
        (S.NEEDS_HUMAN, V.PLACE): Edge(S.PLACED, M.SPEND),
        (S.NEEDS_HUMAN, V.RULE_OUT): Edge(S.NOT_PLACED, M.RELEASE),
        (S.NOT_PLACED, V.FIND_LATE): Edge(S.LATE_PLACED, M.BOOK),
        (S.EXPIRED, V.FIND_LATE): Edge(S.LATE_PLACED, M.BOOK),
        (S.CANCELLED, V.FIND_LATE): Edge(S.LATE_PLACED, M.BOOK),
        (S.SOLD_TO_OTHER, V.FIND_LATE): Edge(S.LATE_PLACED, M.BOOK),
        (S.LEADING, V.OUTBID): Edge(S.OUTBID),
        (S.OUTBID, V.LEAD): Edge(S.LEADING),
        (S.LEADING, V.WIN): Edge(S.WON, M.SPEND),
        (S.OUTBID, V.WIN): Edge(S.WON, M.SPEND),
        (S.OUTBID, V.LOSE): Edge(S.LOST, M.RELEASE),
        (S.LEADING, V.LOSE): Edge(S.LOST, M.RELEASE),
        (S.PLACED, V.PAY): Edge(S.PAID),
        (S.PLACED, V.SHIP): Edge(S.SHIPPED),
        (S.PLACED, V.CANCEL_AT_MARKET): Edge(S.MARKET_CANCELLED, M.REFUND),
        (S.LATE_PLACED, V.PAY): Edge(S.PAID),
        (S.LATE_PLACED, V.SHIP): Edge(S.SHIPPED),
        (S.LATE_PLACED, V.CANCEL_AT_MARKET): Edge(S.MARKET_CANCELLED, M.REFUND),
        (S.WON, V.PAY): Edge(S.PAID),
        (S.WON, V.SHIP): Edge(S.SHIPPED),
        (S.WON, V.CANCEL_AT_MARKET): Edge(S.MARKET_CANCELLED, M.REFUND),
        (S.PAID, V.SHIP): Edge(S.SHIPPED),
        (S.PAID, V.CANCEL_AT_MARKET): Edge(S.MARKET_CANCELLED, M.REFUND),
        (S.SHIPPED, V.RECEIVE): Edge(S.RECEIVED),
        (S.SHIPPED, V.CANCEL_AT_MARKET): Edge(S.MARKET_CANCELLED, M.REFUND),
    }
)
# The marketplace may hold a purchase, or come to hold one.
HELD = frozenset({S.READY, S.SUBMITTING, S.HANDED_OVER, S.UNKNOWN, S.NEEDS_HUMAN, S.LEADING, S.OUTBID})
BOUGHT = frozenset({S.PLACED, S.LATE_PLACED, S.WON, S.PAID, S.SHIPPED, S.RECEIVED})
ASKING = frozenset({S.PROPOSED, S.AWAITING_APPROVAL})
UNDER_WAY = ASKING | HELD
LIVE = UNDER_WAY | BOUGHT
"""A person has one of these for a listing at most."""
ENDED = frozenset(State) - LIVE
"""Nothing is held, nothing was bought, as far as anybody knows."""


class NoSuchStep(Exception):
    """A verb that does not lead anywhere from this state."""


def edge(state: State, verb: Verb) -> Edge:
    """Where a verb leads. Raises :class:`NoSuchStep`."""
    try:
        return EDGES[state, verb]
    except KeyError:
        raise NoSuchStep(f"{state} does not {verb}") from None
