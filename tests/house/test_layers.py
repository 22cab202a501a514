"""The layers hold, and each rule about them notices when it is broken."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

LINT = (sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")

BREACHES = {
    "Layers: imports go down only": ("monitor_site/watches/queries.py", "import monitor_site.engine.schedule"),
    "The contract is plain Python": ("monitor_site/contract/values.py", "import django.conf"),
    "The kit for plugins needs neither Django nor a client": (
        "monitor_site/contract/testing/market.py",
        "import httpx",
    ),
    "What runs needs no test tools": (
        "monitor_site/marketplaces/pace.py",
        "import monitor_site.contract.testing.market",
    ),
    "Plugins see only the contract": ("plugins/mercari/parse.py", "import monitor_site.watches.text"),
    "Plugins do not know each other": ("plugins/second/__init__.py", "import plugins.mercari.parse"),
    "The ways of alerts know no rows": ("monitor_site/alerts/ways/send.py", "import monitor_site.outbox.stream"),
    "What lets Apprise send needs no Django": ("monitor_site/alerts/ways/apprise_record.py", "import django.conf"),
    "Matching and text are pure": ("monitor_site/watches/matching/words.py", "import django.db"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter over a tree."""
    return subprocess.run((*LINT, "--no-cache"), cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the product's code with its rules."""
    folder = tmp_path_factory.mktemp("tree")
    for name in ("monitor_site", "plugins"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.po", "*.mo"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_tree_as_it_is_keeps_all_layers(tree):
    done = lint(tree)
    assert done.returncode == 0, done.stdout
    assert f"Contracts: {len(BREACHES)} kept, 0 broken" in done.stdout


@pytest.mark.parametrize("contract", BREACHES)
def test_a_bad_import_breaks_exactly_its_rule(tree, contract):
    name, line = BREACHES[contract]
    path = tree / name
    before = path.read_text("utf-8") if path.exists() else None
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{before or ''}\n{line}\n", "utf-8")
    try:
        done = lint(tree)
    finally:
        path.write_text(before, "utf-8") if before is not None else shutil.rmtree(path.parent)
    assert done.returncode == 1, done.stdout
    assert f"{contract} BROKEN" in done.stdout
