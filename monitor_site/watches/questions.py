"""Which questions a watch asks, and who asks a target: coalescing."""

import hashlib
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Min, OuterRef

from monitor_site.contract import SearchCriteria, canonical
from monitor_site.marketplaces.catalog import catalog
from monitor_site.outbox import services as outbox

from .models import Target, TargetKind, Watch, WatchTarget

TOPIC = "target"
CHECK_NOW = "check_now"
MOST_HEALED = 1000


def target_key(*, marketplace: str, kind: str, criteria: str) -> str:
    """The unique key of a question: no salt, so that equal questions meet on every machine."""
    return hashlib.sha256(f"{marketplace}\n{kind}\n{criteria}".encode()).hexdigest()


def questions(watch: Watch) -> list[str]:
    """The canonical criteria a watch asks for: one, or one for each of its "at least one of" words.

    Words are sorted: their order does not change what is found, and equal questions are asked once.
    """
    tails = watch.any_of or [""]
    return sorted({canonical(_criteria(watch, [*watch.must, tail])) for tail in tails})


def _criteria(watch: Watch, words: list[str]) -> SearchCriteria:
    shape = catalog().get(watch.marketplace).manifest.criteria
    options: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in watch.options.items()}
    return shape(keyword=" ".join(sorted(unicodedata.normalize("NFKC", word) for word in words if word)), **options)


def link(*, watch: Watch, now: datetime, quiet: bool) -> None:
    """Make the watch ask exactly its questions; a new link begins with a baseline, silent when ``quiet``.

    Inside a transaction. Targets are locked before links, as a recording locks them.
    """
    wanted = {_target(watch, criteria, now).pk for criteria in questions(watch)}
    asked = set(watch.links.values_list("target_id", flat=True))
    lock(wanted | asked)
    watch.links.filter(target_id__in=asked - wanted).delete()
    WatchTarget.objects.bulk_create(
        [WatchTarget(watch=watch, target_id=pk, began_at=now, quiet=quiet) for pk in sorted(wanted - asked)],
        ignore_conflicts=True,
    )
    settle(target_ids=wanted | asked, now=now)


def lock(target_ids: Iterable[int]) -> dict[int, Target]:
    """Hold these rows, in one order for everybody, until the transaction ends; where the database has row locks."""
    rows = Target.objects.select_for_update().filter(pk__in=list(target_ids)).order_by("pk")
    return {row.pk: row for row in rows}


def _target(watch: Watch, criteria: str, now: datetime) -> Target:
    key = target_key(marketplace=watch.marketplace, kind=TargetKind.SEARCH, criteria=criteria)
    defaults = {
        "marketplace": watch.marketplace,
        "criteria": criteria,
        "interval_seconds": watch.interval_seconds,
        "created_at": now,
    }
    return Target.objects.get_or_create(key=key, defaults=defaults)[0]


def begin_again(*, watch: Watch, began_at: datetime) -> None:
    """The next answer is a baseline again, and silent; what is listed from ``began_at`` on is new."""
    watch.links.update(baselined_at=None, began_at=began_at, quiet=True)


def settle(*, target_ids: Iterable[int], now: datetime) -> None:
    """Bring targets in line with who asks them: active or not, the shortest wished interval.

    Inside a transaction. The rows are locked before the wishes are read, so that of two people who come and go at
    once the second sees what the first has done.
    """
    rows = {pk: row for pk, row in lock(target_ids).items() if not row.is_look}
    wishes = _wishes(rows)
    changed = [row.pk for row in rows.values() if _settle_one(row, wishes.get(row.pk))]
    waiting = WatchTarget.objects.filter(target_id__in=rows, baselined_at=None, watch__paused_at=None)
    outbox.write(topic=TOPIC, object_ids={*changed, *waiting.values_list("target_id", flat=True)}, now=now)


def _wishes(target_ids: Iterable[int]) -> dict[int, int]:
    asked = WatchTarget.objects.filter(target_id__in=list(target_ids), watch__paused_at=None)
    return dict(asked.values_list("target_id").annotate(shortest=Min("watch__interval_seconds")))


def _settle_one(target: Target, shortest: int | None) -> bool:
    """Whether anything changed; a target nobody asks keeps its interval."""
    wanted = shortest is not None and target.quarantined_at is None
    seconds = shortest if shortest is not None else target.interval_seconds
    if (wanted, seconds) == (target.active, target.interval_seconds) and target.checked_at is not None:
        return False
    Target.objects.filter(pk=target.pk).update(active=wanted, interval_seconds=seconds)
    return True


@transaction.atomic
def heal(*, now: datetime) -> int:
    """Settle the targets whose row does not say what their watches say; returns how many (there should be none)."""
    asked = WatchTarget.objects.filter(target=OuterRef("pk"), watch__paused_at=None)
    wrong = (
        Target.objects.searches().filter(quarantined_at=None).annotate(asked=Exists(asked)).exclude(active=F("asked"))
    )
    ids = list(wrong.values_list("pk", flat=True)[:MOST_HEALED])
    settle(target_ids=ids, now=now)
    return len(ids)
