"""What the page of the record shows, as plain values."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse

from monitor_site.accounts.models import AuditEntry, AuditKind, SealCheck
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing.models import Budget
from monitor_site.watches.models import Watch

from .activity_query import Fact, rank_of
from .activity_words import THINGS, WAYS, act_words, changes_of, step_change, who_did, who_stepped
from .order_words import state_words
from .query_filters import query_string
from .watch_diff import Change

PAGES = {"budget": "budget", "watch": "watch", "buy_rule": "watch-buying", "account": "market-account"}
ROWS = {"budget": Budget, "watch": Watch, "buy_rule": Watch, "account": MarketplaceAccount}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One fact: ``key`` is its name in addresses, ``href`` where its object stands, if it still does.

    ``same`` is the query of all facts about that object.
    """

    key: str
    at: datetime
    money: bool
    who: str
    how: str = ""
    thing: str = ""
    what: str
    words: str = ""
    href: str = ""
    foreign: bool = False
    changes: list[Change] = field(default_factory=list)
    reason: str = ""
    source: str = ""
    trace: str = ""
    same: str = ""


def lines_of(facts: Sequence[Fact], reader: Any) -> list[Line]:
    """Facts in words."""
    there = _still_there(facts, reader)
    return [
        _of_entry(one, reader, there) if isinstance(one, AuditEntry) else _of_step(one) for one in facts
    ]  # fmt: skip


def _still_there(facts: Sequence[Fact], reader: Any) -> set[tuple[str, str]]:
    """Which of the things of these facts one can still open."""
    found = set()
    for thing, rows in ROWS.items():
        ids = {one.thing_id for one in facts if isinstance(one, AuditEntry) and one.thing == thing}
        named = [pk for pk in ids if pk.isdecimal()]
        theirs = rows._default_manager.filter(pk__in=named, user=reader) if named else []  # noqa: SLF001
        found |= {(thing, str(row.pk)) for row in theirs}
    return found


def _of_entry(entry: AuditEntry, reader: Any, there: set[tuple[str, str]]) -> Line:
    opens = (entry.thing, entry.thing_id) in there
    return Line(
        key=f"{rank_of(entry)}{entry.pk}",
        at=entry.at,
        money=entry.kind == AuditKind.MONEY,
        who=who_did(entry, reader),
        how=str(WAYS.get(entry.way, "")),
        thing=str(THINGS.get(entry.thing, "")),
        what=act_words(entry),
        words=entry.subject,
        href=reverse(PAGES[entry.thing], args=[entry.thing_id]) if opens else "",
        changes=changes_of(entry),
        reason=entry.reason,
        source=entry.source,
        trace=entry.trace,
        same=query_string({"thing": entry.thing, "id": entry.thing_id}) if entry.thing_id else "",
    )


def _of_step(step: Any) -> Line:
    order = step.order
    return Line(
        key=f"{rank_of(step)}{step.pk}",
        at=step.at,
        money=True,
        who=who_stepped(step),
        thing=str(THINGS["order"]),
        what=state_words(step.after),
        words=order.listing.title,
        href=reverse("order", args=[order.public_id]),
        foreign=True,
        changes=step_change(step),
        trace=order.trace,
        same=query_string({"thing": "order", "id": order.public_id}),
    )


def plain(line: Line) -> dict[str, Any]:
    """A line for programs."""
    told = asdict(line)
    del told["same"]
    told["changes"] = [
        {"field": one.label, "before": list(one.gone), "after": list(one.come)} for one in line.changes
    ]  # fmt: skip
    return told | {"at": line.at.isoformat()}


def last_check() -> SealCheck | None:
    """How the last comparison of all seals ended; ``None`` before the first."""
    return SealCheck.objects.order_by("-at", "-pk").first()
