"""What stands beside the feed: where the new matches come from, and how the marketplaces are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import redis
from django.db.models import Count

from monitor_site.connections import redis_client
from monitor_site.marketplaces import breaker
from monitor_site.watches.models import Match, MatchState

from .freshness import delays_by_marketplace

SHOWN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """A marketplace of the person's watches: stopped or not, until when, median milliseconds to discovery."""

    name: str
    stopped: bool
    until: datetime | None
    delay_ms: int | None
    paused: bool = False


def rail_of(user: Any, marketplaces: Sequence[str], *, now: datetime) -> dict[str, Any]:
    """The panels of a person; these marketplaces without their state when Redis is away."""
    return {"fresh": _fresh(user, now), "markets": _markets(user, marketplaces, now)}


def _fresh(user: Any, now: datetime) -> list[dict[str, Any]]:
    """The watches with the most new matches."""
    new = Match.objects.of(user).told().awake(now=now).filter(state=MatchState.NEW)
    counted = new.order_by().values("watch_id", "watch__name").annotate(n=Count("pk"))
    return list(counted.order_by("-n", "watch__name")[:SHOWN])


def _markets(user: Any, names: Sequence[str], now: datetime) -> list[Market]:
    delays = delays_by_marketplace(user.pk, now=now)
    try:
        states = breaker.read_all(redis_client(), names)
    except redis.RedisError:
        states = {}
    return [_market(name, states.get(name), delays.get(name)) for name in names]


def _market(name: str, view: breaker.BreakerView | None, delay: int | None) -> Market:
    state, until = (view["state"], view["until"]) if view else ("closed", None)
    moment = datetime.fromisoformat(until) if until and state == "open" else None
    paused = view is not None and view["reason"] == breaker.PAUSED
    return Market(name=name, stopped=state != "closed", until=moment, delay_ms=delay, paused=paused)
