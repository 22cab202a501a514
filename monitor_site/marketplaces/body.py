"""Read a body without believing what it says about its size.

We unpack ourselves, in bounded steps: a client that unpacks whole chunks can be made to fill the memory by a few
hundred kilobytes.
"""

import zlib

from monitor_site.contract import LayoutChanged

PACKED = {"gzip", "x-gzip"}
PLAIN = {"", "identity"}


class CappedBody:
    """Collects a body. Raises :class:`LayoutChanged` when it is too large, before or after unpacking, or broken.

    ``raw_cap`` and ``decoded_cap`` are bytes; ``encoding`` is the answer's content encoding, gzip or none.
    """

    def __init__(self, *, encoding: str, raw_cap: int, decoded_cap: int) -> None:
        if encoding not in PACKED | PLAIN:
            raise LayoutChanged(f"answered in an encoding nobody asked for: {encoding[:40]}")
        self.raw = 0
        self._raw_cap = raw_cap
        self._decoded_cap = decoded_cap
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding in PACKED else None
        # One buffer, not a list of parts: a body may come in millions of them.
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take the next piece as it came from the network."""
        self.raw += len(chunk)
        if self.raw > self._raw_cap:
            raise LayoutChanged(f"more than {self._raw_cap} bytes")
        self._body += self._unpack(chunk)
        if len(self._body) > self._decoded_cap:
            raise LayoutChanged(f"more than {self._decoded_cap} bytes after unpacking")

    def whole(self) -> bytes:
        """The body, when all of it has come."""
        if self._unpacker is not None and self.raw and not self._unpacker.eof:
            raise LayoutChanged("a packed answer ends in the middle")
        return bytes(self._body)

    def _unpack(self, chunk: bytes) -> bytes:
        if self._unpacker is None:
            return chunk
        if self._unpacker.eof:
            return _refuse_more(chunk)
        try:
            part = self._unpacker.decompress(chunk, self._decoded_cap - len(self._body) + 1)
        except zlib.error as error:
            raise LayoutChanged(f"a packed answer cannot be unpacked: {error}") from error
        return part + _refuse_more(self._unpacker.unused_data)


def _refuse_more(after: bytes) -> bytes:
    """Half an answer is none: what follows the end may be padding and nothing else."""
    if after.strip(b"\0"):
        raise LayoutChanged("a packed answer goes on after its end")
    return b""
