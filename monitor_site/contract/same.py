"""What was concluded from a value holds for that very value: most answers are the last ones again. Plain Python."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")
V = TypeVar("V")


class OfTheSame(Generic[T, V]):
    """Conclusions from single objects that nobody changes; at least the last ``most`` of them, at most twice as many.

    It keeps the object with its conclusion, so that no other one takes its place. It may be asked from several threads:
    at worst two of them conclude the same.
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._recent: dict[Hashable, tuple[T, V]] = {}
        self._earlier: dict[Hashable, tuple[T, V]] = {}

    def __len__(self) -> int:
        return len(self._recent) + len(self._earlier)

    def of(self, thing: T, *beside: Hashable, conclude: Callable[[T], V]) -> V:
        """What ``conclude`` makes of ``thing``; ``beside`` is what else it depends on. What it raises is not kept."""
        place = (id(thing), *beside)
        # Each taken once: another thread may put a new one in its place meanwhile.
        recent, earlier = self._recent, self._earlier
        if place in recent:
            return recent[place][1]
        kept = earlier[place] if place in earlier else (thing, conclude(thing))
        self._keep(place, kept)
        return kept[1]

    def _keep(self, place: Hashable, kept: tuple[T, V]) -> None:
        if len(self._recent) >= self._most:
            self._recent, self._earlier = {}, self._recent
        self._recent[place] = kept
