"""What a practice market really did, read from its truth log. Pure."""

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from monitor_site.contract import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """How a listing stood from ``wall`` (unix seconds) on: its price in minor units, or ``None``, and its state."""

    wall: float
    price: int | None
    state: str


@dataclass(slots=True, kw_only=True)
class Life:
    """One listing over time. ``visible_at`` is when search began to show it."""

    title: str
    visible_at: float
    moments: list[Moment] = field(default_factory=list)

    def between(self, start: float, end: float) -> list[Moment]:
        """How it stood at any time from ``start`` to ``end``."""
        begins = [moment.wall for moment in self.moments]
        first = max(0, bisect_right(begins, start) - 1)
        return self.moments[first : bisect_right(begins, end)]

    def is_on_sale(self, start: float, end: float) -> bool:
        """Whether search had to show it all the time from ``start`` to ``end``."""
        stood = self.between(start, end)
        return self.visible_at <= start and bool(stood) and all(one.state == Status.ON_SALE for one in stood)


def read_lives(log: Path) -> dict[str, Life]:
    """External id → life, from the truth log of one practice market."""
    with log.open(encoding="utf-8") as lines:
        return lives_of(json.loads(line) for line in lines)


def lives_of(events: Iterable[dict[str, Any]]) -> dict[str, Life]:
    """External id → life, from events in their order. An event about a listing carries ``id`` and ``state``."""
    lives: dict[str, Life] = {}
    for event in events:
        if "id" in event and "state" in event:
            _take(event, lives)
    return lives


def _take(event: dict[str, Any], lives: dict[str, Life]) -> None:
    name = event["id"]
    if name not in lives:
        lives[name] = Life(title=event.get("title", ""), visible_at=event.get("visible_at", event["wall"]))
    lives[name].moments.append(Moment(wall=event["wall"], price=event.get("price"), state=event["state"]))
