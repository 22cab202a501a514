"""The buy rule of a watch: set and taken away. What was proposed by it before stays as it is."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditKind
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.watches.models import Watch

from .models import BuyPolicy, BuyRule, Way
from .periods import TOKYO
from .queries import is_guarded


class NotProven(Exception):
    """What buys without being asked needs a proof that it is the person who allows it."""


class Unguarded(Exception):
    """What buys without being asked needs a budget."""


class Endless(Exception):
    """What buys without being asked needs an end that is still to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyWish:
    """What a person wants a rule to say. No highest price means that nothing is bought, and so does 0.

    Without an ``account``, which must be their own, they order themselves. ``policy`` BUY asks nobody, up to ``until``.
    """

    price_max: int | None
    shipping_estimate: int | None
    approval_minutes: int
    account: MarketplaceAccount | None = None
    policy: str = BuyPolicy.ASK
    until: date | None = None


@transaction.atomic
def set_rule(*, watch: Watch, wish: BuyWish, now: datetime, proven: bool = False) -> BuyRule:
    """From now on matches of the watch are proposed to its person, or bought without asking.

    ``proven``: the person has just shown that it is them. Raises :class:`NotProven`, :class:`Unguarded` and
    :class:`Endless` where nobody would be asked.
    """
    account = wish.account if wish.account and wish.account.user_id == watch.user_id else None
    if wish.policy == BuyPolicy.BUY:
        _demand_safe(watch, wish, now, proven=proven)
    fields = {name: getattr(wish, name) for name in ("shipping_estimate", "approval_minutes", "policy", "until")}
    fields |= {"price_max": wish.price_max or None, "account": account, "user_id": watch.user_id, "updated_at": now}
    fields |= {"way": Way.PARTNER_API if account else Way.ASSISTED}
    fields |= {"confirmed_at": now if wish.policy == BuyPolicy.BUY else None}
    before = said_of(BuyRule.objects.filter(watch=watch).first())
    rule = BuyRule.objects.update_or_create(watch=watch, defaults=fields)[0]
    _record("change" if before else "make", watch, before, said_of(rule), now)
    return rule


def _demand_safe(watch: Watch, wish: BuyWish, now: datetime, *, proven: bool) -> None:
    if not is_guarded(watch):
        raise Unguarded
    if wish.until is None or wish.until < now.astimezone(TOKYO).date():
        raise Endless
    if not proven:
        raise NotProven


@transaction.atomic
def remove_rule(*, watch: Watch, now: datetime) -> None:
    """Nothing more is proposed; proposals that wait for an answer wait on."""
    before = said_of(BuyRule.objects.filter(watch=watch).first())
    if BuyRule.objects.filter(watch=watch).delete()[0]:
        _record("remove", watch, before, {}, now)


@transaction.atomic
def lower_limit(*, watch: Watch, price_max: int, now: datetime) -> int | None:
    """Propose nothing above ``price_max`` any more; returns what it was, ``None`` when that would not be lower."""
    rule = BuyRule.objects.filter(watch=watch, price_max__gt=price_max).first() if price_max > 0 else None
    if rule is None or rule.price_max is None:
        return None
    return rule.price_max if _set_limit(watch, rule.price_max, price_max, now) else None


@transaction.atomic
def raise_again(*, watch: Watch, from_price: int, to_price: int, now: datetime) -> bool:
    """Take :func:`lower_limit` back, unless somebody has set another one since."""
    return _set_limit(watch, from_price, to_price, now)


def _set_limit(watch: Watch, before: int, after: int, now: datetime) -> bool:
    rows = BuyRule.objects.filter(watch=watch, price_max=before)
    changed = bool(rows.update(price_max=after, updated_at=now))
    if changed:
        _record("change", watch, {"price_max": before}, {"price_max": after}, now)
    return changed


def said_of(rule: BuyRule | None) -> dict[str, Any]:
    """What a rule says, for the record of its changes."""
    names = ("policy", "price_max", "shipping_estimate", "way", "account_id", "approval_minutes", "until")
    return {} if rule is None else {name: getattr(rule, name) for name in names}


def _record(act: str, watch: Watch, before: dict[str, Any], after: dict[str, Any], now: datetime) -> None:
    on = auditing.Thing(kind="buy_rule", id=watch.pk, words=watch.name)
    auditing.write(kind=AuditKind.MONEY, act=act, user_id=watch.user_id, on=on, now=now, before=before, after=after)
