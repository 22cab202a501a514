"""Orders and money in memory: the real table of states, the real judgement of evidence, and a ledger of three numbers.

It takes the same steps as the services with their rows, some hundred times as fast; a sample of stories is told to
both, and they must agree after every act.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from monitor_site.contract import Purchase
from monitor_site.purchasing.asking import CLOCKS_DIFFER, Answer, Census, Question
from monitor_site.purchasing.evidence import LOOKS, AskAgain, AskPerson, Case, Look, Placed, Seen, decide
from monitor_site.purchasing.following import next_step
from monitor_site.purchasing.transitions import BOUGHT, EDGES, LIVE, Edge, Money, State, Verb

from .kept import Kept

GRACE, CLAIM, SEND_TIME = timedelta(seconds=5), timedelta(minutes=2), timedelta(seconds=15)
LATE, LATEST = "late", timedelta(hours=3)
ASKED = frozenset({State.UNKNOWN, State.NEEDS_HUMAN})
STOPPABLE = frozenset({State.PROPOSED, State.AWAITING_APPROVAL, State.READY})


@dataclass
class Memory:
    """The book of one person with one budget. ``edges`` may be broken on purpose, and so may ``careless``."""

    limit: int
    units: int
    price: int = 1000
    edges: Mapping[tuple[State, Verb], Edge] = field(default_factory=lambda: EDGES)
    careless: frozenset[str] = frozenset()
    stopped: bool = False
    held: int = 0
    spent: int = 0
    overrun: int = 0
    things: tuple[int, int, int] = (0, 0, 0)
    orders: dict[str, Kept] = field(default_factory=dict)
    strays: dict[int, dict[str, tuple[str, datetime]]] = field(default_factory=dict)
    known: dict[int, dict[str, tuple[str, datetime]]] = field(default_factory=dict)

    def knew(self, account: int, number: str, listing: str, at: datetime) -> None:
        """A purchase that was there before everything."""
        self.strays.setdefault(account, {})[number] = (listing, at)

    def open_order(self, name: str, listing: str, account: int, now: datetime) -> bool:
        """A proposal that is approved at once; whether its money could be held."""
        taken = any(one.listing == listing and one.state in LIVE and not one.late for one in self.orders.values())
        if taken or not self._fits():
            return False
        self.orders[name] = Kept(name, listing, account, now)
        return self._move(self.orders[name], Verb.MAKE_READY, now)

    def _fits(self) -> bool:
        held, got, _over = self.things
        has_room = held + got + 1 <= self.units or "things" in self.careless
        return self.held + self.spent + self.price <= self.limit and has_room

    def _move(self, order: Kept, verb: Verb, now: datetime, *, standing: tuple[str, int] | None = None) -> bool:
        """A step, if the order stands where it was seen and the table has the step."""
        way = self.edges.get((order.state, verb))
        if way is None or (standing is not None and standing != order.standing):
            return False
        order.state, order.steps = way.to, order.steps + 1
        if way.to == State.UNKNOWN:
            order.lost_at = now
        order.late |= verb == Verb.FIND_LATE
        if verb in {Verb.PLACE, Verb.FIND_LATE}:
            order.told_at = now
        self._pay(order, way.money)
        return True

    def _pay(self, order: Kept, money: Money) -> None:
        price = self.price
        self.held += {Money.HOLD: price, Money.RELEASE: -price, Money.SPEND: -price}.get(money, 0)
        self.spent += {Money.SPEND: price, Money.BOOK: price, Money.REFUND: -price}.get(money, 0)
        if money == Money.BOOK:
            self.overrun = max(self.overrun, self.held + self.spent - self.limit)
        self._count(money)
        if money != Money.NOTHING:
            order.entries.append((money, price))

    def _count(self, money: Money) -> None:
        held, got, over = self.things
        held += {Money.HOLD: 1, Money.RELEASE: -1, Money.SPEND: -1}.get(money, 0)
        got += {Money.SPEND: 1, Money.BOOK: 1, Money.REFUND: -1}.get(money, 0)
        self.things = (held, got, max(over, held + got - self.units) if money == Money.BOOK else over)

    def waits(self, account: int) -> bool:
        """Whether an account may not order."""
        unsettled = {State.SUBMITTING, *ASKED}
        return any(
            one.account == account and (one.state in unsettled or one.reason == LATE) for one in self.orders.values()
        )

    def begin(self, name: str, now: datetime) -> int | None:
        """T1: the epoch of the submission."""
        order = self.orders[name]
        if order.state != State.READY or self.waits(order.account) or order.epoch >= 3:
            return None
        if self.stopped and "switch" not in self.careless:
            return None
        if not self._move(order, Verb.SUBMIT, now):
            return None
        order.epoch, order.begun_at, order.deadline, order.open = order.epoch + 1, now, now + SEND_TIME, True
        order.ask_at = order.deadline + timedelta(minutes=15)
        return order.epoch

    def may_commit(self, name: str, epoch: int, now: datetime) -> bool:
        """T2, with only sending left."""
        order = self.orders[name]
        if self.stopped and "switch" not in self.careless:
            return False
        fits = order.state == State.SUBMITTING and order.epoch == epoch and order.open
        return bool(fits and order.deadline and now < order.deadline)

    def conclude(self, name: str, epoch: int, outcome: str, number: str, now: datetime) -> bool:
        """T3; whether it counted."""
        order = self.orders[name]
        if order.state != State.SUBMITTING or order.epoch != epoch or not order.open:
            return False
        verbs = {"placed": Verb.PLACE, "refused": Verb.REFUSE, "not_sent": Verb.SEND_NOTHING}
        verb = verbs.get(outcome, Verb.LOSE_SIGHT)
        if verb == Verb.LOSE_SIGHT and "release" in self.careless:
            verb = Verb.REFUSE
        self._move(order, verb, now)
        order.open, order.ask_at = False, now + LOOKS[0] if order.state == State.UNKNOWN else None
        if outcome == "placed":
            order.reference = number
        return True

    def wake(self, now: datetime) -> None:
        """Lose sight of what nobody ended in time."""
        self._send_again(now)
        for order in self.orders.values():
            if order.state == State.SUBMITTING and order.open and self._is_over(order, now):
                self._move(order, Verb.LOSE_SIGHT, now)
                order.open, order.ask_at = False, now + LOOKS[0]

    def _send_again(self, now: datetime) -> None:
        """What a table would allow that leads from an unknown outcome back to where it can be sent."""
        for order in self.orders.values():
            if order.state == State.UNKNOWN and (State.UNKNOWN, Verb.SEND_NOTHING) in self.edges:
                self._move(order, Verb.SEND_NOTHING, now)

    def _is_over(self, order: Kept, now: datetime) -> bool:
        late = order.deadline is not None and order.deadline < now - GRACE
        return late or (order.begun_at is not None and order.begun_at > now + GRACE)

    def questions(self, now: datetime) -> list[Question]:
        """What is due is claimed and asked."""
        due = [one for one in self.orders.values() if one.state == State.UNKNOWN and self._is_due(one, now)]
        for order in due:
            order.ask_at = now + CLAIM
        return [self._question(order) for order in due]

    def _is_due(self, order: Kept, now: datetime) -> bool:
        if order.ask_at is None or order.ask_at <= now or order.ask_at > now + LATEST:
            return True
        claimed = order.ask_at <= now + CLAIM
        return not order.looks and order.lost_at is not None and order.lost_at <= now - LOOKS[0] and not claimed

    def _question(self, order: Kept) -> Question:
        begun = order.begun_at or order.created_at
        rows = [one for one in self.orders.values() if one.account == order.account and one is not order]
        before = {one.reference: one.listing for one in rows if one.reference and one.told_at and one.told_at < begun}
        strays = self.strays.get(order.account, {})
        before |= {number: listing for number, (listing, at) in strays.items() if at < begun}
        taken = {one.reference for one in rows if one.reference} | {no for no, (_l, at) in strays.items() if at < begun}
        return Question(
            order_id=list(self.orders).index(order.name),
            marketplace="mercari",
            account_id=order.account,
            external_id=order.listing,
            begun_at=begun,
            older={} if "blind" in self.careless else before,
            taken=frozenset(taken),
        )

    def settle(self, question: Question, answer: Answer, now: datetime) -> None:
        """Write down and conclude."""
        order = list(self.orders.values())[question.order_id]
        self._settle(order, answer, now)

    def _settle(self, order: Kept, answer: Answer, now: datetime) -> None:
        number = answer.purchase.transaction_id if answer.purchase else ""
        order.looks.append(Look(at=now, seen=self._as_seen(answer), number=number, doubtful=answer.doubtful))
        if order.state not in ASKED:
            return
        decision = decide(self._case(order), now=now)
        if isinstance(decision, Placed):
            self._move(order, Verb.PLACE, now)
            order.reference, order.reason, order.ask_at = decision.look.number, "", None
        elif order.state == State.NEEDS_HUMAN:
            return
        elif isinstance(decision, AskAgain):
            order.ask_at = decision.at
        elif isinstance(decision, AskPerson):
            self._move(order, Verb.GIVE_TO_PERSON, now)
            order.reason, order.ask_at = decision.why, None
        else:
            self._move(order, Verb.RULE_OUT, now)
            order.ask_at = None

    def _as_seen(self, answer: Answer) -> Seen:
        silent = "silence" in self.careless and answer.seen in {Seen.FAILED, Seen.UNPROVEN}
        return Seen.ABSENT if silent else answer.seen

    def _case(self, order: Kept) -> Case:
        looks = sorted((one for one in order.looks if one.at >= (order.begun_at or one.at)), key=lambda one: one.at)
        return Case(
            lost_at=order.lost_at or order.created_at,
            send_deadline=order.deadline or order.created_at,
            looks=looks,
        )

    def followed(self, account: int) -> tuple[frozenset[str], frozenset[str]]:
        """What a sweep knows, and which listings it follows."""
        own = [one for one in self.orders.values() if one.account == account]
        bought = {State.PLACED, State.LATE_PLACED, State.WON, State.PAID, State.SHIPPED}
        listings = {one.listing for one in own if one.state in bought | ASKED | {State.NOT_PLACED}}
        numbers = {one.reference for one in own if one.reference} | self.strays.get(account, {}).keys()
        return frozenset(numbers), frozenset(listings)

    def record(self, account: int, census: Census, now: datetime) -> None:
        """Tie every purchase, or note it."""
        if "sweep" in self.careless:
            return
        for purchase in census.purchases:
            order = self._order_of(account, purchase)
            if order is None:
                row = (purchase.external_id, now)
                self.strays.setdefault(account, {}).setdefault(purchase.transaction_id, row)
            else:
                self.strays.get(account, {}).pop(purchase.transaction_id, None)
                self._tie(order, purchase, now)

    def _order_of(self, account: int, purchase: Purchase) -> Kept | None:
        own = [o for o in self.orders.values() if o.account == account and o.listing == purchase.external_id]
        for order in own:
            if order.reference == purchase.transaction_id:
                return order
        stray = self.strays.get(account, {}).get(purchase.transaction_id)
        states = {State.SUBMITTING, State.NOT_PLACED, *ASKED, *BOUGHT}
        waiting = [one for one in own if one.state in states and not one.reference]
        return next((one for one in reversed(waiting) if stray is None or one.created_at <= stray[1]), None)

    def _tie(self, order: Kept, purchase: Purchase, now: datetime) -> None:
        if order.state in ASKED:
            begun = order.begun_at or order.created_at
            older = purchase.at is not None and purchase.at < begun - CLOCKS_DIFFER
            self._settle(order, Answer(seen=Seen.FOUND, purchase=purchase, doubtful=older), now)
        elif order.state == State.NOT_PLACED:
            for other in self._in_its_place(order):
                self._move(other, Verb.CANCEL, now)
            self._move(order, Verb.FIND_LATE, now)
            order.reference, order.reason = purchase.transaction_id, LATE
        elif order.state in BOUGHT and not order.reference:
            order.reference = purchase.transaction_id
        while verb := next_step(order.state, purchase.stage):
            self._move(order, verb, now)

    def _in_its_place(self, order: Kept) -> Iterator[Kept]:
        for other in self.orders.values():
            if other is not order and other.listing == order.listing and other.state in STOPPABLE:
                yield other

    def say(self, name: str, *, bought: bool, now: datetime) -> None:
        """The person decides."""
        order = self.orders[name]
        if order.state == State.NEEDS_HUMAN:
            self._move(order, Verb.PLACE if bought else Verb.RULE_OUT, now)
            order.reason = "" if bought else order.reason

    def look_at(self, name: str) -> None:
        """The person has looked at what was found late."""
        if self.orders[name].reason == LATE:
            self.orders[name].reason = ""

    def throw(self, *, stopped: bool, now: datetime) -> None:
        """The kill switch."""
        del now
        self.stopped = stopped

    def picture(self) -> dict[str, Any]:
        """Where everything stands, for the rules and for comparing."""
        orders = {one.name: (str(one.state), one.reference, one.late) for one in self.orders.values()}
        money = (self.held, self.spent, self.overrun)
        return {"orders": orders, "money": money, "things": self.things, "strays": self._strays()}

    def _strays(self) -> set[str]:
        return {number for rows in self.strays.values() for number in rows}
