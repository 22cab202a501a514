"""The shelf: what answers one keyword."""

import unicodedata
from collections import deque
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

# A keyword with this word honestly has no answers.
NOTHING = "該当なし"


def fold(text: str) -> str:
    """Text as the market's own search compares it."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class Titled(Protocol):
    """A listing whose title can be searched."""

    @property
    def folded(self) -> str:
        """The title as :func:`fold` gives it."""


L = TypeVar("L", bound=Titled)


class UnknownListing(LookupError):
    """No such listing, or the market has forgotten it."""


@dataclass(slots=True, eq=False)
class Shelf(Generic[L]):
    """All listings whose title holds every word of ``keyword``, newest first; ``made`` were made for it.

    ``asked`` and ``fed`` are the virtual seconds of the last question and of the last new listing.
    """

    keyword: str
    words: tuple[str, ...]
    asked: float
    fed: float
    members: list[L] = field(default_factory=list)
    made: deque[L] = field(default_factory=deque)
    times_asked: int = 0
    rarest: str = field(init=False)

    def __post_init__(self) -> None:
        self.rarest = max(self.words, key=len, default="")

    @property
    def can_grow(self) -> bool:
        """Whether something new may be made for this keyword: not for everything, and not for nothing."""
        return bool(self.words) and NOTHING not in self.words

    def holds(self, listing: L) -> bool:
        """Whether a listing belongs here. The longest word, which fits the fewest, is tried first."""
        return self.rarest in listing.folded and all(word in listing.folded for word in self.words)
