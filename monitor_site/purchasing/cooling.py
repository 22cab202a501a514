"""What an account does after failures in a row: it rests, twice as long each time."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from monitor_site.contract import RefusalKind
from monitor_site.marketplaces.models import MarketplaceAccount

from .models import Order, Submission, SubmissionOutcome
from .suitability import Objection

FAILURES = 3
FIRST, LONGEST = timedelta(minutes=15), timedelta(hours=24)
LOOKED_BACK = 20
REASON, DEARER = "cool_down", "dearer"
# These say something of the account; every other refusal is about the listing, and so is what our own look found.
OF_THE_ACCOUNT = frozenset(
    {
        RefusalKind.ADDRESS_INVALID,
        RefusalKind.PAYMENT_REQUIRED,
        RefusalKind.ACCOUNT_RESTRICTED,
        RefusalKind.VERIFICATION_REQUIRED,
        RefusalKind.AUTH_EXPIRED,
    }
)
NO_FAILURES = {*Objection, *(set(RefusalKind) - OF_THE_ACCOUNT), "kept_back"}


def failures_of(account_id: int) -> int:
    """How many submissions of an account failed one after the other, up to now."""
    rows = Submission.objects.filter(order__account=account_id).exclude(outcome=SubmissionOutcome.OPEN)
    return _in_a_row(rows.order_by("-pk").values_list("outcome", "evidence")[:LOOKED_BACK])


def _in_a_row(outcomes: Iterable[tuple[str, dict[str, Any]]]) -> int:
    """An unknown outcome ends the row as a success does: it keeps the account from ordering by itself."""
    count = 0
    for outcome, evidence in outcomes:
        if outcome in {SubmissionOutcome.PLACED, SubmissionOutcome.UNKNOWN}:
            break
        count += evidence.get("reason") not in NO_FAILURES
    return count


def rest_after(failures: int) -> timedelta | None:
    """How long an account rests after so many failures in a row."""
    if failures < FAILURES:
        return None
    times: int = 2 ** (failures - FAILURES)
    return min(LONGEST, FIRST * times)


def cool_down(*, order: Order, now: datetime) -> None:
    """Have the account of an order rest if it must; a longer pause stays as it is."""
    last = order.submissions.order_by("-pk").first()
    if order.account_id is None or last is None or last.evidence.get("reason") in NO_FAILURES:
        return
    rest = rest_after(failures_of(order.account_id))
    if rest is not None:
        _pause(order.account_id, now + rest, REASON)


def stop_account(*, order: Order, now: datetime) -> None:
    """The marketplace took more than it was allowed to: nothing more goes out for a day, or until a person ends it."""
    if order.account_id is not None:
        _pause(order.account_id, now + LONGEST, DEARER)


def _pause(account_id: int, until: datetime, reason: str) -> None:
    shorter = MarketplaceAccount.objects.filter(Q(paused_until=None) | Q(paused_until__lt=until))
    shorter.filter(pk=account_id).update(paused_until=until, pause_reason=reason)
