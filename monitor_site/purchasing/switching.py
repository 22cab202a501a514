"""The kill switch: of a person, of everybody, or of the operator's own setting. Any one of them stops."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditKind

from .models import Switch


@transaction.atomic
def stop(*, user: Any | None, reason: str, now: datetime) -> None:
    """No submission of the person, of anybody without one, begins after this has committed."""
    for switch in _rows(user.pk if user else None, now)[-1:]:
        rows = Switch.objects.filter(pk=switch.pk, stopped_at=None)
        if rows.update(stopped_at=now, reason=reason[:80], changed_at=now):
            _record("stop", switch, reason, now)


@transaction.atomic
def resume(*, user: Any | None, now: datetime) -> None:
    """Take back :func:`stop`; what was stopped meanwhile stays as it is."""
    for switch in _rows(user.pk if user else None, now)[-1:]:
        if Switch.objects.filter(pk=switch.pk, stopped_at__isnull=False).update(
            stopped_at=None, reason="", changed_at=now
        ):
            _record("resume", switch, "", now)


def _record(act: str, switch: Switch, reason: str, now: datetime) -> None:
    on = auditing.Thing(kind="spending", words="" if switch.user_id else "everybody")
    change: dict[str, Any] = {
        "before": {"stopped": act == "resume"},
        "after": {"stopped": act == "stop"},
        "reason": reason,
    }
    auditing.write(kind=AuditKind.MONEY, act=act, user_id=switch.user_id, on=on, now=now, **change)


def is_stopped(*, user_id: int, now: datetime) -> bool:
    """Whether spending is stopped. In a transaction it holds the rows: who throws a switch meanwhile waits for us."""
    if settings.SPENDING_STOPPED:
        return True
    return any(switch.stopped_at is not None for switch in _rows(user_id, now))


def _rows(user_id: int | None, now: datetime) -> list[Switch]:
    """Everybody's switch, then the person's, held where the database has row locks. Only what exists can be held."""
    ids = [Switch.objects.get_or_create(user=None, defaults={"changed_at": now})[0].pk]
    if user_id is not None:
        ids.append(Switch.objects.get_or_create(user_id=user_id, defaults={"changed_at": now})[0].pk)
    rows = Switch.objects.select_for_update().filter(pk__in=ids).order_by("pk").in_bulk()
    return [rows[pk] for pk in ids]
