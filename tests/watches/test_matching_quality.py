"""The matching loses nothing that a simple rule of its own expects, in whatever spelling, and adds little to it."""

import os

import pytest

from benchmarks import matching_quality as quality
from tests.watches.traps import TRAPS

FOLDER = os.environ.get("RECORDED_ANSWERS", "")
NAMES = ["full width", "small letters", "half-width kana", "hiragana", "another dash"]


def test_every_trap_is_told_as_a_person_labelled_it() -> None:
    assert quality.trapped().figures() | {"found": 0} == {
        "asked": len(TRAPS), "expected": sum(label for *_, label in TRAPS), "found": 0,
        "precision": 100.0, "recall": 100.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "folder", ["", pytest.param(FOLDER, marks=pytest.mark.skipif(not FOLDER, reason="none named"))]
)
def test_no_word_of_any_title_is_missed_in_any_spelling(folder: str) -> None:
    tallies = quality.measure(folder, {})
    assert {"traps", "as it stands", *NAMES} == set(tallies)
    assert [line for tally in tallies.values() for line in tally.wrong if line.startswith("missed")] == []
    assert all(tally.figures()["precision"] >= 90 for tally in tallies.values())


def test_what_a_person_judged_goes_before_the_simple_rule() -> None:
    titles = {"one": "がんだむ 本"}
    assert quality.ask(titles | {"two": "ガンダム"}, {})["as it stands"].wrong == [
        "too much: two|がんだむ",
        "too much: one|ガンダム",
    ]
    judged = {"two|がんだむ": True, "one|ガンダム": True}
    assert quality.ask(titles | {"two": "ガンダム"}, judged)["as it stands"].wrong == []


def test_the_simple_rule_misses_and_finds_what_it_says() -> None:
    assert quality.expected("Sony Q1R5", "q1") is False
    assert quality.expected("Ｑ１　本体", "q1") is True
    assert set(quality.spellings("ルミナ-Q1")) == {"as it stands", *NAMES}
    assert quality.spellings("ガ")["half-width kana"] == "ｶﾞ"


def test_titles_are_read_from_any_answer_that_has_some(tmp_path: quality.Path) -> None:
    (tmp_path / "a.json").write_text('{"items": [{"id": "m1", "name": "見本", "price": "1"}, {"id": 2}, 3]}', "utf-8")
    (tmp_path / "b.html").write_text('<i data-auction-id="x1" data-auction-title="A &amp; B"></i>', "utf-8")
    (tmp_path / "c.json").write_text("{", "utf-8")
    assert quality.recorded(tmp_path) == {"m1": "見本", "x1": "A & B"}
