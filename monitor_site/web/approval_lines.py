"""What the pages of approvals show of a proposal: what it costs, what guards the money, and who said what to it."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.purchasing import learning, proposing, proposing_again, queries, styles
from monitor_site.purchasing.ledger import budgets_of
from monitor_site.purchasing.models import ApprovalStyle, Budget, Order, OrderStep
from monitor_site.purchasing.queries import Cover, Room
from monitor_site.purchasing.transitions import State
from monitor_site.watches.models import Block, Match

from .cards import Card, card_of
from .feed import shown
from .order_lines import Line, line_of
from .order_words import (
    ACTORS,
    DECLINE_REASONS,
    PERSON,
    amount_words,
    budget_name,
    changed_words,
    reason_words,
    room_words,
    state_words,
)
from .security import device_of

MOST_HOLDERS = 3
LAST_MINUTE = timedelta(minutes=1)
ASKS_EVERY = 30
"""Seconds after which an open page asks how a proposal stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverLine:
    """A limit before and after, in words; where it does not suffice what is ``missing``, and what stands in its way."""

    budget: Budget
    label: str
    before: str
    after: str
    missing: str = ""
    spent: str = ""
    holders: Sequence[Order] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a proposal: who said what, on which device, after how long, and how it stands now."""

    step: OrderStep
    words: str
    device: str
    took: str
    outcome: str
    learned: str = ""
    forgettable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposal with what speaks against approving it. ``asks``: somebody may still say something; ``hurry``: in less
    than a minute. ``tag`` is another one once anything of this has changed; ``key`` names the form.
    """

    line: Line
    covers: list[CoverLine]
    guarded: bool
    changed: str
    asks: bool
    hurry: bool
    can_extend: bool
    again: bool
    once: bool
    version: int | None
    tag: str
    asks_again_in: int
    answer: Answer | None = None
    card: Card | None = None
    key: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    @property
    def expired(self) -> bool:
        """Nobody has said anything in time."""
        return self.answer is None and not self.asks

    @property
    def short(self) -> bool:
        """Whether a budget does not cover it."""
        return any(cover.missing for cover in self.covers)

    @property
    def lower(self) -> bool:
        """Whether less than it costs could be allowed."""
        return self.asks and self.guarded and not self.changed

    @property
    def possible(self) -> bool:
        """Whether it could be approved as it is."""
        return self.lower and not self.short

    @property
    def reasons(self) -> Any:
        """Why one may say no."""
        return DECLINE_REASONS.items()


def proposal_of(
    order: Order, *, now: datetime, style: ApprovalStyle | None = None, card: Card | None = None
) -> Proposal:
    """What one decides on, or has decided."""
    step = None if order.state == State.AWAITING_APPROVAL else proposing.answer_to(order)
    covers = [] if step else [_cover_line(cover) for cover in queries.covers_of(order, now=now)]
    changed, left = changed_words(order, now=now), (order.expires_at or now) - now
    asks, hurry = step is None and left > timedelta(0), left <= LAST_MINUTE
    return Proposal(
        line=line_of(order),
        card=card,
        covers=covers,
        guarded=bool(covers or budgets_of(order)),
        changed=changed,
        asks=asks,
        hurry=asks and hurry,
        can_extend=asks and not order.reason,
        again=not asks and _can_come_again(order),
        once=(style or styles.style_of(order.user)).one_press,
        version=_version(order),
        answer=answer_of(step) if step else None,
        tag=_tag(order, covers, changed, asks, hurry),
        asks_again_in=_asks_again_in(left),
    )


def proposals_of(orders: Sequence[Order], user: Any, *, now: datetime) -> list[Proposal]:
    """Several, each with the card of its match."""
    style, cards = styles.style_of(user), _cards(orders)
    return [proposal_of(order, now=now, style=style, card=cards.get(order.match_id)) for order in orders]


def _cards(orders: Sequence[Order]) -> dict[int | None, Card]:
    found = shown(Match.objects.filter(pk__in=[order.match_id for order in orders if order.match_id]))
    return {match.pk: card_of(match) for match in found}


def _can_come_again(order: Order) -> bool:
    """Whether what nobody answered in time may be proposed once more."""
    if order.state not in {State.AWAITING_APPROVAL, State.EXPIRED} or order.superseded_by.exists():
        return False
    return order.listing.status == "on_sale" and proposing_again.rule_of(order) is not None


def _version(order: Order) -> int | None:
    """The version of the watch that found it."""
    versions = order.watch.versions.filter(at__lte=order.created_at) if order.watch else None
    return versions.order_by("-number").values_list("number", flat=True).first() if versions is not None else None


def _tag(order: Order, covers: list[CoverLine], *more: object) -> str:
    money = [(cover.before, cover.missing) for cover in covers]
    said = (order.state, order.steps, order.expires_at, order.listing.price, money, more)
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def _asks_again_in(left: timedelta) -> int:
    """At the last minute and at the end at the latest."""
    ends = [moment.total_seconds() for moment in (left, left - LAST_MINUTE) if moment > timedelta(0)]
    return min([ASKS_EVERY, *(int(seconds) + 1 for seconds in ends)])


def _cover_line(cover: Cover) -> CoverLine:
    room = cover.room
    label = f"{budget_name(cover.budget)} · {room_words(room)}"
    before, after = amount_words(room, room.free), amount_words(room, cover.after)
    if not cover.missing:
        return CoverLine(budget=cover.budget, label=label, before=before, after=after)
    holders = queries.holders_of(cover.budget)[:MOST_HOLDERS] if room.held else []
    return CoverLine(
        budget=cover.budget,
        label=label,
        before=before,
        after=after,
        missing=amount_words(room, cover.missing),
        spent=amount_words(room, room.spent) if room.spent else "",
        holders=list(holders),
    )


def covers_together(orders: Iterable[Order], *, now: datetime) -> list[CoverLine]:
    """What would be left of each budget once all of these are held; limits of a single thing are not added up."""
    sums, rooms = Counter[tuple[Budget, str, str]](), dict[tuple[Budget, str, str], Room]()
    for order in orders:
        for cover in queries.covers_of(order, now=now):
            key = (cover.budget, cover.room.period, cover.room.measure)
            sums[key] += cover.amount
            rooms[key] = cover.room
    return [_cover_line(Cover(budget=key[0], room=rooms[key], amount=sums[key])) for key in sums if key[1]]


def answers_of(steps: Sequence[OrderStep]) -> list[Answer]:
    """The history, each with whether what it taught still holds."""
    blocks = {step.evidence.get("learned", {}).get("block") for step in steps} - {None}
    there = set(Block.objects.filter(pk__in=blocks).values_list("pk", flat=True)) if blocks else set()
    return [answer_of(step, blocks=there) for step in steps]


def answer_of(step: OrderStep, *, blocks: Any = ()) -> Answer:
    """One line of the history."""
    order, evidence = step.order, step.evidence
    reason = reason_words(order) if order.state == step.after else ""
    words = f"{state_words(step.after)} · {_who(step)}"
    learned = evidence.get("learned") or {}
    return Answer(
        step=step,
        words=f"{words} ({reason})" if reason else words,
        device=device_of(evidence["agent"]) if evidence.get("agent") else "",
        took=wording.duration(max(0, (step.at - order.created_at).total_seconds())),
        outcome="" if order.state == step.after else state_words(order.state),
        learned=learned_words(learned, order.currency),
        forgettable=bool(learned) and learning.is_in_force(order, learned, blocks=blocks),
    )


def _who(step: OrderStep) -> str:
    """The reader is "you", whoever else took it is named."""
    name = step.evidence.get("by", "")
    own = not name or name == step.order.user.get_username()
    return str(ACTORS.get(step.actor, step.actor)) if own or step.actor != PERSON else str(name)


def learned_words(learned: learning.Learned, currency: str) -> str:
    """What a "no" has added to the rules; empty when nothing."""
    if "limit" in learned:
        limit = wording.money(learned["limit"], currency)
        return gettext("nothing above %(price)s is proposed any more") % {"price": limit}
    if "words" in learned:
        return gettext("excluded from now on: %(words)s") % {"words": ", ".join(learned["words"])}
    return gettext("the seller “%(name)s” is blocked") % {"name": learned["seller"]} if "block" in learned else ""
