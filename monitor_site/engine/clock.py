"""Redis server time, read from a local monotonic clock."""

import time


class ServerClock:
    """Learns the offset from every lease reply; between replies the local monotonic clock carries it on."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def local(self) -> float:
        """Local monotonic seconds."""
        return time.monotonic()

    def learn(self, *, server_us: int, sent: float) -> None:
        """A reply with server time ``server_us`` came just now to a call sent at ``sent``.

        The server read its clock some time between sending and now; the middle errs by half the round trip at most.
        """
        middle = (sent + time.monotonic()) / 2
        self._offset = server_us / 1_000_000 - middle

    def server(self) -> float:
        """Server time in epoch seconds."""
        return time.monotonic() + self._offset
