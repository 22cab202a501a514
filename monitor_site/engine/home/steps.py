"""What is done before anything runs: the database's tables and the static files."""

import hashlib
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from . import Trouble
from .console import Console


def database(console: Console) -> None:
    """Apply migrations that are not applied yet. Raises :class:`Trouble` when the database cannot be used."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if missing:
            console.step("database", f"{connection.vendor}: applying {len(missing)} migrations ...")
            call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as error:
        raise Trouble(f"The database cannot be used: {str(error).strip()}") from error
    finally:
        connections.close_all()
    console.step("database", f"{connection.vendor}, up to date")


def static_files(console: Console) -> None:
    """Collect, hash and compress static files when any of them changed."""
    stamp = settings.STATIC_ROOT / ".collected"
    fresh = fingerprint()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == fresh:
        console.step("static files", "unchanged")
        return
    console.step("static files", "collecting and compressing ...")
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    call_command("collectstatic", verbosity=0, interactive=False, clear=True)
    stamp.write_text(fresh, encoding="utf-8")


def fingerprint() -> str:
    """Changes with any static file, and with the versions of those who prepare them."""
    digest = hashlib.sha256(f"{version('django')} {version('whitenoise')} {settings.STORAGES}".encode())
    for finder in get_finders():
        for name, storage in sorted(finder.list([]), key=lambda found: str(found[0])):
            if isinstance(storage, FileSystemStorage):
                look = Path(storage.path(name)).stat()
                digest.update(f"{name} {look.st_size} {look.st_mtime_ns}\n".encode())
    return digest.hexdigest()
