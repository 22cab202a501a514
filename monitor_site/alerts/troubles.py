"""Telling of troubles: once when one begins, once when it is over, however it flickers in between.

Whoever looks after the installation says again and again what it sees (:func:`note`). What it does not see is over
only after a while, and after a longer one where the same has ended lately; until then nobody hears of it again.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from monitor_site.watches.models import WatchTarget

from .models import Alert, AlertKind, Trouble, TroubleKind
from .telling import Draft, publish

CALM = timedelta(minutes=5)
LONGEST_CALM = timedelta(hours=1)
REMEMBERED = timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A trouble that stands now. Nobody is told before it has stood for ``patience``.

    ``user_id`` is the one person it concerns; else it concerns those with watches at its marketplace, or staff.
    """

    kind: TroubleKind
    subject: str = ""
    patience: timedelta = timedelta()
    facts: Mapping[str, Any] = field(default_factory=dict)
    user_id: int | None = None

    @property
    def name(self) -> tuple[str, str]:
        """What it is known by."""
        return self.kind, self.subject


def note(seen: Iterable[Seen], *, now: datetime) -> list[Alert]:
    """These troubles stand now, and no others: tell who is to be told of what begins and of what is over.

    Mostly there is nothing, and then nothing waits for a lock.
    """
    found = {one.name: one for one in seen}
    return _note(found, now) if found or Trouble.objects.filter(ended_at=None).exists() else []


@transaction.atomic
def _note(found: Mapping[tuple[str, str], Seen], now: datetime) -> list[Alert]:
    _begin(found.values(), now)
    drafts: list[Draft] = []
    for trouble in Trouble.objects.filter(ended_at=None).order_by("pk").select_for_update():
        one = found.get((trouble.kind, trouble.subject))
        drafts += _stands(trouble, one, now) if one else _is_away(trouble, now)
    return publish(drafts, now=now)


def _begin(seen: Iterable[Seen], now: datetime) -> None:
    known = set(Trouble.objects.filter(ended_at=None).values_list("kind", "subject"))
    rows = [_row(one, now) for one in seen if one.name not in known]
    Trouble.objects.bulk_create(rows, ignore_conflicts=True)


def _row(one: Seen, now: datetime) -> Trouble:
    return Trouble(kind=one.kind, subject=one.subject, facts=dict(one.facts), began_at=now, seen_at=now)


def _stands(trouble: Trouble, one: Seen, now: datetime) -> list[Draft]:
    trouble.facts, trouble.seen_at = dict(one.facts) | {"user": one.user_id}, now
    drafts: list[Draft] = []
    if trouble.told_at is None and now - trouble.began_at >= one.patience:
        trouble.told_at = now
        drafts = [_draft(trouble, user_id, effect, over=False) for user_id, effect in _concerned(trouble).items()]
    trouble.save(update_fields=["facts", "seen_at", "told_at"])
    return drafts


def _is_away(trouble: Trouble, now: datetime) -> list[Draft]:
    if now - trouble.seen_at < calm_of(trouble, now=now):
        return []
    if trouble.told_at is None:
        trouble.delete()
        return []
    trouble.ended_at = now
    trouble.save(update_fields=["ended_at"])
    effects = _concerned(trouble)
    return [_draft(trouble, user_id, effects.get(user_id, 0), over=True) for user_id in _told(trouble)]


def calm_of(trouble: Trouble, *, now: datetime) -> timedelta:
    """For how long it must stay away to be over: twice as long for each time it was over lately."""
    again = Trouble.objects.filter(kind=trouble.kind, subject=trouble.subject, ended_at__gt=now - REMEMBERED).count()
    calm: timedelta = CALM * 2 ** min(again, 10)
    return min(LONGEST_CALM, calm)


def _concerned(trouble: Trouble) -> dict[int, int]:
    """Who is told, with how many of their watches wait because of it."""
    marketplace = trouble.facts.get("marketplace")
    waiting = watches_at(marketplace) if marketplace else Counter()
    if trouble.facts.get("user"):
        return {trouble.facts["user"]: waiting[trouble.facts["user"]]}
    if trouble.kind == TroubleKind.MARKETPLACE:
        return dict(waiting)
    return {user_id: waiting[user_id] for user_id in _staff()}


def watches_at(marketplace: str) -> "Counter[int]":
    """How many active watches each person has at a marketplace."""
    links = WatchTarget.objects.filter(
        target__marketplace=marketplace, watch__paused_at=None, watch__user__is_active=True
    )
    return Counter(user_id for user_id, _watch in set(links.values_list("watch__user_id", "watch_id")))


def _staff() -> Collection[int]:
    people = get_user_model().objects.filter(is_staff=True, is_active=True)
    return set(people.values_list("pk", flat=True))


def _told(trouble: Trouble) -> Sequence[int]:
    """Whoever was told that it began."""
    began = Alert.objects.filter(kind=AlertKind.TROUBLE, key=_key(trouble, over=False))
    return list(began.order_by("user_id").values_list("user_id", flat=True))


def _key(trouble: Trouble, *, over: bool) -> str:
    return f"trouble:{trouble.pk}:{'over' if over else 'began'}"


def _draft(trouble: Trouble, user_id: int, watches: int, *, over: bool) -> Draft:
    facts = trouble.facts | {"trouble": trouble.kind, "over": over, "watches": watches}
    facts |= {"since": trouble.began_at.isoformat(), "seen": trouble.seen_at.isoformat()}
    facts.pop("user", None)
    return Draft(user_id=user_id, kind=AlertKind.TROUBLE, key=_key(trouble, over=over), facts=facts)
