"""What a check hands to the database, and what the database says about its target afterwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from monitor_site.contract import Sighting
from monitor_site.contract.same import OfTheSame

from .facts import digest

LONGEST_REST = timedelta(minutes=15)


@dataclass(frozen=True, kw_only=True)
class Result:
    """One run of one target.

    ``fence`` and ``due_ms`` come from the lease. Either ``error`` is empty and ``sightings`` is what was found, or
    ``error`` is the code of what went wrong. ``lateness_ms`` is start less due. ``usual`` is what the gateway wants to
    remember of the question, even after a failure; ``None`` leaves it as it is. ``wait_seconds`` is how long the
    question should rest after a failure, beyond its usual back-off; ``None`` when nobody says. ``worded`` counts rows
    that have a word of the question, see :mod:`.strangers`; ``None`` where nobody has counted.
    """

    target_id: int
    fence: int
    due_ms: int
    trace: str
    worker: str
    started_at: datetime
    finished_at: datetime
    lateness_ms: int
    error: str = ""
    sightings: Sequence[Sighting] = ()
    pages: int = 0
    bytes: int = 0
    bad_rows: int = 0
    gap: bool = False
    usual: Mapping[str, Any] | None = None
    wait_seconds: float | None = None
    worded: int | None = None

    @property
    def failed(self) -> bool:
        """The check ended with an error."""
        return bool(self.error)

    @cached_property
    def shown(self) -> dict[str, str]:
        """External id → digest of what it found; nobody may change it."""
        return _SHOWN.of(self.sightings, conclude=_shown)


_SHOWN: OfTheSame[Sequence[Sighting], dict[str, str]] = OfTheSame(most=256)


def _shown(sightings: Sequence[Sighting]) -> dict[str, str]:
    return {sighting.external_id: digest(sighting) for sighting in sightings}


def asked_rest(result: Result) -> timedelta:
    """How long the marketplace wants this question to rest, as far as we go along with it."""
    return timedelta(seconds=max(0.0, min(result.wait_seconds or 0.0, LONGEST_REST.total_seconds())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the schedule must know of a target when it comes back: due again or not, on which beat, how much later.

    ``due_ms``: not on a beat but at this very time. ``rank`` is its turn among others, empty for the usual one.
    """

    target_id: int
    key: str
    active: bool
    interval_seconds: int
    delay_ms: int = 0
    due_ms: int | None = None
    rank: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapse:
    """A time between two good answers of a target of which results are missing or came late.

    ``gap``: more was new at its end than the search was read for.
    """

    target_id: int
    since: datetime
    until: datetime
    gap: bool


@dataclass(slots=True, kw_only=True)
class Recorded:
    """Outcome of a recording. ``stale`` are targets whose result did not count since a newer one was there."""

    standings: list[Standing] = field(default_factory=list)
    stale: set[int] = field(default_factory=set)
    matches: list[int] = field(default_factory=list)
    health_changed: set[int] = field(default_factory=set)
    lapses: list[Lapse] = field(default_factory=list)
