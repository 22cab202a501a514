"""The table of recorded answers leaves none out, and notices a value that is another than the recordings promise."""

import os
from pathlib import Path

import pytest

from monitor_site.contract import SearchPage
from scripts import recorded

FOLDER = os.environ.get("RECORDED_ANSWERS")
needs_recordings = pytest.mark.skipif(not FOLDER, reason="RECORDED_ANSWERS names no folder of recorded answers")


def test_a_value_that_is_another_than_promised_is_named():
    page = SearchPage(sightings=(), about=142)
    assert recorded.broken(page, {"total": 142, "unique_ids": 0, "promoted": []}) == []
    assert recorded.broken(page, {"total": 144}) == ["total is 142, not 144"]


def test_without_a_folder_the_table_says_what_it_needs(monkeypatch, capsys):
    monkeypatch.delenv("RECORDED_ANSWERS", raising=False)
    assert recorded.main() == 2
    assert "RECORDED_ANSWERS" in capsys.readouterr().err


@needs_recordings
def test_every_recorded_reading_answer_has_its_line_and_every_promise_is_kept(capsys):
    assert recorded.main() == 0
    table = capsys.readouterr().out
    for marketplace in recorded.READERS:
        for row in recorded.entries(Path(str(FOLDER)) / marketplace):
            assert f"| {marketplace} | {row['file']} |" in table
    assert table.count("as promised") > 20
