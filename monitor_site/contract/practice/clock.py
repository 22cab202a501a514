"""The practice market's own time: it can run fast and be pushed ahead, never back."""

import time
from collections.abc import Callable


class Clock:
    """Virtual unix seconds, equal to real ones until somebody changes the speed or advances.

    What a client signs or dates is still judged by :attr:`wall`: the client's clock is real.
    """

    def __init__(self, wall: Callable[[], float] = time.time) -> None:
        self.wall = wall
        self.speed = 1.0
        self._from_wall = wall()
        self._from_virtual = self._from_wall

    def now(self) -> float:
        """Virtual unix seconds."""
        return self._from_virtual + (self.wall() - self._from_wall) * self.speed

    def advance(self, seconds: float) -> None:
        """Jump ahead; raises ``ValueError`` for a negative distance."""
        if seconds < 0:
            raise ValueError("time does not run back")
        self._rebase(self.now() + seconds)

    def run_at(self, speed: float) -> None:
        """Let virtual seconds pass ``speed`` times as fast; 0 stands still; raises ``ValueError`` below 0."""
        if speed < 0:
            raise ValueError("time does not run back")
        self._rebase(self.now())
        self.speed = speed

    def _rebase(self, virtual: float) -> None:
        self._from_virtual, self._from_wall = virtual, self.wall()
