"""What a process that sends may do: connect to addresses that are allowed, read Python's own files, and nothing else.

An audit hook hears of it whoever does it, and cannot be taken away again. Standard library only.
"""

import os
import ssl
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

import certifi

from monitor_site.networks import Networks

CONNECTS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
LIBRARIES = ("stdlib", "platstdlib", "purelib", "platlib")
MAIL_PORTS = {465, 587}
USUAL_PORT = 443
FILES = {"open", "os.listdir", "os.scandir"}
NEVER = (
    *("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty."),
    *("ctypes.", "syslog.", "shutil.", "sqlite3.", "socket.bind", "webbrowser.", "os.kill", "signal.pthread_kill"),
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"),
)


class Refused(PermissionError):
    """A deed that sending a message does not need."""


class Guard:
    """Watches this process from :meth:`begin` on; ``violated`` hears of every attempt to reach a forbidden place."""

    def __init__(self, *, networks: Networks, violated: Callable[[], None]) -> None:
        self._networks = networks
        self._violated = violated
        self._roots = _python_and_certificates()

    def begin(self) -> None:
        """From here on, for good."""
        sys.addaudithook(self._judge)

    def _judge(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in CONNECTS:
            self._judge_address(arguments[1])
        elif event in FILES:
            self._judge_file(event, arguments)
        elif event.startswith(NEVER):
            self._violated()
            raise Refused(event)

    def _judge_address(self, address: Any) -> None:
        """Numeric addresses only: a name could mean something else to whoever looks it up next."""
        try:
            allowed = isinstance(address, tuple) and self._allows(str(address[0]), address[1])
        except (ValueError, IndexError):
            allowed = False
        if not allowed:
            self._violated()
            raise Refused("not an address to send to")

    def _allows(self, address: str, port: int) -> bool:
        """As for the web, and the ports where a user's own mail server takes letters."""
        return self._networks.allows(address, USUAL_PORT if port in MAIL_PORTS else port)

    def _judge_file(self, event: str, arguments: tuple[Any, ...]) -> None:
        path, *how = arguments
        if isinstance(path, int):
            return  # opened already
        writes = event == "open" and bool(how[-1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
        # Apprise looks for files of its own and does without, so this alone ends nothing.
        if writes or path is None or not self._is_known(os.fsdecode(path)):
            raise Refused("not a file to open")

    def _is_known(self, path: str) -> bool:
        found = os.path.realpath(path)
        return any(
            found == root or (root.endswith(os.sep) and (found + os.sep).startswith(root)) for root in self._roots
        )


def _python_and_certificates() -> tuple[str, ...]:
    """Folders and files that only the operator writes, and that hold nothing of his."""
    told = ssl.get_default_verify_paths()
    folders = (*map(sysconfig.get_path, LIBRARIES), told.capath, told.openssl_capath)
    files = (certifi.where(), told.cafile, told.openssl_cafile, "/dev/urandom")
    wanted = [os.path.realpath(folder) + os.sep for folder in folders if folder]
    return (*wanted, *(os.path.realpath(file) for file in files if file))
