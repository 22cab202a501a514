"""The truth log, with the totals at its end."""

from monitor_site.contract.practice import Truth


class SummedTruth(Truth):
    """Its last event, ``closed``, holds the totals."""

    KEPT = 1000

    def close(self) -> None:
        """Write the totals and close the file."""
        self.write("closed", totals=self.totals)
        super().close()
