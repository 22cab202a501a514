"""``make test``: the whole suite on SQLite, then what touches data on PostgreSQL; both closing lines come last."""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What PostgreSQL cannot change: pages in a browser, parsers, the rules of the house.
WITHOUT_DATA = ("tests/browser", "tests/house", "tests/plugins", "tests/contract", "tests/marketplaces")
SUITES: dict[str, tuple[str, ...]] = {
    "sqlite": (),
    "postgres": tuple(f"--ignore={folder}" for folder in WITHOUT_DATA),
}


def run(database: str, arguments: list[str]) -> tuple[int, str]:
    """Run the suite on one database, showing what it prints; its exit code and its closing line."""
    sys.stdout.write(f"\n== tests on {database} ==\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *SUITES[database], *arguments]
    env = os.environ | {"TEST_DATABASE": database}
    process = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    )
    last = ""
    for line in process.stdout or ():
        sys.stdout.write(line)
        sys.stdout.flush()
        last = line.strip() or last
    return process.wait(), last


def main(arguments: list[str]) -> int:
    """Run on all databases; 0 when all passed."""
    started = time.monotonic()
    results = {database: run(database, arguments) for database in SUITES}
    sys.stdout.write(f"\n== {time.monotonic() - started:.0f} s in all ==\n")
    for database, (code, last) in results.items():
        sys.stdout.write(f"{database:>8}: {'passed' if code == 0 else 'FAILED'}   {last}\n")
    return max(code for code, _ in results.values())


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
