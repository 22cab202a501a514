"""Each measurement of the engine alone still runs, with tiny numbers, and leaves nothing behind."""

import ast
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.benchmarks.running import FOLDER, run
from tests.house.installation import environment, let_interrupt, survivors
from tests.house.source import ROOT
from tests.waiting import PATIENCE_SECONDS, until


def test_lateness_counts_every_beat_of_several_marketplaces(tmp_path: Path) -> None:
    found = run("lateness", "--targets", "20", "--interval", "5", "--seconds", "5", "--marketplaces", "2",
                "--workers", "1", "--stragglers", "10", folder=tmp_path)  # fmt: skip
    assert 0 < found["beats"] <= found["expected"] == found["beats"] + found["missed"]
    assert found["duplicates"] == 0
    assert found["lateness_ms"]["p50"] is not None
    assert set(found["cpu_seconds"]) == {"promoter", "worker-0", "redis"}


def test_an_express_job_is_timed_while_checks_burn(tmp_path: Path) -> None:
    found = run("express", "--jobs", "10", "--gap-ms", "5", "--workers", "1", folder=tmp_path)
    assert found["jobs"] == 8
    assert 0 < found["delay_ms"]["p50"] <= found["delay_ms"]["max"]


def test_others_are_compared_with_ours_in_one_run(tmp_path: Path) -> None:
    others = "thread per watch,naive ZSET loop"
    found = run("compare", "--tasks", "5", "--interval", "1", "--seconds", "2", "--only", others,
                "--python", sys.executable, folder=tmp_path)  # fmt: skip
    assert set(found) == {"ours", *others.split(",")}
    assert found["naive ZSET loop"]["versions"]["redis"]
    for figures in found.values():
        assert figures["beats"] > 0
        assert figures["mixed"]["makespan_s"] >= 1.0
    assert found["thread per watch"]["times_ours"]["p99"] is not None


def test_a_name_that_no_baseline_has_is_refused_with_those_that_are_known() -> None:
    command = [sys.executable, str(FOLDER / "compare.py"), "--only", "cron"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "RQ cron" in done.stderr


def test_an_interrupted_measurement_leaves_neither_process_nor_folder(tmp_path: Path) -> None:
    let_interrupt()
    env = environment(tmp_path / "unused") | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, str(FOLDER / "lateness.py"), "--targets", "20", "--seconds", "3600"]
    process = subprocess.Popen(command, env=env, cwd=ROOT, stderr=subprocess.DEVNULL)
    measurement = psutil.Process(process.pid)
    until(lambda: len(measurement.children()) == 4, what="Redis, the promoter and two workers run")
    children = measurement.children(recursive=True)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE_SECONDS) != 0
    assert survivors(children) == []
    assert list(tmp_path.glob("monitor-bench-*")) == []


@pytest.mark.parametrize("script", sorted((FOLDER / "baselines").glob("*.py")), ids=lambda script: script.stem)
def test_a_baseline_uses_nothing_of_the_product(script: Path) -> None:
    tree = ast.parse(script.read_text("utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    assert not [name for name in imported if name.split(".")[0] in {"monitor_site", "plugins", "django"}]


def test_every_package_that_is_compared_with_is_pinned_by_its_hashes() -> None:
    text = (FOLDER / "compare-requirements.txt").read_text("utf-8")
    blocks = [block for block in re.split(r"\n(?=[a-z0-9])", text) if "==" in block.splitlines()[0]]
    assert {"apscheduler", "rq-scheduler", "celery", "rq"} <= {block.split("==")[0].split("[")[0] for block in blocks}
    assert not [block for block in blocks if "--hash=sha256:" not in block]
