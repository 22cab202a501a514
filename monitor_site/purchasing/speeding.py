"""The velocity breaker: who orders this fast is more likely a mistake than a person, and is stopped."""

from datetime import datetime, timedelta
from typing import Any

from .models import Submission, SubmissionOutcome, Switch
from .switching import stop

MOST = 5
WINDOW = timedelta(minutes=10)
REASON = "too fast"


def is_too_fast(*, user_id: int, now: datetime) -> bool:
    """Whether :data:`MOST` orders of a person went out in the :data:`WINDOW`, and since they last took back a stop.

    Exact where the caller holds the person's switch.
    """
    switch = Switch.objects.filter(user=user_id).first()
    since = max(now - WINDOW, switch.changed_at) if switch else now - WINDOW
    recent = Submission.objects.filter(order__user=user_id, begun_at__gte=since)
    return recent.exclude(outcome=SubmissionOutcome.NOT_SENT).count() >= MOST


def trip(*, user: Any, now: datetime) -> None:
    """Stop all spending of the person, as their own switch would."""
    stop(user=user, reason=REASON, now=now)


def stopped_at(user_id: int) -> datetime:
    """When the person's spending was stopped."""
    switch = Switch.objects.get(user=user_id)
    return switch.stopped_at or switch.changed_at
