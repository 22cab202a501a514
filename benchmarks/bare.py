"""A Redis and settings of a measurement's own, without an installation around them."""

import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def own_redis() -> Iterator[str]:
    """Start an empty server, set Django up with it and an empty folder; gives its address."""
    from tests import servers

    port, password = free_port(), secrets.token_hex(8)
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as name:
        process = servers.start_redis(port=port, password=password, folder=Path(name))
        url = f"redis://:{password}@127.0.0.1:{port}/0"
        os.environ |= {"DATA_DIR": name, "REDIS_URL": url, "DJANGO_SETTINGS_MODULE": "monitor_site.settings"}
        import django

        django.setup()
        try:
            yield url
        finally:
            servers.stop(process)
