"""Each measurement over a whole installation still runs, with tiny numbers, and leaves nothing behind."""

from pathlib import Path

from tests.benchmarks.running import run


def test_real_checks_are_counted_beside_their_limit(tmp_path: Path) -> None:
    found = run("checks", "--questions", "2", "--seconds", "2", "--interval", "1", folder=tmp_path)
    assert found["checks"] > 0
    assert found["share_of_the_limit_percent"] > 0
    assert set(found["bytes_a_page"]) == {"mercari", "yahoo_auctions"}


def test_watches_that_share_a_question_ask_once(tmp_path: Path) -> None:
    found = run("coalesce", "--watches", "8", "--questions", "2", "--interval", "2", "--seconds", "4", folder=tmp_path)
    assert 0 < found["requests_a_second"] < found["one_a_watch_a_second"] == 4
