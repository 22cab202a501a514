"""Orders and money in rows: the services themselves, over a database that is rolled back after each story."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import handing, reconciling, sweeping, switching
from monitor_site.purchasing.asking import Answer, Census, Question
from monitor_site.purchasing.evidence import LOOKS
from monitor_site.purchasing.ledger import OverBudget, recount
from monitor_site.purchasing.models import (
    Budget,
    BudgetKind,
    Measure,
    Mode,
    Order,
    Period,
    Scope,
    Stray,
    Submission,
    SubmissionOutcome,
    Sweep,
    Way,
)
from monitor_site.purchasing.moving import Because, Overtaken, move
from monitor_site.purchasing.transitions import LIVE, State, Verb
from monitor_site.watches.models import Listing

from .memory import SEND_TIME
from .rules import demand

BECAUSE = Because(actor="sender")
VERBS = {"placed": Verb.PLACE, "refused": Verb.REFUSE, "not_sent": Verb.SEND_NOTHING}


@dataclass
class Rows:
    """The book of ``user``, with one budget. Accounts and listings are made as they are named."""

    user: Any
    now: datetime
    limit: int
    units: int
    price: int = 1000
    accounts: dict[int, MarketplaceAccount] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        moments = {"created_at": self.now, "updated_at": self.now}
        limits = {"total": self.limit, "units": self.units}
        Budget.objects.create(user=self.user, kind=BudgetKind.USER, **limits, **moments)
        for number in (1, 2):
            fields = {"marketplace": "mercari", "label": str(number), "spends_since": self.now} | moments
            self.accounts[number] = MarketplaceAccount.objects.create(user=self.user, **fields)
            Sweep.objects.create(account=self.accounts[number], due_at=self.now, shows_since=self.now)

    def _order(self, name: str) -> Order:
        return Order.objects.select_related("listing").get(pk=self.names[name])

    def knew(self, account: int, number: str, listing: str, at: datetime) -> None:
        """A purchase that was known before."""
        row = {"account": self.accounts[account], "number": number, "external_id": listing}
        Stray.objects.create(first_seen_at=at, noted_at=at, **row)

    def _listing(self, name: str, now: datetime) -> Listing:
        moments = dict.fromkeys(("first_seen_at", "seen_at", "observed_at"), now)
        told = {"title": name, "price": self.price, "kind": "fixed", "status": "on_sale", "digest": name}
        named = {"marketplace": "mercari", "external_id": name}
        return Listing.objects.get_or_create(**named, defaults=told | moments)[0]

    def open_order(self, name: str, listing: str, account: int, now: datetime) -> bool:
        """A proposal that is approved at once; whether its money is held."""
        thing = self._listing(listing, now)
        if Order.objects.filter(listing=thing, state__in=LIVE, found_late_at=None).exists():
            return False
        money = {"price": self.price, "price_max": self.price, "shown": ""}
        how = {"mode": Mode.APPROVAL, "way": Way.PARTNER_API, "account": self.accounts[account]}
        order = Order.objects.create(user=self.user, listing=thing, created_at=now, stood_since=now, **money, **how)
        try:
            move(order=order, verb=Verb.MAKE_READY, because=BECAUSE, now=now)
        except OverBudget:
            order.delete()
            return False
        self.names[name] = order.pk
        return True

    def begin(self, name: str, now: datetime) -> int | None:
        """T1: the epoch, if it may be submitted."""
        order = self._order(name)
        if order.state != State.READY or order.epoch >= 3:
            return None
        deadline = now + SEND_TIME
        fields = {"epoch": order.epoch + 1, "ask_at": deadline + timedelta(minutes=15)}
        try:
            move(order=order, verb=Verb.SUBMIT, because=Because(actor="sender", fields=fields), now=now)
        except Overtaken:
            return None
        moments = {"send_deadline": deadline, "begun_at": now}
        Submission.objects.create(order=order, epoch=order.epoch, price_cap=order.price_max, **moments)
        return order.epoch

    def may_commit(self, name: str, epoch: int, now: datetime) -> bool:
        """T2: whether it still may be sent."""
        open_one = Submission.objects.filter(order=self.names[name], epoch=epoch, outcome=SubmissionOutcome.OPEN)
        stands = open_one.filter(order__state=State.SUBMITTING, order__epoch=epoch, send_deadline__gt=now).exists()
        return stands and not switching.is_stopped(user_id=self.user.pk, now=now)

    def conclude(self, name: str, epoch: int, outcome: str, number: str, now: datetime) -> bool:
        """T3: whether what a sender says counted."""
        order = self._order(name)
        open_one = Submission.objects.filter(order=order, epoch=epoch, outcome=SubmissionOutcome.OPEN)
        if order.state != State.SUBMITTING or order.epoch != epoch or not open_one.exists():
            return False
        verb = VERBS.get(outcome, Verb.LOSE_SIGHT)
        fields = {"reference": number, "ask_at": now + LOOKS[0] if verb == Verb.LOSE_SIGHT else None}
        because = Because(actor="sender", fields=fields, paid=self.price)
        move(order=order, verb=verb, because=because, now=now)
        open_one.update(outcome=outcome if outcome in VERBS else SubmissionOutcome.UNKNOWN, answered_at=now)
        return True

    def wake(self, now: datetime) -> None:
        """Lose sight of what nobody ended."""
        reconciling.wake(now=now)

    def questions(self, now: datetime) -> list[Question]:
        """Claim what is due; the story knows the accounts by its own numbers."""
        numbers = {account.pk: number for number, account in self.accounts.items()}
        asked = reconciling.questions(order_ids=list(self.names.values()), now=now)
        return [replace(question, account_id=numbers[question.account_id]) for question in asked]

    def settle(self, question: Question, answer: Answer, now: datetime) -> None:
        """Write down what was seen, and conclude."""
        reconciling.settle(order_id=question.order_id, answer=answer, now=now)

    def followed(self, account: int) -> tuple[frozenset[str], frozenset[str]]:
        """The numbers that are known, and the listings that are followed."""
        one = sweeping.round_of(Sweep.objects.select_related("account").get(account=self.accounts[account]))
        return frozenset(one.known), frozenset(one.followed)

    def record(self, account: int, census: Census, now: datetime) -> None:
        """What a sweep saw."""
        sweeping.record(account_id=self.accounts[account].pk, census=census, now=now)

    def say(self, name: str, *, bought: bool, now: datetime) -> None:
        """Its person says what is so."""
        order = self._order(name)
        if bought:
            handing.say_bought(order=order, paid=self.price, reference="", actor="person", now=now)
        else:
            handing.say_not_bought(order=order, actor="person", now=now)

    def look_at(self, name: str) -> None:
        """Its person has looked at a late find."""
        handing.let_order_again(order=self._order(name))

    def throw(self, *, stopped: bool, now: datetime) -> None:
        """The kill switch."""
        if stopped:
            switching.stop(user=self.user, reason="", now=now)
        else:
            switching.resume(user=self.user, now=now)

    def picture(self) -> dict[str, Any]:
        """Where everything stands; the counters must be what the ledger says."""
        rows = {one.pk: one for one in Order.objects.filter(pk__in=self.names.values())}
        orders = {name: rows[pk] for name, pk in self.names.items()}
        scopes = list(Scope.objects.filter(budget__user=self.user))
        demand(recount(scopes) == [], "M5: the counters are not what the ledger says")
        total = [one for one in scopes if one.period == Period.TOTAL]
        sums = {one.measure: (one.held, one.spent, one.overrun) for one in total}
        return {
            "orders": {name: (one.state, one.reference, one.found_late_at is not None) for name, one in orders.items()},
            "money": sums.get(Measure.MONEY, (0, 0, 0)),
            "things": sums.get(Measure.UNITS, (0, 0, 0)),
            "strays": set(Stray.objects.filter(account__user=self.user).values_list("number", flat=True)),
        }
