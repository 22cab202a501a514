"""What an installation keeps in its folder, and what of its settings nobody is shown."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

KIND_FILE = "kind"
ONLY_PRACTICE = ("practice_ports.json", "practice")
"""What a practice installation leaves behind; those that are older than ``KIND_FILE`` are known by it."""


class Unshown(str):
    """A value that no debug page and no listing of settings shows."""

    def __repr__(self) -> str:
        return "'***'"


def open_folder(folder: Path) -> None:
    """Make it when it is missing, for the owner's eyes only: sessions and passwords lie in its database."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def kept(path: Path, make: Callable[[], str]) -> str:
    """What a file holds; made once, whole or not at all, for the owner's eyes only."""
    if not path.exists():
        fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(make())
        _put(fresh, path)
    return path.read_text(encoding="utf-8").strip()


def _put(fresh: Path, path: Path) -> None:
    """Of two processes that come at once the first one's file stays, for both."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    except OSError:  # a disk without hard links
        fresh.replace(path)
    fresh.unlink(missing_ok=True)


def demand_kind(folder: Path, *, live: bool) -> None:
    """Live and practice data never lie in one folder. Raises ``ImproperlyConfigured`` when this one is the other's."""
    wanted = "live" if live else "practice"
    found = wanted
    with suppress(OSError):  # where nothing can be written nothing is mixed
        found = kept(folder / KIND_FILE, lambda: _known_kind(folder) or wanted)
    if found != wanted:
        raise ImproperlyConfigured(
            f"{folder} holds {found} data, and this is {wanted}: "
            + ("leave LIVE=1 out" if live else "say LIVE=1")
            + ", or choose another folder with DATA_DIR."
        )


def _known_kind(folder: Path) -> str:
    return "practice" if any((folder / name).exists() for name in ONLY_PRACTICE) else ""
