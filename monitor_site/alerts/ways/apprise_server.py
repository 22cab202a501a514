"""The process that lets Apprise send: one forked child a message, watched by an audit hook, ended by the kernel.

Run as ``python -m``, with an empty environment and a private folder as its only place. Knows neither Django nor the
database. What it is told comes over the socket, one line of JSON a message; it ends when its standard input does, which
is when whoever started it is gone.
"""

import base64
import contextlib
import json
import logging
import mimetypes
import os
import resource
import select
import signal
import socketserver
import sys
from typing import Any

import apprise
import psutil
from apprise.attachment.memory import AttachMemory
from apprise.manager_plugins import NotificationManager

from monitor_site.networks import Networks

from .apprise_guard import Guard
from .apprise_record import Record

MOST_AT_ONCE = 32
SPARE_BYTES = 384 * 1024 * 1024
"""Memory a child may take beyond what it has from its parent."""
READ_SECONDS = 5.0
LOOK_SECONDS = 0.2


class Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """Forks for each message; looks between them whether its parent still lives."""

    max_children = MOST_AT_ONCE + 8
    request_queue_size = 64

    def __init__(self, path: str, networks: Networks) -> None:
        super().__init__(path, Delivery)
        self.networks = networks
        self.memory_bytes = psutil.Process().memory_info().vms + SPARE_BYTES
        self._parent = os.getppid()

    def service_actions(self) -> None:
        """Called a few times a second, and after each message."""
        super().service_actions()
        # A fork of the parent may still hold the other end of our input.
        if _input_has_ended() or os.getppid() != self._parent:
            os.killpg(0, signal.SIGKILL)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Silence: a traceback could show what a person has entrusted to us."""


def _input_has_ended() -> bool:
    return bool(select.select([0], [], [], 0)[0]) and not os.read(0, 1)


class Delivery(socketserver.StreamRequestHandler):
    """One message, in a child of its own."""

    server: Server

    def handle(self) -> None:
        """Read what to send, give up every right that sending does not need, send, and tell what came back."""
        limit(READ_SECONDS)
        # Else the next message could wait at a door that nobody opens, should our parent die.
        self.server.socket.close()
        told = json.loads(self.rfile.readline())
        limit(told["seconds"])
        limit_rights(self.server.memory_bytes)
        record = Record(report=self._report, hasty=told["hasty"])
        record.watch_requests()
        Guard(networks=self.server.networks, violated=record.unsafe).begin()
        record.end(taken=deliver(told))

    def _report(self, found: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(found).encode())
        self.wfile.flush()
        # At once and without any clean-up of the libraries: the parent's are not ours to tidy.
        os._exit(0)


def limit(seconds: float) -> None:
    """The kernel ends this process then; no ``except`` anywhere is asked."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))


def limit_rights(memory_bytes: int) -> None:
    """Memory, no file that grows, no dump."""
    for what, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # not every system knows every limit
            resource.setrlimit(what, (most, most))


def deliver(told: dict[str, Any]) -> bool | None:
    """Send; whether Apprise says it went well, ``None`` when it cannot read where to."""
    asset = apprise.AppriseAsset(app_id="Marketplace monitor", image_url_mask=None, image_url_logo=None)
    try:
        service = apprise.Apprise.instantiate(told["to"], asset=asset, suppress_exceptions=False)
    except Exception:  # noqa: BLE001 - of 140 authors; what it says may hold the secret
        return None
    if service is None:
        return None
    adjust(service)
    return send_through(service, told)


def adjust(service: Any) -> None:
    """We keep the pace ourselves; and DingTalk's signature is quoted by the client, so it must not come quoted."""
    service.request_rate_per_sec = 0
    if service.secure_protocol == "dingtalk":
        signed = service.get_signature
        service.get_signature = lambda: tuple(map(service.unquote, signed()))


def send_through(service: Any, told: dict[str, Any]) -> bool:
    """Hand one message over."""
    sender = apprise.Apprise(asset=service.asset)
    sender.add(service)
    try:
        sent = sender.notify(
            title=told["title"],
            body=told["body"],
            body_format=apprise.NotifyFormat(told["format"]),
            attach=attached(told["picture"]),
        )
    except Exception:  # noqa: BLE001 - as above
        return False
    return bool(sent)


def attached(picture: dict[str, str] | None) -> Any:
    """The picture, from memory: a child can open no file."""
    if picture is None:
        return None
    found = apprise.AppriseAttachment()
    data = base64.b64decode(picture["data"])
    found.add(AttachMemory(content=data, name=picture["name"], mimetype=picture["media_type"]))  # type: ignore[no-untyped-call]
    return found


def main(path: str, networks: Networks) -> None:
    """Load all that a child will need, and serve."""
    logging.disable()  # Apprise logs addresses
    mimetypes.init()
    NotificationManager().load_modules()  # type: ignore[no-untyped-call]
    with Server(path, networks) as server:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        # What goes wrong at the start is heard; what libraries say later could hold what a person has entrusted to us.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        server.serve_forever(LOOK_SECONDS)


if __name__ == "__main__":
    given = json.loads(sys.argv[2])
    main(sys.argv[1], Networks.read(given["named"], own=given["own"]))
