"""A port that stays closed: one that is only free now may be somebody's a moment later."""

import atexit
import socket
from functools import cache


@cache
def closed_port() -> int:
    """Nobody listens there or can begin to: it is bound as long as this process lives, and refuses every connection."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    atexit.register(held.close)
    return int(held.getsockname()[1])
