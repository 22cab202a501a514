"""After a backup was restored: the database is older than the marketplace, so nothing it says of orders is certain."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox.models import OutboxRow

from . import cancelling, switching
from .models import Order, Sweep, Way
from .moving import Because, Overtaken, move
from .sweeping import RESTORED
from .transitions import State, Verb

RESTORER = "restore"
REASON = "a backup of the database was restored"
# More steps and epochs than anything can have taken since the backup: whoever still remembers that time is overtaken.
AHEAD = 1000
OVERLAP = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was done: orders ended that may have been sent since, those to be asked about, accounts to be swept."""

    ended: int
    asked: int
    swept: int


@transaction.atomic
def take_over(*, backup_at: datetime, now: datetime) -> Restored:
    """Stop everybody's spending, overtake everybody who remembers more, and have every account compared with us.

    What the marketplace shows is tied to its orders, or shown as not ordered from here; a person resumes spending.
    """
    switching.stop(user=None, reason=REASON, now=now)
    Order.objects.update(steps=F("steps") + AHEAD)
    OutboxRow.objects.update(epoch=F("epoch") + AHEAD)
    cancelling.forget(now=now)
    return Restored(
        ended=sum(_end(order, now) for order in _sendable()),
        asked=Order.objects.filter(state__in=[State.SUBMITTING, State.UNKNOWN]).count(),
        swept=_plan_sweeps(backup_at - OVERLAP, now),
    )


def _sendable() -> list[Order]:
    """Orders of ours that had not been sent when the backup was made. Since then they may have been."""
    states = [State.PROPOSED, State.AWAITING_APPROVAL, State.READY]
    return list(Order.objects.filter(state__in=states, way=Way.PARTNER_API).order_by("pk"))


def _end(order: Order, now: datetime) -> bool:
    try:
        move(order=order, verb=Verb.CANCEL, because=Because(actor=RESTORER, fields={"reason": RESTORED}), now=now)
    except Overtaken:
        return False
    return True


def _plan_sweeps(since: datetime, now: datetime) -> int:
    accounts = MarketplaceAccount.objects.filter(user__isnull=False)
    rows = [Sweep(account=account, due_at=now, shows_since=since) for account in accounts]
    Sweep.objects.bulk_create(rows, ignore_conflicts=True)
    Sweep.objects.filter(account__in=accounts).update(due_at=now)
    Sweep.objects.filter(account__in=accounts, shows_since__gt=since).update(shows_since=since)
    return len(rows)
