"""``make lint``: everything a machine can judge without running the product. Says all that is wrong, not the first."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANAGE = (sys.executable, "manage.py")
CHECKS: dict[str, tuple[str, ...]] = {
    "style": (sys.executable, "-m", "ruff", "check", "."),
    "format": (sys.executable, "-m", "ruff", "format", "--check", "."),
    "types": (sys.executable, "-m", "mypy"),
    "layers": (sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"),
    "templates": (sys.executable, "-m", "djlint", "templates", "--lint", "--quiet"),
    "translations": (sys.executable, "scripts/check_messages.py"),
    "system check": (*MANAGE, "check", "--fail-level", "WARNING"),
    "migrations": (*MANAGE, "makemigrations", "--check", "--dry-run"),
    "locks": (sys.executable, "scripts/lock.py", "--check"),
}


def passes(name: str, command: tuple[str, ...], data_dir: str) -> bool:
    """Run one check; what it printed is shown only when it fails."""
    started = time.monotonic()
    environment = os.environ | {"DATA_DIR": data_dir}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    sys.stdout.write(f"{name:<14} {'ok' if done.returncode == 0 else 'FAILED'}   {time.monotonic() - started:.1f} s\n")
    if done.returncode:
        sys.stdout.write(done.stdout.rstrip() + "\n\n")
    sys.stdout.flush()
    return done.returncode == 0


def main() -> int:
    """Run all checks; the number of those that failed."""
    with tempfile.TemporaryDirectory() as folder:
        return sum(not passes(name, command, folder) for name, command in CHECKS.items())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
