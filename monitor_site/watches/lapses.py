"""Times of which the results of a question are missing or not whole, for the people who wait for them.

Written when a check brings results again, kept in Redis for a few hours, and lost with it: what each check brought
stands in the database, this only spares a page from reading them all.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import redis

from monitor_site.connections import key

from .models import Target
from .results import Lapse, Result

# A check that failed once or came late is no matter for people.
SHORTEST = timedelta(minutes=5)
BEATS = 3
KEPT = timedelta(hours=3)
MOST = 5


def lapse_of(target: Target, result: Result) -> Lapse | None:
    """What this counted result ends; ``target`` stands as before it. ``None`` when nothing was missed."""
    since = target.succeeded_at
    if not target.is_search or result.failed or since is None:
        return None
    away = result.started_at - since >= max(SHORTEST, BEATS * timedelta(seconds=target.interval_seconds))
    if not away and not result.gap:
        return None
    return Lapse(target_id=target.pk, since=since, until=result.started_at, gap=result.gap)


def keep(client: redis.Redis, lapses: Iterable[Lapse]) -> None:
    """Write these down beside the last ones of their targets."""
    new = {lapse.target_id: lapse for lapse in lapses}
    if not new:
        return
    known = read(client, new)
    pipe = client.pipeline(transaction=False)
    for target_id, lapse in new.items():
        kept = [*known.get(target_id, ()), lapse][-MOST:]
        pipe.set(_key(target_id), json.dumps([_plain(one) for one in kept]), ex=KEPT)
    pipe.set(key("lapses"), 1, ex=KEPT)
    pipe.execute()


def any_lately(client: redis.Redis) -> bool:
    """Whether any target had one in the last hours: usually none had, and nobody needs to be asked about."""
    return bool(client.exists(key("lapses")))


def read(client: redis.Redis, target_ids: Collection[int]) -> Mapping[int, list[Lapse]]:
    """The lapses of these targets that ended in the last hours, the oldest first."""
    ids = sorted(target_ids)
    texts: Any = client.mget([_key(pk) for pk in ids]) if ids else []
    return {pk: [_lapse(pk, one) for one in json.loads(text)] for pk, text in zip(ids, texts, strict=True) if text}


def _key(target_id: int) -> str:
    return key("lapses", target_id)


def _plain(lapse: Lapse) -> list[Any]:
    return [lapse.since.timestamp(), lapse.until.timestamp(), lapse.gap]


def _lapse(target_id: int, told: list[Any]) -> Lapse:
    since, until = (datetime.fromtimestamp(seconds, tz=UTC) for seconds in told[:2])
    return Lapse(target_id=target_id, since=since, until=until, gap=bool(told[2]))
