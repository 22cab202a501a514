"""Rows that stories about watches begin with."""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from monitor_site.watches.models import Check, Listing, Match, Target, Watch, WatchTarget


def make_watch(user: Any, now: datetime, **changes: Any) -> Watch:
    """A watch that was made ten days before and is fine."""
    made = now - timedelta(days=10)
    values = {
        "name": "camera",
        "marketplaces": ["mercari"],
        "must": ["ルミナ"],
        "created_at": made,
        "updated_at": made,
    }
    return Watch.objects.create(user=user, **(values | changes))


def make_target(watch: Watch, now: datetime, **changes: Any) -> Target:
    """A question that was answered half a minute before, with rows."""
    number = Target.objects.count()
    values = {
        "marketplace": watch.marketplaces[0],
        "key": hashlib.sha256(f"{watch.pk}-{number}".encode()).hexdigest(),
        "criteria": f'{{"keyword":"question {number}"}}',
        "interval_seconds": watch.interval_seconds,
        "recent": {"m1": "digest"},
        "checked_at": now - timedelta(seconds=30),
        "succeeded_at": now - timedelta(seconds=30),
        "created_at": watch.created_at,
    }
    target = Target.objects.create(**(values | changes))
    WatchTarget.objects.create(watch=watch, target=target, began_at=watch.created_at, baselined_at=watch.created_at)
    return target


def make_watches(user: Any, now: datetime, count: int) -> list[Watch]:
    """Watches with a question, runs and a match each."""
    watches = [make_watch(user, now, name=f"watch {number:03d}") for number in range(count)]
    for watch in watches:
        make_checks(make_target(watch, now), now, ["ok", "failed", "ok"])
        make_match(watch, now)
    return watches


def make_checks(target: Target, now: datetime, outcomes: list[str], **changes: Any) -> list[Check]:
    """Runs of a target, the last one at ``now``; a failed one did not get an answer."""
    return [
        Check.objects.create(**(_check(target, now - timedelta(minutes=back), outcome) | changes))
        for back, outcome in zip(reversed(range(len(outcomes))), outcomes, strict=True)
    ]


def _check(target: Target, at: datetime, outcome: str) -> dict[str, Any]:
    return {
        "target": target,
        "trace": "trace",
        "worker": "worker",
        "outcome": outcome,
        "error": "unavailable" if outcome == "failed" else "",
        "due_at": at,
        "started_at": at,
        "finished_at": at,
        "lateness_ms": 3,
        "duration_ms": 200,
    }


def make_listing(now: datetime, **changes: Any) -> Listing:
    """A thing on sale."""
    values = {
        "marketplace": "mercari",
        "external_id": f"m{Listing.objects.count():011d}",
        "title": "ルミナ カメラ",
        "url": "https://jp.mercari.com/item/m1",
        "price": 5000,
        "currency": "JPY",
        "kind": "flea",
        "status": "on_sale",
        "condition": "good",
        "shipping": "included",
        "images": ["https://static.mercdn.net/1.jpg"],
        "first_seen_at": now,
        "seen_at": now,
        "observed_at": now,
        "digest": "digest",
    }
    return Listing.objects.create(**(values | changes))


def make_match(watch: Watch, at: datetime, listing: Listing | None = None, **changes: Any) -> Match:
    """A listing that met the watch."""
    thing = listing or make_listing(at)
    values = {"cause": "listed", "price": thing.price, "trace": "trace", "matched_at": at}
    return Match.objects.create(user=watch.user, watch=watch, listing=thing, **(values | changes))
