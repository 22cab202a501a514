"""The buy rule of a watch: set and taken away. What was proposed by it before stays as it is."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditKind
from monitor_site.watches.models import Watch

from .models import BuyPolicy, BuyRule, Way


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyWish:
    """What a person wants a rule to say. No highest price means that nothing is bought, and so does 0."""

    price_max: int | None
    shipping_estimate: int | None
    approval_minutes: int


@transaction.atomic
def set_rule(*, watch: Watch, wish: BuyWish, now: datetime) -> BuyRule:
    """From now on matches of the watch are proposed to its person, who decides and orders."""
    said = asdict(wish) | {"price_max": wish.price_max or None}
    fixed = {"user_id": watch.user_id, "policy": BuyPolicy.ASK, "way": Way.ASSISTED, "updated_at": now}
    before = said_of(BuyRule.objects.filter(watch=watch).first())
    rule = BuyRule.objects.update_or_create(watch=watch, defaults=said | fixed)[0]
    _record("change" if before else "make", watch, before, said_of(rule), now)
    return rule


@transaction.atomic
def remove_rule(*, watch: Watch, now: datetime) -> None:
    """Nothing more is proposed; proposals that wait for an answer wait on."""
    before = said_of(BuyRule.objects.filter(watch=watch).first())
    if BuyRule.objects.filter(watch=watch).delete()[0]:
        _record("remove", watch, before, {}, now)


def said_of(rule: BuyRule | None) -> dict[str, Any]:
    """What a rule says, for the record of its changes."""
    names = ("policy", "price_max", "shipping_estimate", "way", "account_id", "approval_minutes", "until")
    return {} if rule is None else {name: getattr(rule, name) for name in names}


def _record(act: str, watch: Watch, before: dict[str, Any], after: dict[str, Any], now: datetime) -> None:
    on = auditing.Thing(kind="buy_rule", id=watch.pk, words=watch.name)
    auditing.write(kind=AuditKind.MONEY, act=act, user_id=watch.user_id, on=on, now=now, before=before, after=after)
