"""All that an installation keeps of one person, as files of plain JSON; no secret is among them."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from monitor_site.accounts.models import AuditEntry, User
from monitor_site.alerts.models import Alert, Channel, Feed
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing.models import Budget, BuyRule, Cancellation, LedgerEntry, Order, OrderStep
from monitor_site.watches.models import Block, Match, Note, Tag, Watch, WatchVersion

MOST = 100_000
"""Rows of one file, the newest; the page says so."""

# Only these are named where a row has secrets beside them.
PERSON = ("username", "first_name", "last_name", "email", "date_joined", "last_login", "language", "time_zone", "theme",
          "second_currency", "start_page")  # fmt: skip
CHANNEL = ("id", "kind", "name", "language", "is_default", "tells", "least", "quiet_from", "quiet_until", "created_at")
ACCOUNT = ("id", "marketplace", "label", "known_as", "created_at", "removed_at")
FEED = ("id", "name", "kind", "watch_id", "created_at", "read_at", "reader")
THING = ("listing__marketplace", "listing__external_id", "listing__title", "listing__url")
MATCH = ("id", "watch_id", "state", "cause", "price", "matched_at", "listing__currency", *THING)
NOTE = ("text", "updated_at", *THING)
ORDER = ("public_id", "kind", "mode", "way", "state", "currency", "price", "shipping", "price_max", "paid", "reference",
         "reason", "watch_id", "account_id", "created_at", "stood_since", *THING)  # fmt: skip
STEP = ("order__public_id", "number", "verb", "before", "after", "actor", "at")
CANCELLATION = ("order__public_id", "epoch", "actor", "outcome", "reason", "asked_at", "answered_at")
ENTRY = (
    "order__public_id",
    "scope__budget_id",
    "scope__period",
    "scope__starts",
    "scope__measure",
    "kind",
    "amount",
    "at",
)

Rows = Callable[[Any], Any]
FILES: Mapping[str, Rows] = {
    "person": lambda user: User.objects.filter(pk=user.pk).values(*PERSON),
    "watches": lambda user: Watch.objects.of(user).values(),
    "watch-versions": lambda user: WatchVersion.objects.filter(watch__user=user).values(
        "watch_id", "number", "at", "wish"
    ),
    "tags": lambda user: Tag.objects.of(user).values("id", "name"),
    "blocks": lambda user: Block.objects.of(user).values(),
    "notes": lambda user: Note.objects.filter(user=user).values(*NOTE),
    "matches": lambda user: Match.objects.of(user).values(*MATCH),
    "alerts": lambda user: Alert.objects.filter(user=user).values("kind", "facts", "created_at"),
    "channels": lambda user: Channel.objects.of(user).values(*CHANNEL),
    "feeds": lambda user: Feed.objects.filter(user=user).values(*FEED),
    "marketplace-accounts": lambda user: MarketplaceAccount.objects.filter(user=user).values(*ACCOUNT),
    "budgets": lambda user: Budget.objects.of(user).values(),
    "buying-rules": lambda user: BuyRule.objects.filter(user=user).values(),
    "orders": lambda user: Order.objects.of(user).values(*ORDER),
    "order-steps": lambda user: OrderStep.objects.filter(order__user=user).values(*STEP),
    "cancellations": lambda user: Cancellation.objects.filter(order__user=user).values(*CANCELLATION),
    "ledger": lambda user: LedgerEntry.objects.filter(order__user=user).values(*ENTRY),
    "activity": lambda user: AuditEntry.objects.filter(user=user).values(),
}


def own_data(user: Any) -> bytes:
    """A ZIP with one file of JSON for each kind of row."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in FILES.items():
            with archive.open(f"{name}.json", "w", force_zip64=True) as file:
                for text in _lines(rows(user).order_by("-pk")[:MOST]):
                    file.write(text.encode())
    return kept.getvalue()


def _lines(rows: Any) -> Iterator[str]:
    before = "[\n"
    for row in rows.iterator(chunk_size=500):
        yield before + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"
