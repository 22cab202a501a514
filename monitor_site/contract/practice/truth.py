"""The truth log: what the practice market really did and accepted, one JSON object a line, only ever appended."""

import os
import weakref
from collections import deque
from pathlib import Path
from typing import Any, ClassVar

import orjson

from .clock import Clock


class Truth:
    """Writes events; the last :attr:`KEPT` of them stay readable in memory. ``totals`` counts requests and faults.

    An event about a listing carries its ``id``, ``state`` (a value of the contract's Status) and ``price`` as buyers
    are shown it; its first one ``title`` and ``visible_at`` too. By these ``manage.py check_truth`` reads any log.

    A market that wants more in its log than single events, such as sums at the end, says so in a subclass.
    """

    KEPT: ClassVar[int] = 2000

    def __init__(self, clock: Clock, path: Path | None) -> None:
        self._clock = clock
        self._tail: deque[dict[str, Any]] = deque(maxlen=self.KEPT)
        self._file = _open(path) if path else None
        self._closer = weakref.finalize(self, os.close, self._file) if self._file is not None else None
        self.totals: dict[str, int] = {}

    def write(self, event: str, **facts: Any) -> None:
        """Append one event with virtual time ``at`` and real time ``wall``, both unix seconds."""
        line = {"event": event, "at": round(self._clock.now(), 3), "wall": round(self._clock.wall(), 3), **facts}
        self._tail.append(line)
        if self._file is not None:
            os.write(self._file, orjson.dumps(line) + b"\n")

    def count(self, what: str) -> None:
        """Count one of ``what``."""
        self.totals[what] = self.totals.get(what, 0) + 1

    def tail(self, most: int) -> list[dict[str, Any]]:
        """The last ``most`` events, oldest first."""
        return list(self._tail)[-most:] if most > 0 else []

    def close(self) -> None:
        """Close the file; what is written later stays in memory only."""
        if self._closer:
            self._closer()
            self._file = self._closer = None


def _open(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
