"""What was read once need not be read again: most of an answer is what the last one said. Plain Python."""

from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T")
DIGEST_BYTES = 20


class ReadBefore(Generic[T]):
    """What a pure reader made of the same bytes before; at least the last ``most`` of them, at most twice as many.

    Only for values that nobody changes. It keeps digests, not the bytes, and may be asked from several threads: at
    worst two of them read the same.
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._recent: dict[Hashable, T] = {}
        self._earlier: dict[Hashable, T] = {}

    def __len__(self) -> int:
        return len(self._recent) + len(self._earlier)

    def of(self, content: bytes, *beside: Hashable, read: Callable[[], T]) -> T:
        """What ``read`` makes of ``content``; ``beside`` is whatever else it depends on. What it raises is not kept."""
        place = (blake2b(content, digest_size=DIGEST_BYTES).digest(), *beside)
        # Each taken once: another thread may put a new one in its place meanwhile.
        recent, earlier = self._recent, self._earlier
        if place in recent:
            return recent[place]
        found = earlier[place] if place in earlier else read()
        self._keep(place, found)
        return found

    def _keep(self, place: Hashable, found: T) -> None:
        if len(self._recent) >= self._most:
            self._recent, self._earlier = {}, self._recent
        self._recent[place] = found
