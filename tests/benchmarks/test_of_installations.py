"""Each measurement over a whole installation still runs, with tiny numbers, and leaves nothing behind."""

from pathlib import Path

import pytest

from tests.benchmarks.running import run


def test_real_checks_are_counted_beside_their_limit(tmp_path: Path) -> None:
    found = run("checks", "--questions", "2", "--seconds", "2", "--interval", "1", folder=tmp_path)
    assert found["checks"] > 0
    assert found["share_of_the_limit_percent"] > 0
    assert set(found["bytes_a_page"]) == {"mercari", "yahoo_auctions"}


def test_watches_that_share_a_question_ask_once(tmp_path: Path) -> None:
    found = run("coalesce", "--watches", "8", "--questions", "2", "--interval", "2", "--seconds", "4", folder=tmp_path)
    assert 0 < found["requests_a_second"] < found["one_a_watch_a_second"] == 4


def test_what_nothing_to_do_costs_is_told_by_part(tmp_path: Path) -> None:
    found = run("idle", "--watches", "20", "--interval", "5", "--seconds", "2", "--settles", "0", folder=tmp_path)
    idle, beats = found["installation"], found["clockwork"]
    parts = {"promoter", "worker checks", "worker upkeep", "worker alerts", "keeper of the workers", "web", "redis"}
    assert parts <= set(idle["percent_of_a_core"])
    assert idle["memory_mb"]["all"] > idle["memory_mb"]["worker checks"] > 0
    assert set(beats["percent_of_a_core"]) == {"promoter", "worker-0", "redis"}
    assert found["engine_percent"] == pytest.approx(idle["engine_percent"] + beats["engine_percent"])


def test_watches_of_the_idle_installation_are_asked_and_counted(tmp_path: Path) -> None:
    found = run(
        "idle", "--watches", "1", "--asked", "2", "--questions", "1", "--interval", "1", "--seconds", "3",
        "--settles", "0", folder=tmp_path,
    )  # fmt: skip
    assert found["installation"]["checks"] > 0
