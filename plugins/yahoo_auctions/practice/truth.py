"""The truth log: what really happened in the practice market, as JSON lines that are only ever appended."""

from collections import deque
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from .clock import Clock

TAIL = 1000


class Truth:
    """Writes events; the last ``TAIL`` of them stay readable in memory. ``totals`` counts requests and faults."""

    def __init__(self, clock: Clock, path: Path | None) -> None:
        self._clock = clock
        self._tail: deque[dict[str, Any]] = deque(maxlen=TAIL)
        self._file: BinaryIO | None = _open(path) if path else None
        self.totals: dict[str, int] = {}

    def write(self, event: str, **facts: Any) -> None:
        """Append one event with virtual time ``at`` and real time ``wall``, both unix seconds."""
        line = {"event": event, "at": round(self._clock.now(), 3), "wall": round(self._clock.wall(), 3), **facts}
        self._tail.append(line)
        if self._file is not None:
            self._file.write(orjson.dumps(line) + b"\n")

    def count(self, what: str) -> None:
        """Count one of ``what``."""
        self.totals[what] = self.totals.get(what, 0) + 1

    def tail(self, most: int) -> list[dict[str, Any]]:
        """The last ``most`` events, oldest first."""
        return list(self._tail)[-most:] if most > 0 else []

    def close(self) -> None:
        """Write the totals and close the file."""
        self.write("closed", totals=self.totals)
        if self._file is not None:
            self._file.close()
            self._file = None


def _open(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("ab", buffering=0)
