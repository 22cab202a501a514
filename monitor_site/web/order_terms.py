"""By which rule and within which limits an order was made: their wording of that moment, as plain values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.purchasing.in_force import BUDGET, RULE, Thing, Version, versions_then
from monitor_site.purchasing.models import BuyPolicy, Entry, LedgerEntry, Order
from monitor_site.watches.models import Note, WatchVersion

from .order_words import PERIODS, budget_name

LIMITS = {"per_item": "", "per_day": "day", "per_week": "week", "per_month": "month", "total": "total"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A rule or a budget as it stood: its name, what it said, and which version that was."""

    name: str
    said: str
    version: Version

    @property
    def row(self) -> str:
        """Its entry, as the page of activity names it."""
        return f"a{self.version.row}"


def with_kept(orders: QuerySet[Order]) -> QuerySet[Order]:
    """Each with ``note``, the person's words about the listing, and ``wish``, which version of its watch found it."""
    notes = Note.objects.filter(user=OuterRef("user"), listing=OuterRef("listing")).values("text")
    wishes = WatchVersion.objects.filter(watch=OuterRef("watch"), at__lte=OuterRef("created_at"))
    return orders.annotate(note=Subquery(notes[:1]), wish=Subquery(wishes.order_by("-number").values("number")[:1]))


def terms_of(order: Order, entries: Iterable[LedgerEntry]) -> list[Term]:
    """The rule as it proposed, and each budget as it held the money; what nobody wrote down is not guessed."""
    held = [entry for entry in entries if entry.kind == Entry.HOLD]
    moments: dict[Thing, datetime] = {(BUDGET, str(entry.scope.budget_id)): entry.at for entry in held}
    names = {(BUDGET, str(entry.scope.budget_id)): budget_name(entry.scope.budget) for entry in held}
    if order.watch is not None:
        moments[RULE, str(order.watch_id)] = order.created_at
        names[RULE, str(order.watch_id)] = order.watch.name
    versions = versions_then(user_id=order.user_id, moments=moments)
    return [Term(name=names[thing], said=_said(thing, one.said), version=one) for thing, one in versions.items()]


def _said(thing: Thing, said: Mapping[str, Any]) -> str:
    return rule_words(said) if thing[0] == RULE else limit_words(said)


def rule_words(said: Mapping[str, Any]) -> str:
    """What a rule said of policy and price."""
    policy = str(dict(BuyPolicy.choices).get(said.get("policy", ""), ""))
    price = said.get("price_max")
    most = gettext("at most %(price)s") % {"price": wording.money(price)} if price else ""
    return " · ".join(part for part in (policy, most) if part)


def limit_words(said: Mapping[str, Any]) -> str:
    """The limits a budget had; without any it only counted."""
    found = [f"{PERIODS[period]} {wording.money(said[name])}" for name, period in LIMITS.items() if said.get(name)]
    if said.get("units"):
        found.append(f"{gettext('things at most')} {said['units']}")
    return " · ".join(found) or gettext("no limit")
