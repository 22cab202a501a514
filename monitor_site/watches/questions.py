"""Which questions a watch asks, and who asks a target: coalescing."""

import hashlib
import unicodedata
from datetime import datetime
from typing import Any

from django.db.models import Min

from monitor_site.contract import SearchCriteria, canonical
from monitor_site.marketplaces.catalog import catalog
from monitor_site.outbox import services as outbox

from .models import Target, Watch, WatchTarget

TOPIC = "target"


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


def link(*, watch: Watch, now: datetime) -> None:
    """Make the watch ask exactly its questions; new links begin with a silent baseline. Inside a transaction."""
    wanted = {_target(watch, criteria, now).pk for criteria in questions(watch)}
    asked = set(watch.links.values_list("target_id", flat=True))
    watch.links.filter(target_id__in=asked - wanted).delete()
    WatchTarget.objects.bulk_create([WatchTarget(watch=watch, target_id=pk) for pk in sorted(wanted - asked)])
    settle(target_ids=wanted | asked, now=now)


def _target(watch: Watch, criteria: str, now: datetime) -> Target:
    key = target_key(marketplace=watch.marketplace, kind="search", criteria=criteria)
    defaults = {
        "marketplace": watch.marketplace,
        "criteria": criteria,
        "interval_seconds": watch.interval_seconds,
        "created_at": now,
    }
    return Target.objects.get_or_create(key=key, defaults=defaults)[0]


def settle(*, target_ids: set[int], now: datetime) -> None:
    """Bring targets in line with who asks them: active or not, the shortest wished interval. Inside a transaction."""
    wishes = dict(
        WatchTarget.objects.filter(target_id__in=target_ids, watch__paused_at=None)
        .values_list("target_id")
        .annotate(shortest=Min("watch__interval_seconds"))
    )
    for target in Target.objects.filter(pk__in=target_ids).order_by("pk"):
        _settle_one(target, wishes.get(target.pk))
    outbox.write(topic=TOPIC, object_ids=target_ids, now=now)


def _settle_one(target: Target, shortest: int | None) -> None:
    active = shortest is not None and target.quarantined_at is None
    wished = shortest if shortest is not None else target.interval_seconds
    Target.objects.filter(pk=target.pk).update(active=active, interval_seconds=wished)
