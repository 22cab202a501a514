"""Real rows for stories about pages."""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from monitor_site.accounts.models import User
from monitor_site.watches.models import Cause, Listing, Match, MatchState, Watch


def watch_of(user: User, *, now: datetime, name: str = "Lumina", **fields: Any) -> Watch:
    """A watch that asks for ルミナ."""
    wish = {"marketplaces": ["mercari"], "must": ["ルミナ"]} | fields
    return Watch.objects.create(user=user, name=name, created_at=now, updated_at=now, **wish)


def listing(number: int, *, now: datetime, **fields: Any) -> Listing:
    """A listing that went on sale a little before ``now``."""
    standard = {
        "marketplace": "mercari",
        "external_id": f"m{number:011d}",
        "title": f"ルミナ カメラ {number}",
        "url": f"https://jp.mercari.com/item/m{number:011d}",
        "price": 1000 + number,
        "currency": "JPY",
        "kind": "fixed",
        "status": "on_sale",
        "condition": "good",
        "shipping": "included",
        "digest": hashlib.md5(str(number).encode()).hexdigest(),
    }
    moments = dict.fromkeys(("first_seen_at", "seen_at", "observed_at"), now) | {
        "listed_at": now - timedelta(seconds=3)
    }
    return Listing.objects.create(**standard | moments | fields)


def match(watch: Watch, number: int, *, now: datetime, **fields: Any) -> Match:
    """A match with a new listing; fields of the listing begin with ``listing_``."""
    own = {key: value for key, value in fields.items() if not key.startswith("listing_")}
    thing = {key.removeprefix("listing_"): value for key, value in fields.items() if key.startswith("listing_")}
    standard = {"state": MatchState.NEW, "cause": Cause.LISTED, "trace": "t", "matched_at": now, "decision": [VERDICT]}
    return Match.objects.create(
        user=watch.user, watch=watch, listing=listing(number, now=now, **thing), **standard | own
    )


VERDICT = {"rule": "must", "verdict": "pass", "saw": "", "wanted": "ルミナ", "words": ["ルミナ"]}
