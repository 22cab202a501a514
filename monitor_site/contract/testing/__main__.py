"""``python -m monitor_site.contract.testing PLUGIN_FOLDER_OR_TEST_FILE``: run a plugin's tests, as pytest does, alone.

No Django is set up and no settings of a repository around it are read; further arguments go to pytest.
"""

import os
import sys
from pathlib import Path

import pytest

USAGE = "usage: python -m monitor_site.contract.testing PLUGIN_FOLDER_OR_TEST_FILE [pytest arguments]\n"

ALONE = (
    *("-c", os.devnull, "-p", "no:django", "-p", "no:cacheprovider", "-q", "-ra"),
    *("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function"),
)


def main(arguments: list[str]) -> int:
    """Run them; pytest's exit code, or 2 when there is nothing to run."""
    if not arguments or not Path(arguments[0]).exists():
        sys.stderr.write(USAGE)
        return 2
    path = Path(arguments[0]).resolve()
    root = path if path.is_dir() else path.parent
    return int(pytest.main([*ALONE, "--rootdir", str(root), "--confcutdir", str(root), str(path), *arguments[1:]]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
