"""Files that are made from others are up to date, and what is committed is fit to be public."""

import re
import subprocess
import sys
from io import StringIO

import pytest
from django.core.management import call_command

from tests.house.source import ROOT


def test_lock_files_are_as_new_as_what_they_are_made_from():
    done = subprocess.run(
        [sys.executable, "scripts/lock.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_locked_package_has_hashes(name):
    blocks = re.split(r"\n(?=[a-z0-9])", (ROOT / name).read_text("utf-8"))
    packages = [block for block in blocks if "==" in block.splitlines()[0]]
    assert packages
    assert not [block.splitlines()[0] for block in packages if "--hash=sha256:" not in block]


def test_runtime_packages_stay_under_the_ceiling():
    packages = re.findall(
        r"^[a-z0-9][\w.-]*(?:\[[\w,]+\])?==", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE
    )
    assert len(packages) <= 59


@pytest.mark.django_db
def test_models_and_migrations_agree():
    call_command("makemigrations", check=True, dry_run=True, stdout=StringIO())


def test_shell_scripts_are_well_formed():
    for script in (ROOT / ".ci" / "run", ROOT / "scripts" / "find-python.sh"):
        subprocess.run(["sh", "-n", str(script)], check=True)
