"""Ports. Home binds web and practice markets itself and hands the socket on: nobody can take the port in between,

and whoever connects while a process starts again waits instead of being refused.
"""

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from django.conf import settings

HERE = "127.0.0.1"
NEIGHBOURS = 20
PORTS_FILE = "practice_ports.json"


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


def remembered_ports() -> dict[str, int]:
    """Where the practice markets listened last time: what was found then has addresses of pictures there."""
    try:
        found: dict[str, int] = json.loads((settings.DATA_DIR / PORTS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def remember_ports(addresses: Mapping[str, str]) -> None:
    """Note where they listen now."""
    ports = {name: urlsplit(address).port for name, address in addresses.items()}
    (settings.DATA_DIR / PORTS_FILE).write_text(json.dumps(ports), encoding="utf-8")
