"""What is wrong with the installation at the moment, for whoever tells people of it."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import redis

from monitor_site.alerts.models import TroubleKind
from monitor_site.alerts.troubles import Seen
from monitor_site.contract import ChallengeRequired, SignInNeeded
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.models import MarketplaceAccount

from . import lateness, machines
from .heartbeat import HEARTBEAT_SECONDS, silent_seconds

# What lasts no longer than that is told to nobody.
STANDS = timedelta(minutes=1)
BUSY = {machines.Level.CAREFUL: timedelta(minutes=5), machines.Level.SHEDDING: STANDS}
WITHOUT_PROMOTER = timedelta(seconds=30)
ACTS = (SignInNeeded.code, ChallengeRequired.code)


def seen(client: redis.Redis, *, now: datetime) -> list[Seen]:
    """Every trouble that stands now. Raises ``RedisError``: what nobody knows is neither wrong nor well."""
    return [
        *_marketplaces(client, now), *_accounts(client, now), *_machines(client), *_lateness(client),
        *_promoters(client),
    ]  # fmt: skip


def _marketplaces(client: redis.Redis, now: datetime) -> Iterator[Seen]:
    """One that is not asked for long is told of at once, others when they have stood still for a while."""
    for name, view in breaker.read_all(client, sorted(catalog().plugins)).items():
        if view["state"] == "closed":
            continue
        until = datetime.fromisoformat(view["until"]) if view["until"] else now
        yield Seen(
            kind=TroubleKind.MARKETPLACE,
            subject=name,
            patience=timedelta() if until - now > STANDS else STANDS,
            facts={"marketplace": name, "reason": view["reason"], "until": _later(until, now)},
        )


def _accounts(client: redis.Redis, now: datetime) -> Iterator[Seen]:
    """Paused until somebody acts. That a pause has ended says nothing: the marketplace must have answered since."""
    rows = MarketplaceAccount.objects.filter(paused_until__isnull=False, pause_reason__in=ACTS).order_by("pk")
    answered = breaker.last_successes(client, {row.marketplace for row in rows})
    for row in rows:
        until = row.paused_until or now
        good = answered[row.marketplace]
        if until > now or (row.user_id is None and (good is None or good < until)):
            yield Seen(
                kind=TroubleKind.ACCOUNT,
                subject=str(row.pk),
                facts={"marketplace": row.marketplace, "reason": row.pause_reason, "until": _later(until, now)},
                user_id=row.user_id,
            )


def _later(until: datetime, now: datetime) -> str | None:
    return until.isoformat() if until > now else None


def _machines(client: redis.Redis) -> Iterator[Seen]:
    for host, state in machines.states(client).items():
        if state.level in BUSY:
            facts = {"host": host, "level": state.level.value, "cpu": round(state.cpu), "memory": round(state.memory)}
            yield Seen(kind=TroubleKind.MACHINE, subject=host[:120], patience=BUSY[state.level], facts=facts)


def _lateness(client: redis.Redis) -> Iterator[Seen]:
    behind = lateness.behind(client)
    if behind.is_bad:
        facts = {"overdue": behind.overdue, "oldest_seconds": behind.oldest_ms // 1000}
        yield Seen(kind=TroubleKind.LATENESS, patience=STANDS, facts=facts)


def _promoters(client: redis.Redis) -> Iterator[Seen]:
    silent = silent_seconds(client)
    if silent is None or silent > 2 * HEARTBEAT_SECONDS:
        yield Seen(kind=TroubleKind.PROMOTER, patience=WITHOUT_PROMOTER)
