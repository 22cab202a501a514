"""What the guide for authors of plugins shows is run as it stands there."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from monitor_site.contract.rules import examine
from monitor_site.contract.testing import samples_in
from monitor_site.marketplaces.catalog import GROUP
from tests.house.source import ROOT

TEXT = (ROOT / "docs" / "write-a-plugin.md").read_text("utf-8")
BLOCKS = re.findall(r"^```([^\n]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
KINDS = {"bash run", "python run", "json samples", "toml pyproject"}


def blocks(kind: str) -> list[str]:
    found = [block for marked, block in BLOCKS if marked == kind]
    assert found, kind
    return found


def test_every_block_of_the_guide_is_of_a_kind_that_is_tried():
    assert {marked for marked, _ in BLOCKS} == KINDS


def test_the_commands_of_the_guide_work(tmp_path: Path):
    for name in ("manage.py", "monitor_site"):
        (tmp_path / name).symlink_to(ROOT / name)
    env = os.environ | {"PLUGIN_DIR": str(tmp_path / "plugins"), "DATA_DIR": str(tmp_path / "var")}
    for line in "".join(blocks("bash run")).splitlines():
        command = line.replace(".venv/bin/python", sys.executable).split()
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert " passed, " in done.stdout


def test_the_python_of_the_guide_runs_from_top_to_bottom():
    names: dict[str, Any] = {"__name__": "guide"}
    for block in blocks("python run"):
        exec(compile(block, "write-a-plugin.md", "exec"), names)
    assert examine(names["plugin"], name="flower_market").manifest.title_in("ja") == "花市場"


def test_the_list_of_samples_in_the_guide_can_be_read(tmp_path: Path):
    names: dict[str, Any] = {"__name__": "guide"}
    for block in blocks("python run"):
        exec(compile(block, "write-a-plugin.md", "exec"), names)
    (listed,) = blocks("json samples")
    for entry in json.loads(listed):
        (tmp_path / entry["file"]).write_bytes(b"")
    (tmp_path / "manifest.json").write_text(listed)

    assert [sample.case for sample in samples_in(tmp_path, names["plugin"])] == [
        "full",
        "empty",
        "blocked",
        "foreign",
        "bad_row",
    ]


def test_the_metadata_in_the_guide_names_the_entry_points_that_the_catalog_reads():
    (block,) = blocks("toml pyproject")
    assert tomllib.loads(block)["project"]["entry-points"] == {GROUP: {"flower_market": "flower_market"}}


def test_every_file_that_the_guide_names_is_in_a_new_plugin():
    sample = ROOT / "monitor_site" / "contract" / "scaffold" / "sample_market"
    named = set(re.findall(r"`(\w+\.py)`", TEXT))
    assert named
    assert not [name for name in named if not (sample / name).is_file()]
