"""From facts to alerts and notices: who is to be told of what, where and when. Services, each one transaction.

Every fact has a key, so that a job which runs twice, or another watch that finds the same thing, adds nothing but
what is missing.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from monitor_site.accounts.models import User
from monitor_site.outbox import services as outbox

from .holding import Wait, wait_of
from .models import Alert, AlertKind, Channel, Notice
from .routing import Routes, routes_of

TOPIC = "channel"
# What is wrong with a channel stands in the facts of an alert under this name, what is wrong elsewhere under its own.
CHANNEL_TROUBLE = "channel"
SPEED_TROUBLE = "speed"
LONGEST_COOL_DOWN = timedelta(days=7)

_postmen: list[Callable[[Collection[int]], None]] = []


@dataclass(slots=True, kw_only=True)
class Draft:
    """An alert before it is written. ``matches`` is match → watch; ``only`` are the channels when they are known."""

    user_id: int
    kind: str
    key: str
    listing_id: int | None = None
    matches: dict[int, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    trace: str = ""
    only: Sequence[Channel] | None = None


@transaction.atomic
def publish(drafts: Sequence[Draft], *, now: datetime) -> list[Alert]:
    """Write the alerts that are new, add to those that are not, and note who has to tell of them."""
    if not drafts:
        return []
    watch_ids = {watch for draft in drafts for watch in draft.matches.values()}
    routes = routes_of(user_ids={draft.user_id for draft in drafts}, watch_ids=watch_ids)
    alerts = _saved(drafts, routes, now)
    pairs = [(alerts[draft.user_id, draft.key], channel) for draft in drafts for channel in _channels(draft, routes)]
    notify(pairs, now=now)
    return list(alerts.values())


def _channels(draft: Draft, routes: Routes) -> Sequence[Channel]:
    if draft.only is not None:
        return draft.only
    return routes.channels_of(user_id=draft.user_id, kind=draft.kind, watch_ids=set(draft.matches.values()))


def _saved(drafts: Sequence[Draft], routes: Routes, now: datetime) -> dict[tuple[int, str], Alert]:
    Alert.objects.bulk_create([_alert(draft, routes, now) for draft in drafts], ignore_conflicts=True)
    keys = {draft.key for draft in drafts}
    rows = Alert.objects.filter(user__in={d.user_id for d in drafts}, key__in=keys).order_by("pk").select_for_update()
    alerts = {(row.user_id, row.key): row for row in rows}
    for draft in drafts:
        _add(alerts[draft.user_id, draft.key], draft)
    return alerts


def _alert(draft: Draft, routes: Routes, now: datetime) -> Alert:
    return Alert(
        user_id=draft.user_id,
        kind=draft.kind,
        key=draft.key,
        listing_id=draft.listing_id,
        match_ids=sorted(draft.matches),
        facts=draft.facts,
        importance=routes.importance_of(draft.matches.values()),
        trace=draft.trace,
        created_at=now,
    )


def _add(alert: Alert, draft: Draft) -> None:
    """Another watch has hit the same listing: one message names them all."""
    if missing := set(draft.matches) - set(alert.match_ids):
        alert.match_ids = sorted(set(alert.match_ids) | missing)
        alert.save(update_fields=["match_ids"])


def notify(pairs: Iterable[tuple[Alert, Channel]], *, now: datetime) -> None:
    """Have these channels tell of these alerts, each once; call it in the alerts' transaction."""
    pairs = list(pairs)
    zones = _zones({channel.user_id for _alert, channel in pairs})
    told = _told(pairs, now)
    notices = []
    for alert, channel in pairs:
        told_at = told.get((channel.pk, alert.listing_id or 0))
        zone, patient = zones[channel.user_id], _is_patient(alert)
        wait = wait_of(channel=channel, kind=alert.kind, told_at=told_at, zone=zone, now=now, patient=patient)
        notices.append(_notice(alert, channel, wait, now))
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    hurry({one.channel_id for one in notices if one.due_at <= now}, now=now)


def deliver_here(serve: Callable[[Collection[int]], None] | None) -> None:
    """Who in this process serves channels; ``None``: nobody."""
    _postmen[:] = [serve] if serve else []


def hurry(channel_ids: Collection[int], *, now: datetime) -> None:
    """Have these channels served after the commit: by this process if it can, else by a job.

    The rows of notices say what is left: whoever is lost before it serves them is made up for by ``wake_channels``.
    """
    if not _postmen:
        outbox.write(topic=TOPIC, object_ids=channel_ids, now=now)
    elif channel_ids:
        transaction.on_commit(lambda: _postmen[0](channel_ids) if _postmen else None, robust=True)


def _is_patient(alert: Alert) -> bool:
    """A trouble waits for the morning as others do, but for one of a channel or of money."""
    return alert.kind == AlertKind.TROUBLE and alert.facts.get("trouble") not in {CHANNEL_TROUBLE, SPEED_TROUBLE}


def _notice(alert: Alert, channel: Channel, wait: Wait, now: datetime) -> Notice:
    return Notice(alert=alert, channel=channel, due_at=wait.until, held=wait.held, created_at=now)


def _zones(user_ids: Collection[int]) -> dict[int, ZoneInfo]:
    zones = User.objects.filter(pk__in=user_ids).values_list("pk", "time_zone")
    return {pk: ZoneInfo(name) for pk, name in zones}


def _told(pairs: Sequence[tuple[Alert, Channel]], now: datetime) -> dict[tuple[int, int], datetime]:
    """When each of these channels tells, or told, of each of these listings last."""
    listings = {alert.listing_id for alert, _channel in pairs if alert.listing_id}
    channels = {channel.pk for _alert, channel in pairs}
    recent = Notice.objects.filter(
        channel__in=channels, alert__listing__in=listings, created_at__gte=now - LONGEST_COOL_DOWN
    ).exclude(alert__in=[alert.pk for alert, _channel in pairs])
    found: dict[tuple[int, int], datetime] = {}
    for channel_id, listing_id, due_at in recent.values_list("channel_id", "alert__listing_id", "due_at"):
        found[channel_id, listing_id] = max(due_at, found.get((channel_id, listing_id), due_at))
    return found
