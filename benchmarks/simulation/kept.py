"""An order as the memory of a simulation keeps it."""

from dataclasses import dataclass, field
from datetime import datetime

from monitor_site.purchasing.evidence import Look
from monitor_site.purchasing.transitions import State


@dataclass
class Kept:
    """An order and what is known of it."""

    name: str
    listing: str
    account: int
    created_at: datetime
    state: State = State.PROPOSED
    steps: int = 0
    epoch: int = 0
    reference: str = ""
    reason: str = ""
    ask_at: datetime | None = None
    late: bool = False
    lost_at: datetime | None = None
    begun_at: datetime | None = None
    deadline: datetime | None = None
    open: bool = False
    told_at: datetime | None = None
    looks: list[Look] = field(default_factory=list)
    entries: list[tuple[str, int]] = field(default_factory=list)

    @property
    def standing(self) -> tuple[str, int]:
        """What a step is conditional on."""
        return self.state, self.steps
