"""Runs a measurement as a person would, with its temporary folders where a test can look."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.house.installation import environment
from tests.house.source import ROOT

FOLDER = ROOT / "benchmarks"


def run(name: str, *arguments: str, folder: Path) -> dict[str, Any]:
    """Run a command with its temporary folders in ``folder``; what it prints."""
    env = environment(folder / "unused") | {"TMPDIR": str(folder)}
    command = [sys.executable, str(FOLDER / f"{name}.py"), *arguments, "--json"]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(folder.glob("monitor-bench-*")) == []
    found: dict[str, Any] = json.loads(done.stdout)
    return found
