"""What a buy rule and budgets said at a moment of the past, told by the record of their changes."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor_site.accounts.models import AuditEntry

Thing = tuple[str, str]
RULE, BUDGET = "buy_rule", "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The wording of a thing at a moment: the how many-th it was, since when, and all it said.

    ``row`` is the entry of the record that made it so; ``changed``: it says something else by now.
    """

    number: int
    since: datetime
    said: dict[str, Any]
    row: int
    changed: bool


def versions_then(*, user_id: int, moments: dict[Thing, datetime]) -> dict[Thing, Version]:
    """The wording of each of these at its moment; a thing whose changes nobody wrote down is left out. One query."""
    kinds, ids = {kind for kind, _id in moments}, {pk for _kind, pk in moments}
    entries = AuditEntry.objects.filter(user=user_id, thing__in=kinds, thing_id__in=ids).order_by("at", "pk")
    by_thing: dict[Thing, list[AuditEntry]] = {thing: [] for thing in moments}
    for entry in entries if moments else ():
        by_thing.get((entry.thing, entry.thing_id), []).append(entry)
    found = {thing: _version(rows, moments[thing]) for thing, rows in by_thing.items()}
    return {thing: version for thing, version in found.items() if version is not None}


def _version(entries: Collection[AuditEntry], then: datetime) -> Version | None:
    before = [entry for entry in entries if entry.at <= then]
    if not before or before[-1].act == "remove":
        return None
    last = before[-1]
    changed = len(before) < len(entries)
    return Version(number=len(before), since=last.at, said=_said(before), row=last.pk, changed=changed)


def _said(entries: Iterable[AuditEntry]) -> dict[str, Any]:
    """Each entry names only what it changed; a removal takes everything away."""
    said: dict[str, Any] = {}
    for entry in entries:
        said = {} if entry.act == "remove" else said | entry.after
    return said
