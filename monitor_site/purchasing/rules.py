"""The buy rule of a watch: set and taken away. What was proposed by it before stays as it is."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

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
    return BuyRule.objects.update_or_create(watch=watch, defaults=said | fixed)[0]


@transaction.atomic
def remove_rule(*, watch: Watch) -> None:
    """Nothing more is proposed; proposals that wait for an answer wait on."""
    BuyRule.objects.filter(watch=watch).delete()
