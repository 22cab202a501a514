"""What a watch wished at each of its saves, and how an older shape of it is read today."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditKind

from .models import Watch, WatchVersion
from .wishes import Wish

WISHED = tuple(field.name for field in fields(Wish))


def values_of(watch: Watch) -> dict[str, Any]:
    """The wish of a watch as plain JSON: field → value."""
    return {name: getattr(watch, name) for name in WISHED}


def write_down(watch: Watch, act: str, now: datetime, **change: Any) -> None:
    """Put into the record of its person what is done to a watch."""
    on = auditing.Thing(kind="watch", id=watch.pk, words=watch.name)
    auditing.write(kind=AuditKind.RULE, act=act, user_id=watch.user_id, on=on, now=now, **change)


def wish_of(values: Mapping[str, Any]) -> Wish:
    """Kept values as a wish of today: what is missing is at its default, what nobody knows any more is left out."""
    known = {name: values[name] for name in WISHED if name in values}
    return Wish(**{"name": "", "marketplaces": ()} | known)


def keep(*, watch: Watch, by: Any, now: datetime) -> None:
    """Write the wish down as the next version, unless it is the same as the last; after its row was saved.

    Saving holds the row of the watch where the database has row locks, so of two who save at once the second counts on
    from the first.
    """
    values = values_of(watch)
    last = watch.versions.order_by("-number").first()
    if last is None or last.wish != values:
        number = last.number + 1 if last else 1
        WatchVersion.objects.create(watch=watch, number=number, at=now, by=by, wish=values)
