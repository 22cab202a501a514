"""Makes ``.venv`` and installs a lock file into it: ``install.py requirements.txt``. Done already: says nothing.

Run by whatever Python 3.11+ the machine has, so it uses nothing but the standard library.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PINNED = re.compile(r"^[A-Za-z0-9][\w.\[\],-]*==", re.MULTILINE)
# Of a mirror on a disk, pip names the file.
VERB = r"^(?:Collecting|Processing|Requirement already satisfied:)"
ARRIVED = re.compile(VERB + r"\s+(?:\S*/)?([A-Za-z0-9_.]+).*\(line \d+\)")
LAST_LINES = 20


def say(text: str, *, end: str = "\n") -> None:
    """One line for the person."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def works() -> bool:
    """Whether the environment's Python starts; a moved folder or an updated system breaks it."""
    if not PYTHON.exists():
        return False
    check = [str(PYTHON), "-c", "import pip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))"]
    return subprocess.run(check, capture_output=True, check=False).returncode == 0


def make_environment() -> None:
    """Create ``.venv``, over a broken one if need be."""
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"Making the environment in .venv with Python {version} ...")
    done = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"The environment could not be made:\n{(done.stderr or done.stdout).strip()}")


def mark_of(lock: Path) -> str:
    """Changes with the lock file."""
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def pip_command(lock: Path) -> list[str]:
    """Install exactly what is locked; hashes are checked since every line has one."""
    options = ("--require-hashes", "--prefer-binary", "--no-input", "--disable-pip-version-check", "--progress-bar=off")
    return [str(PYTHON), "-m", "pip", "install", *options, "--no-color", "-r", str(lock)]


def install(lock: Path) -> None:
    """Run pip and show how far it is."""
    total = len(PINNED.findall(lock.read_text(encoding="utf-8")))
    say(f"Installing {total} packages from {lock.name} (a minute or two, once) ...")
    started = time.monotonic()
    environment = os.environ | {"PIP_USER": "0", "PIP_ROOT_USER_ACTION": "ignore", "PYTHONUNBUFFERED": "1"}
    environment.pop("PYTHONPATH", None)
    process = subprocess.Popen(
        pip_command(lock),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    lines = follow(process, total)
    if process.wait():
        sys.exit("\nThe installation failed. pip's last words:\n" + "\n".join(lines[-LAST_LINES:]))
    say(f"Installed in {time.monotonic() - started:.0f} s.")


def follow(process: "subprocess.Popen[str]", total: int) -> list[str]:
    """Count packages as pip names them; on a terminal in one line that changes, else every tenth."""
    lines: list[str] = []
    seen: set[str] = set()
    for line in process.stdout or ():
        lines.append(line.rstrip())
        if found := ARRIVED.match(line):
            seen.add(found[1])
            show(f"  {len(seen)} of {total}: {found[1]}", loud=len(seen) % 10 == 0)
        elif line.startswith("Installing collected packages"):
            show("  unpacking ...", loud=True)
    if sys.stdout.isatty():
        say("\r\033[K", end="")
    return lines


def show(text: str, *, loud: bool) -> None:
    """A step of progress."""
    if sys.stdout.isatty():
        say(f"\r\033[K{text}", end="")
    elif loud:
        say(text)


def main(name: str) -> None:
    """Bring ``.venv`` to what the lock file says, unless a stamp tells that it is there already."""
    lock = ROOT / name
    stamp = VENV / f".installed-{lock.stem}"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == mark_of(lock) and works():
        return
    if not works():
        make_environment()
    install(lock)
    stamp.write_text(mark_of(lock), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except KeyboardInterrupt:
        sys.exit("\nstopped; run it again to go on")
