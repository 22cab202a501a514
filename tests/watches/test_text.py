"""What counts as the same word."""

import pytest

from monitor_site.watches.text import Reading, contains, fold

SAME = [
    ("ＡＢＣ　ＤＥＦ", "abc def"),
    ("ｶﾞﾝﾀﾞﾑ", "ガンダム"),
    ("か\u3099んた\u3099む", "ガンダム"),
    ("がんだむ", "ガンダム"),
    ("ＵＳＢ", "usb"),
    ("スーパー", "ス-パ―"),
    ("RX－78", "rx-78"),
    ("①", "1"),
    ("㎝", "cm"),
    ("カ\u200bメラ", "カメラ"),
    ("  Nikon \u3000 F3 ", "nikon f3"),
]


@pytest.mark.parametrize(("typed", "meant"), SAME)
def test_spellings_that_mean_the_same_fold_to_the_same(typed: str, meant: str) -> None:
    assert fold(typed) == fold(meant)


FOUND = [
    ("Leica Q1 本体", "q1", True),
    ("LEICA Q1本体", "Q1", True),
    ("Sony Q1R5 本体", "Q1", False),
    ("XQ1 ケース", "Q1", False),
    ("ＸＱ１　と　Ｑ１", "q1", True),
    ("限定カメラケース", "カメラ", True),
    ("iPhone13ケース", "iPhone 13", False),
    ("iPhone 13 ケース", "iPhone　13", True),
    ("カメラ", "", True),
    ("PS5本体", "ps5", True),
    ("PS55", "ps5", False),
]


@pytest.mark.parametrize(("title", "word", "found"), FOUND)
def test_latin_words_must_stand_alone_and_japanese_ones_need_not(title: str, word: str, found: bool) -> None:
    assert contains(Reading(title), word) is found


def test_folding_twice_changes_nothing_more() -> None:
    for typed, _ in SAME:
        assert fold(fold(typed)) == fold(typed)
