"""The plan of each marketplace, from the rows to the rows."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import redis
from django.contrib.auth import get_user_model
from django.db import transaction

from monitor_site.connections import key
from monitor_site.marketplaces.catalog import catalog

from .models import Target, TargetKind, WatchTarget
from .plan import Asked, Because, Load, Planned, capacity, plan, steadied
from .questions import lock
from .wished_times import next_due

WRITTEN_AT_ONCE = 200
AN_HOUR = timedelta(hours=1)
# What is important beyond the usual is not stretched because the machine is busy.
CRITICAL = 75
STANDS_SECONDS = 120
# A question that is due so many of its intervals from now is outside its hours.
RESTING_AFTER = 2
READ = (
    "pk", "interval_seconds", "planned_seconds", "planned_because", "wanted_fastest", "wanted_slowest", "importance",
    "spent", "gave_at", "gives_every", "due_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a marketplace stands: so many questions share what may be asked a minute, and wish so many requests."""

    questions: int
    pace: float
    wished: float
    load: Load = Load.NORMAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What there is to plan for: questions, how each is planned now, those outside their hours, people's weights."""

    asked: Sequence[Asked]
    before: Mapping[int, Planned]
    resting: Collection[int]
    weights: Mapping[int, int]


def read(marketplace: str, *, now: datetime) -> Wishes:
    """The wishes at a marketplace; three queries, where there are none one."""
    rows = list(Target.objects.searches().filter(marketplace=marketplace, active=True).values_list(*READ))
    if not rows:
        return Wishes(asked=(), before={}, resting=(), weights={})
    users = _users(marketplace)
    return Wishes(
        asked=[_asked(row, users.get(row[0], ()), now) for row in rows],
        before={row[0]: Planned(seconds=row[2] or row[1], because=Because(row[3])) for row in rows},
        resting={row[0] for row in rows if row[10] and row[10] > now + RESTING_AFTER * timedelta(seconds=row[1])},
        weights=dict(get_user_model().objects.exclude(weight=1).values_list("pk", "weight")),
    )


def _users(marketplace: str) -> dict[int, list[int]]:
    links = WatchTarget.objects.filter(
        target__marketplace=marketplace, target__active=True, target__kind=TargetKind.SEARCH, watch__paused_at=None
    )
    found: dict[int, list[int]] = defaultdict(list)
    for target_id, user_id in links.values_list("target_id", "watch__user_id").distinct():
        found[target_id].append(user_id)
    return found


def _asked(row: tuple[Any, ...], users: Collection[int], now: datetime) -> Asked:
    pk, seconds, _planned, _because, fastest, slowest, importance, spent, gave_at, gives_every, _due_at = row
    return Asked(
        id=pk,
        seconds=seconds,
        users=users,
        requests=sum(pages for _ms, pages in spent) / len(spent) if spent else 1.0,
        fastest=fastest,
        slowest=slowest,
        gives_every=None if gave_at is None else max(gives_every or 0, (now - gave_at).total_seconds()),
        critical=(importance or 0) >= CRITICAL,
    )


def room(marketplace: str, *, now: datetime) -> float:
    """How many requests a minute searches may use at a marketplace."""
    others = Target.objects.filter(marketplace=marketplace, active=True, due_at__lte=now + AN_HOUR)
    aside = others.exclude(kind=TargetKind.SEARCH).count() / 60
    return capacity(catalog().pace(marketplace).per_minute, aside=aside)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replanned:
    """Targets whose interval has changed, those of them that are asked more often now, how the marketplace stands."""

    changed: Sequence[int]
    sooner: Sequence[int]
    standing: Standing


def replan(*, marketplace: str, load: Load, now: datetime) -> Replanned:
    """Plan a marketplace anew, and write down what has changed."""
    wishes, pace = read(marketplace, now=now), room(marketplace, now=now)
    planned = plan(wishes.asked, wishes.weights, pace=pace, load=load, resting=wishes.resting)
    steady = {pk: steadied(wishes.before[pk], one) for pk, one in planned.items()}
    changed = {pk: one for pk, one in steady.items() if one != wishes.before[pk]}
    _write(changed, now)
    return Replanned(
        changed=sorted(changed),
        sooner=[pk for pk, one in sorted(changed.items()) if one.seconds < wishes.before[pk].seconds],
        standing=_standing(wishes, pace, load),
    )


def _standing(wishes: Wishes, pace: float, load: Load) -> Standing:
    awake = [one for one in wishes.asked if one.id not in wishes.resting]
    wished = sum(60 * one.requests / one.seconds for one in awake)
    return Standing(questions=len(awake), pace=pace, wished=wished, load=load)


def _write(changed: Mapping[int, Planned], now: datetime) -> None:
    """In small transactions, so that checks are recorded in between."""
    groups: dict[Planned, list[int]] = defaultdict(list)
    for pk, one in changed.items():
        groups[one].append(pk)
    for one, ids in groups.items():
        for start in range(0, len(ids), WRITTEN_AT_ONCE):
            _write_some(sorted(ids[start : start + WRITTEN_AT_ONCE]), one, now)


@transaction.atomic
def _write_some(ids: Sequence[int], one: Planned, now: datetime) -> None:
    """What has times of its own follows a shorter interval at once, as all others do in the schedule."""
    rows = lock(ids).values()
    wished = None if one.because == Because.WISHED else one.seconds
    Target.objects.filter(pk__in=[row.pk for row in rows]).update(
        planned_seconds=wished, planned_because=one.because.value
    )
    for row in rows:
        if row.times and row.due_at is not None:
            row.planned_seconds = wished
            sooner = next_due(row, after_ms=round(now.timestamp() * 1000))
            Target.objects.filter(pk=row.pk).update(due_at=min(row.due_at, sooner))


def keep(client: redis.Redis, marketplace: str, standing: Standing) -> None:
    """Say how a marketplace stands, for pages."""
    told = {"questions": standing.questions, "pace": standing.pace, "wished": standing.wished, "load": standing.load}
    client.set(key("plan", marketplace), json.dumps(told), ex=STANDS_SECONDS)


def standings(client: redis.Redis, marketplaces: Collection[str]) -> dict[str, Standing]:
    """How these marketplaces stand; those that were not planned lately are missing."""
    names = sorted(marketplaces)
    texts: Any = client.mget([key("plan", name) for name in names]) if names else []
    told = {name: json.loads(text) for name, text in zip(names, texts, strict=True) if text}
    return {name: Standing(**values | {"load": Load(values["load"])}) for name, values in told.items()}


def foresee(
    marketplace: str, keys: Iterable[str], *, seconds: int, user_id: int, now: datetime
) -> tuple[Planned, Standing]:
    """How a wish with these questions would be asked here if it were saved: the slowest of them."""
    wishes, pace = read(marketplace, now=now), room(marketplace, now=now)
    known = dict(Target.objects.filter(key__in=keys, active=True).values_list("key", "pk"))
    own = {known.get(name, -number - 1) for number, name in enumerate(keys)}
    asked = [_joined(one, seconds, user_id) if one.id in own else one for one in wishes.asked]
    asked += [Asked(id=pk, seconds=seconds, users=(user_id,)) for pk in own if pk < 0]
    planned = plan(asked, wishes.weights, pace=pace, resting=set(wishes.resting) - own)
    slowest = max((planned[pk] for pk in own if pk in planned), key=lambda one: one.seconds)
    return slowest, _standing(replace(wishes, asked=asked), pace, Load.NORMAL)


def _joined(one: Asked, seconds: int, user_id: int) -> Asked:
    return replace(one, seconds=min(one.seconds, seconds), users={*one.users, user_id})
