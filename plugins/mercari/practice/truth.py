"""The truth log, with the requests of each minute."""

from pathlib import Path

from monitor_site.contract.practice import Clock, Truth


class MinuteTruth(Truth):
    """Each finished real minute in which something was counted becomes one event ``minute``."""

    def __init__(self, clock: Clock, path: Path | None) -> None:
        super().__init__(clock, path)
        self._wall = clock.wall
        self._minute = int(clock.wall() // 60)
        self._counts: dict[str, int] = {}

    def count(self, what: str) -> None:
        """Count one of ``what``, in the minute that runs and in all."""
        self._turn()
        self._counts[what] = self._counts.get(what, 0) + 1
        super().count(what)

    def _turn(self) -> None:
        minute = int(self._wall() // 60)
        if minute != self._minute:
            self._write_minute()
        self._minute = minute

    def _write_minute(self) -> None:
        if self._counts:
            self.write("minute", start=self._minute * 60, counts=self._counts)
            self._counts = {}

    def close(self) -> None:
        """Write the running minute and close the file."""
        self._write_minute()
        super().close()
