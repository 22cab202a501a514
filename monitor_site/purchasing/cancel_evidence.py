"""What looks at a purchase prove about a request to cancel it that nobody knows the outcome of. Pure.

That it came through shows in the purchase itself. That it did not is believed only when whoever sent it is dead, all
that may lag has caught up, and several looks still saw the purchase standing. Money hangs on neither.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor_site.contract import PurchaseStage

from .evidence import ENOUGH, Case
from .models import CancelOutcome

TAKEN = frozenset({PurchaseStage.CANCEL_ASKED, PurchaseStage.CANCELLED})
STANDING = frozenset(
    {PurchaseStage.WAIT_PAYMENT, PurchaseStage.WAIT_SHIPPING, PurchaseStage.SHIPPED, PurchaseStage.RECEIVED}
)


@dataclass(frozen=True, slots=True)
class StageSeen:
    """The purchase was in this stage at a moment."""

    at: datetime
    stage: str


def conclude(case: Case, looks: Sequence[StageSeen]) -> CancelOutcome | None:
    """What follows from all looks so far; ``None``: nobody knows yet."""
    if any(look.stage in TAKEN for look in looks):
        return CancelOutcome.DONE
    standing = sorted(look.at for look in looks if look.stage in STANDING and look.at >= case.horizon)
    if len(standing) < ENOUGH or standing[-1] - standing[0] < case.horizon - case.send_deadline:
        return None
    return CancelOutcome.NOT_DONE
