"""How a person wants the pages: language, clock, appearance, second currency, first page."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from . import auditing
from .models import AuditKind, User

NAMES = ("language", "time_zone", "theme", "second_currency", "start_page")


def preferences_of(user: User) -> dict[str, str]:
    """All of them by name."""
    return {name: getattr(user, name) for name in NAMES}


@transaction.atomic
def set_preferences(*, user: User, wish: Mapping[str, str], now: datetime) -> None:
    """From the next page on; what changed is written down."""
    before = preferences_of(User.objects.select_for_update(no_key=True).get(pk=user.pk))
    for name in NAMES:
        setattr(user, name, wish[name])
    user.save(update_fields=NAMES)
    on = auditing.Thing(kind="preferences", id=user.pk)
    told: dict[str, Any] = {"user_id": user.pk, "on": on, "now": now}
    auditing.write(kind=AuditKind.SETTING, act="change", before=before, after=preferences_of(user), **told)
