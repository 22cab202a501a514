"""Acts that concern everybody are written down with who, what and why."""

from datetime import datetime
from typing import Any

from .models import AuditEntry


def note(*, user: Any, act: str, subject: str, reason: str, outcome: str, now: datetime) -> AuditEntry:  # noqa: PLR0913
    """Add an entry; what was done is said by ``outcome``. An entry is never changed."""
    return AuditEntry.objects.create(
        at=now,
        user=user,
        name=user.get_username(),
        act=act,
        subject=subject[:120],
        reason=reason[:200],
        outcome=outcome[:80],
    )
