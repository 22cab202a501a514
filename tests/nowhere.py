"""A port where nobody listens, and nobody can begin to: a port that is only free may be somebody's a moment later."""

import atexit
import socket
from functools import cache


@cache
def closed_port() -> int:
    """It is bound for the life of this process and never listened on, so every connection is refused at once."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    atexit.register(held.close)
    return int(held.getsockname()[1])
