"""Serve an ASGI application the way home wants it: on a socket that is open already, without an access log."""

import socket
from typing import Any

import uvicorn

from .ports import HERE


def serve(application: Any, *, fd: int | None, port: int, patience: int) -> None:
    """Serve until a signal ends it; open streams get ``patience`` seconds.

    ``fd`` is an open, listening socket; without one it listens on ``port`` of this machine.
    """
    config = uvicorn.Config(
        application,
        host=HERE,
        port=port,
        access_log=False,
        log_config=None,
        log_level="warning",
        timeout_graceful_shutdown=patience,
    )
    sockets = None if fd is None else [socket.socket(fileno=fd)]
    uvicorn.Server(config).run(sockets=sockets)
