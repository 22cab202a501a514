"""The figures of an installation in words and as JSON: ``manage.py status``."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import redis
from django.db.models import Count, Q, Sum

from monitor_site.connections import key
from monitor_site.engine import machines
from monitor_site.engine.members import is_look
from monitor_site.engine.schedule import Schedule
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.watches.models import Check, Listing, Match, Outcome, Target, TargetKind, TargetQuerySet, Watch

from . import clockwork, lanes

WINDOW = timedelta(minutes=5)
OVERDUE_MS = 1000


def snapshot(client: redis.Redis, *, now: datetime) -> dict[str, Any]:
    """All figures; ``lateness_ms``, ``checks``, ``checks_failed`` and ``missed_beats`` are of the last five minutes.

    All but ``looks``, ``sales``, ``looks_overdue`` (both of them) and ``leased`` speak of searches alone: the others
    give way, so they may be late.
    """
    return {
        "at": now.isoformat(timespec="seconds"),
        "watches": Watch.objects.active().count(),
        "targets": _active().count(),
        "targets_unserved": _active().exclude(marketplace__in=catalog().plugins).count(),
        "looks": Target.objects.looks().filter(active=True).count(),
        "sales": Target.objects.sales().filter(active=True).count(),
        **_schedule(client),
        **_checks(now),
        "matches": Match.objects.filter(silent=False).count(),
        "listings": Listing.objects.count(),
        **_parts(client, now),
        **_marketplaces(client),
        "plugins_broken": dict(catalog().broken),
    }


def _active() -> TargetQuerySet:
    return Target.objects.searches().filter(active=True)


def _marketplaces(client: redis.Redis) -> dict[str, Any]:
    """By marketplace: its breaker, when it last answered as it should, and what pauses the account it is read with."""
    names = sorted(catalog().plugins)
    successes = breaker.last_successes(client, names)
    paused = MarketplaceAccount.objects.filter(user=None, paused_until__gt=datetime.now(UTC))
    return {
        "breakers": breaker.read_all(client, names),
        "last_success": {name: _iso(moment) for name, moment in successes.items()},
        "accounts_paused": {
            row.marketplace: {"until": _iso(row.paused_until), "reason": row.pause_reason} for row in paused
        },
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _schedule(client: redis.Redis) -> dict[str, int]:
    """``due``: waiting for their time or late; ``leased``: at a worker; ``overdue``: late by more than a second."""
    schedule = Schedule(client)
    now, due, leased, overdue, looks_overdue = schedule.now_ms(), 0, 0, 0, 0
    for name in schedule.marketplaces() & set(catalog().plugins):
        held = schedule.leased(name)
        leased += len(held)
        due += int(client.zcard(key("due", name))) - sum(not is_look(member) for member in held)
        searches, looks = schedule.overdue(name, before_ms=now - OVERDUE_MS)
        overdue, looks_overdue = overdue + searches, looks_overdue + looks
    return {"due": due, "leased": leased, "overdue": overdue, "looks_overdue": looks_overdue}


def _checks(now: datetime) -> dict[str, Any]:
    recent = Check.objects.filter(started_at__gte=now - WINDOW, target__kind=TargetKind.SEARCH)
    sums = recent.aggregate(
        checks=Count("pk"), checks_failed=Count("pk", filter=Q(outcome=Outcome.FAILED)), missed=Sum("missed_beats")
    )
    lateness = sorted(recent.values_list("lateness_ms", flat=True))
    return {
        "lateness_ms": percentiles(lateness),
        "checks": sums["checks"],
        "checks_failed": sums["checks_failed"],
        "missed_beats": sums["missed"] or 0,
    }


def percentiles(ordered: Sequence[int]) -> dict[str, int | None]:
    """p50, p95, p99 and max of sorted figures; ``None`` when there are none."""
    if not ordered:
        return {"p50": None, "p95": None, "p99": None, "max": None}
    ranks = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(len(ordered) * rank))] for name, rank in ranks.items()}


def _parts(client: redis.Redis, now: datetime) -> dict[str, Any]:
    found, now_ms = lanes.lanes(client, now=now), Schedule(client).now_ms()
    return {
        "queues": {lane.name: lane.waiting for lane in found},
        "workers": sum(lane.alive for lane in found),
        "promoters": sum(one.alive for one in clockwork.promoters(client, now_ms=now_ms)),
        "load": {host: state.level.value for host, state in machines.states(client).items()},
    }


def in_words(figures: dict[str, Any]) -> str:
    """The figures for a person, one a line; then each marketplace in a line of its own."""
    apart = {"breakers", "last_success", "accounts_paused", "plugins_broken"}
    lines = [_line(name.replace("_", " "), value) for name, value in figures.items() if name not in apart]
    markets = [_line(name, _market_words(name, figures)) for name in figures["breakers"]]
    broken = [_line(name, f"broken: {reason}") for name, reason in figures["plugins_broken"].items()]
    return "\n".join([*lines, "", *markets, *broken])


def _line(name: str, value: Any) -> str:
    if isinstance(value, dict):
        value = ", ".join(f"{inner} {'-' if figure is None else figure}" for inner, figure in value.items())
    return f"{name:16} {value}"


def _market_words(name: str, figures: dict[str, Any]) -> str:
    state = figures["breakers"][name]
    parts = [state["state"].replace("_", "-")]
    if state["until"]:
        parts = [f"{parts[0]} because of {state['reason']}, until {_short(state['until'])}"]
    elif state["reason"]:
        parts = [f"{state['reason']} by an operator"]
    if pause := figures["accounts_paused"].get(name):
        parts.append(f"its account paused because of {pause['reason']}, until {_short(pause['until'])}")
    last = figures["last_success"].get(name)
    parts.append(f"last success {_short(last)}" if last else "no success known")
    return "; ".join(parts)


def _short(iso: str) -> str:
    return f"{datetime.fromisoformat(iso):%Y-%m-%d %H:%M:%S} UTC"


def current(client: redis.Redis) -> dict[str, Any]:
    """The figures of this moment."""
    return snapshot(client, now=datetime.now(UTC))
