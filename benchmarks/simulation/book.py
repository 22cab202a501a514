"""What a story is told to."""

from datetime import datetime
from typing import Any, Protocol

from monitor_site.purchasing.asking import Answer, Census, Question


class Book(Protocol):
    """Orders and money, in memory or in rows."""

    limit: int
    units: int

    def knew(self, account: int, number: str, listing: str, at: datetime) -> None:
        """A purchase that was known before."""
        ...

    def open_order(self, name: str, listing: str, account: int, now: datetime) -> bool:
        """A proposal that is approved at once; whether its money is held."""
        ...

    def begin(self, name: str, now: datetime) -> int | None:
        """T1: the epoch, if it may be submitted."""
        ...

    def may_commit(self, name: str, epoch: int, now: datetime) -> bool:
        """T2: whether it still may be sent."""
        ...

    def conclude(self, name: str, epoch: int, outcome: str, number: str, now: datetime) -> bool:
        """T3: whether what a sender says counted."""
        ...

    def wake(self, now: datetime) -> None:
        """Lose sight of what nobody ended."""
        ...

    def questions(self, now: datetime) -> list[Question]:
        """Claim what is due."""
        ...

    def settle(self, question: Question, answer: Answer, now: datetime) -> None:
        """Write down what was seen, and conclude."""
        ...

    def followed(self, account: int) -> tuple[frozenset[str], frozenset[str]]:
        """The numbers that are known, and the listings that are followed."""
        ...

    def record(self, account: int, census: Census, now: datetime) -> None:
        """What a sweep saw."""
        ...

    def say(self, name: str, *, bought: bool, now: datetime) -> None:
        """Its person says what is so."""
        ...

    def look_at(self, name: str) -> None:
        """Its person has looked at a late find."""
        ...

    def throw(self, *, stopped: bool, now: datetime) -> None:
        """The kill switch."""
        ...

    def picture(self) -> dict[str, Any]:
        """Where everything stands."""
        ...
