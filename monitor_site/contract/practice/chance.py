"""Chance that can be repeated."""

import hashlib
from random import Random


def random_for(*parts: object) -> Random:
    """A random source that is the same in every process for the same parts."""
    text = "\x1f".join(map(str, parts)).encode()
    return Random(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big"))
