"""An environment for the packages of others, so that none of them ever reaches that of the product."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "compare-requirements.txt"
STAMP = "installed-from"
ASK = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


@contextmanager
def environment(folder: str) -> Iterator[str]:
    """The Python of an environment with what is pinned; kept in ``folder``, else made for this run only."""
    if folder:
        yield _made(Path(folder))
        return
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as name:
        yield _made(Path(name))


def _made(folder: Path) -> str:
    python, stamp = str(folder / "bin" / "python"), folder / STAMP
    if stamp.is_file() and stamp.read_text() == LOCK.read_text():
        return python
    print(f"Installing what is compared with into {folder} ...", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    options = ("--quiet", "--require-hashes", "--disable-pip-version-check", "--no-input", "-r", str(LOCK))
    done = subprocess.run(
        [python, "-m", "pip", "install", *options], check=False, env=env, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"The installation failed. pip's last words:\n{done.stderr[-2000:]}")
    stamp.write_text(LOCK.read_text())
    return python


def versions(python: str, packages: tuple[str, ...]) -> dict[str, str]:
    """What is installed there of these."""
    told = subprocess.run([python, "-c", ASK, *packages], check=True, capture_output=True, text=True).stdout
    found: dict[str, str] = json.loads(told)
    return found
