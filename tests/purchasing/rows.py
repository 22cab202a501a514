"""Budgets and orders that stories about money need."""

from datetime import datetime
from typing import Any

from monitor_site.purchasing.models import Budget, Mode, Order, Way
from tests.web.rows import listing, watch_of

__all__ = ["budget_of", "order_of", "watch_of"]


def budget_of(user: Any, *, now: datetime, name: str = "Camera", watches: Any = (), **fields: Any) -> Budget:
    """A budget with these limits."""
    budget = Budget.objects.create(user=user, name=name, created_at=now, updated_at=now, **fields)
    budget.watches.set(watches)
    return budget


def order_of(user: Any, number: int = 1, *, now: datetime, price: int = 1000, **fields: Any) -> Order:
    """A proposal to buy listing ``number``."""
    thing = fields.pop("listing", None) or listing(number, now=now, price=price)
    standard = {"mode": Mode.APPROVAL, "way": Way.ASSISTED, "price": price, "price_max": price, "shown": "0" * 64}
    moments = {"created_at": now, "stood_since": now}
    return Order.objects.create(user=user, listing=thing, **standard | moments | fields)
