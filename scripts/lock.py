"""``make lock``: pins, with hashes, what requirements*.in ask for, for all platforms and Python 3.11 to 3.14.

Each lock file ends with the digest of what it was made from; ``lock.py --check`` compares that, without a network.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE_FROM = "# made from: sha256 "
LOCKS = {"requirements.txt": ("requirements.in",), "requirements-dev.txt": ("requirements.in", "requirements-dev.in")}


def digest(sources: tuple[str, ...]) -> str:
    """Changes when a line that asks for something changes; comments do not count."""
    lines = [line.split("#")[0].strip() for name in sources for line in (ROOT / name).read_text("utf-8").splitlines()]
    return hashlib.sha256("\n".join(filter(None, lines)).encode()).hexdigest()


def is_current(name: str) -> bool:
    """Whether a lock file was made from its sources as they are now."""
    return f"{MADE_FROM}{digest(LOCKS[name])}" in (ROOT / name).read_text("utf-8").splitlines()


def write(name: str) -> None:
    """Make one lock file anew; the answer of the resolver stays as it is where it still fits."""
    options = ("--universal", "--python-version", "3.11", "--generate-hashes", "--quiet", "--custom-compile-command")
    source = LOCKS[name][-1]
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", *options, "make lock", source, "-o", name], cwd=ROOT, check=True
    )
    stamp(name)


def stamp(name: str) -> None:
    """Note in a lock file what it was made from."""
    path = ROOT / name
    kept = [line for line in path.read_text("utf-8").splitlines() if not line.startswith(MADE_FROM)]
    path.write_text("\n".join([*kept, f"{MADE_FROM}{digest(LOCKS[name])}"]) + "\n", "utf-8")


def main(arguments: list[str]) -> int:
    """Write or check all lock files."""
    if arguments == ["--check"]:
        old = [name for name in LOCKS if not is_current(name)]
        for name in old:
            sys.stderr.write(f"{name} is older than what it is made from: run `make lock`\n")
        return len(old)
    for name in LOCKS:
        write(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
