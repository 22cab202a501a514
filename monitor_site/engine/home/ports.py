"""Ports. Home binds web and practice markets itself and hands the socket on: nobody can take the port in between,

and whoever connects while a process starts again waits instead of being refused.
"""

import socket
from contextlib import suppress

HERE = "127.0.0.1"
NEIGHBOURS = 20


def free_port() -> int:
    """A port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return port_of(probe)


def port_of(sock: socket.socket) -> int:
    """The port a socket is bound to."""
    return int(sock.getsockname()[1])


def listener(wanted: int) -> socket.socket:
    """A listening socket on ``wanted``, else on one of the ports after it, else on any; 0 means any."""
    for port in range(wanted, min(wanted + NEIGHBOURS, 65536) if wanted else 0):
        with suppress(OSError):
            return _listen(port)
    return _listen(0)


def _listen(port: int) -> socket.socket:
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        _check_free(port)
        sock.bind((HERE, port))
        sock.listen(512)
    except OSError:
        sock.close()
        raise
    return sock


def _check_free(port: int) -> None:
    """Some systems let two programs bind one port; a connection tells."""
    with socket.socket() as probe:
        if port and probe.connect_ex((HERE, port)) == 0:
            raise OSError(f"port {port} is taken")
