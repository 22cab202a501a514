"""The audit log, the steps of orders and the ledger, sealed in a chain afterwards: whoever edits, removes or adds a row
behind our back is found out, with the place.

Nothing of this happens in the transactions that write those rows. Each seal has the digests of its rows and covers the
seal before it; what is above a number that was written down elsewhere cannot be cut off unnoticed either.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from django.db import IntegrityError, models, transaction

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditEntry, AuditKind, Seal, SealCheck

from .models import LedgerEntry, OrderStep

log = structlog.get_logger(__name__)

# A transaction that is under way for longer has its rows sealed later, if no more than so many others overtook it.
DELAY = timedelta(minutes=1)
OVERTAKERS = 1000
MOST_ROWS = 500
MOST_SEALS = 20
RETIRE = "retire_seals"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows that are only added, and which of their columns a seal covers. A column of later is never put in here."""

    model: type[models.Model]
    columns: tuple[str, ...]

    @property
    def rows(self) -> Any:
        """All of them."""
        return self.model._default_manager.all()  # noqa: SLF001 - its documented name


TABLES = {
    "audit": Table(
        model=AuditEntry,
        columns=(
            "at", "user_id", "kind", "actor", "name", "way", "act", "thing", "thing_id", "subject", "before", "after",
            "reason", "outcome", "source", "trace",
        ),
    ),
    "step": Table(
        model=OrderStep,
        columns=("order_id", "number", "verb", "before", "after", "actor", "evidence", "at"),
    ),
    "ledger": Table(model=LedgerEntry, columns=("scope_id", "order_id", "step", "kind", "amount", "at")),
}  # fmt: skip


def seal(*, now: datetime) -> int:
    """Seal what was written since, within bounds; how many rows. Of two who do it at once one seals nothing."""
    sealed = 0
    for _ in range(MOST_SEALS):
        added = sum(_seal_some(name, now) for name in TABLES)
        sealed += added
        if not added:
            break
    return sealed


def _seal_some(name: str, now: datetime) -> int:
    digests = _unsealed(name, now)
    if not digests:
        return 0
    try:
        with transaction.atomic():
            _add(name, digests, now)
    except IntegrityError:
        return 0
    return len(digests)


def _add(name: str, digests: dict[str, str], now: datetime) -> None:
    last = Seal.objects.order_by("-number").first()
    made = Seal(number=last.number + 1 if last else 1, table=name, rows=digests, at=now)
    made.last_row = max(int(pk) for pk in digests)
    made.digest = _digest(made, last.digest if last else "")
    made.save(force_insert=True)
    log.info("audit.sealed", number=made.number, rows=len(digests), digest=made.digest)


def _unsealed(name: str, now: datetime) -> dict[str, str]:
    """Digests of the first rows without a seal: those after the last sealed one, and the few it overtook."""
    floor = _floor(name)
    recent = Seal.objects.filter(table=name, last_row__gt=floor).values_list("rows", flat=True)
    known = {int(pk) for rows in recent for pk in rows}
    rows = TABLES[name].rows.filter(pk__gt=floor, at__lte=now - DELAY).order_by("pk")
    ids = [pk for pk in rows.values_list("pk", flat=True)[: OVERTAKERS + MOST_ROWS] if pk not in known]
    return _digests(name, ids[:MOST_ROWS])


def _floor(name: str) -> int:
    last = Seal.objects.filter(table=name).order_by("-last_row").values_list("last_row", flat=True).first()
    return max(0, (last or 0) - OVERTAKERS)


def _digests(name: str, ids: list[int]) -> dict[str, str]:
    columns = TABLES[name].columns
    found = TABLES[name].rows.filter(pk__in=ids).order_by("pk").values("pk", *columns)
    return {str(row["pk"]): _hash([name, row["pk"], [_plain(row[column]) for column in columns]]) for row in found}


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def _digest(seal: Seal, before: str) -> str:
    return _hash([before, seal.number, seal.table, seal.rows, _plain(seal.at)])


def _hash(told: Any) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def verify(*, now: datetime, knows: str = "") -> SealCheck:
    """Compare every seal with its rows and with the one before; the first thing that is wrong is the place.

    ``knows`` is a digest of earlier that must be in the chain.
    """
    last = Seal.objects.order_by("-number").first()
    place = next(_troubles(), "")
    if not place and knows and not Seal.objects.filter(digest=knows).exists():
        place = f"seal {knows[:12]} is missing"
    if place:
        log.error("audit.broken", place=place)
    return SealCheck.objects.create(at=now, until=last.at if last else None, place=place)


def _troubles() -> Iterator[str]:
    retired, before, number = _retired(), "", 0
    for number, one in enumerate(Seal.objects.order_by("number").iterator(chunk_size=50), start=1):
        if one.number != number or _digest(one, before) != one.digest:
            yield f"seal {number} was changed or is missing"
        yield from _of_rows(one, gone=one.table == "audit" and one.number <= retired)
        before = one.digest
    for name in TABLES:
        yield from _slipped_in(name)


def _of_rows(seal: Seal, *, gone: bool) -> Iterator[str]:
    """What is wrong with the rows of a seal; rows whose time is over may be ``gone``."""
    if seal.table not in TABLES:
        yield f"seal {seal.number} is of no table"
        return
    now = _digests(seal.table, [int(pk) for pk in seal.rows])
    for pk, digest in seal.rows.items():
        if pk not in now and not gone:
            yield f"{seal.table} {pk} was removed (seal {seal.number})"
        elif pk in now and now[pk] != digest:
            yield f"{seal.table} {pk} was changed (seal {seal.number})"


def _slipped_in(name: str) -> Iterator[str]:
    """Rows that stand among sealed ones and are in no seal."""
    floor = _floor(name)
    seals = Seal.objects.filter(table=name).values_list("rows", flat=True).iterator(chunk_size=50)
    known = {int(pk) for rows in seals for pk in rows}
    for pk in TABLES[name].rows.filter(pk__lte=floor).order_by("pk").values_list("pk", flat=True).iterator():
        if pk not in known:
            yield f"{name} {pk} was put in between"


def retire(*, before: datetime, now: datetime) -> int:
    """Remove entries of the audit log that were sealed before then; how many. Their seals stay, and that it was done
    stands in the log. Steps of orders and the ledger are kept for good.
    """
    last = Seal.objects.filter(table="audit", at__lt=before).order_by("-number").first()
    if last is None or last.number <= _retired():
        return 0
    rows = Seal.objects.filter(table="audit", number__lte=last.number, number__gt=_retired())
    ids = [int(pk) for one in rows.values_list("rows", flat=True) for pk in one]
    with transaction.atomic():
        gone = AuditEntry.objects.filter(pk__in=ids).exclude(act=RETIRE).delete()[0]
        on = auditing.Thing(kind="seal", id=last.number)
        auditing.write(kind=AuditKind.SYSTEM, act=RETIRE, user_id=None, on=on, after={"entries": gone}, now=now)
    return gone


def _retired() -> int:
    """Up to which seal entries of the audit log were removed by ourselves."""
    told = AuditEntry.objects.filter(act=RETIRE, user=None).order_by("-pk").values_list("thing_id", flat=True).first()
    return int(told) if told else 0
