"""Japanese-aware folding: what a person means by "the same word". Pure.

NFKC joins half-width kana with their marks and turns full-width letters, digits and spaces into ordinary ones; after
it come case, hiragana to katakana, and one sign for all the dashes and long-vowel marks people type.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_HIRAGANA_TO_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
# Hyphens, dashes, minus signs, tildes and the long-vowel mark: sellers use them for one another.
_DASHES = dict.fromkeys(map(ord, "-‐‑‒–—―−ー─━﹣－〜～~"), "ー")
_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD, 0xFE0E, 0xFE0F])
_WIDTHS = _DASHES | _INVISIBLE
_FOLDING = _HIRAGANA_TO_KATAKANA | _WIDTHS
_WORDY = re.compile(r"[0-9a-z]")
_HIRAGANA, _KATAKANA = re.compile(r"[ぁ-ゖ]"), re.compile(r"[ァ-ヶ]")
# With the two signs that only become hiragana.
_SOME_HIRAGANA = re.compile(r"[ぁ-ゟ\U0001F200]")
# What may follow a word that is written in hiragana: no more of the word, but grammar.
_ENDS = re.compile(r"$|[^ぁ-ゖー]|[のがはをでにともやへ]|ちゃん|さん|くん|さま|など|です")


class Reading:
    """A text as it is compared: everything that does not change its meaning is removed.

    >>> Reading("ｶﾞﾝﾀﾞﾑ　ＲＸ－７８").folded, Reading("がんだむ").written
    ('ガンダム rxー78', 'がんだむ')
    """

    __slots__ = ("_text", "_written", "folded")

    def __init__(self, text: str) -> None:
        self._text = text
        self.folded = _without(text, _FOLDING)
        self._written: str | None = None

    @property
    def written(self) -> str:
        """The same, sign by sign, with its kana as they stand."""
        if self._written is None:
            self._written = _without(self._text, _WIDTHS) if _SOME_HIRAGANA.search(self._text) else self.folded
        return self._written


def _without(text: str, signs: Mapping[int, str | int | None]) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.translate(signs).split())


@lru_cache(maxsize=2_000)
def read_title(title: str) -> Reading:
    """A title as it is compared: every watch of a question asks the same few."""
    return Reading(title)


def fold(text: str) -> str:
    """The text with its kana folded too: equal where people mean the same."""
    return _without(text, _FOLDING)


@lru_cache(maxsize=20_000)
def read_word(word: str) -> tuple[str, str]:
    """A word of a rule, folded, and as it is written if that is in katakana; rules are few and asked often."""
    reading = Reading(word)
    return reading.folded, reading.written if _KATAKANA.search(reading.written) else ""


def contains(text: Reading, word: str) -> bool:
    """Whether a text holds a word.

    A word that begins or ends with a Latin letter or digit must stand alone on that side: ``Q1`` is not ``Q1R5``.
    Kana and Han have no word limits, so they match anywhere; but a word in katakana is no part of one in hiragana:
    ``レイ`` is ``れい``, and not in ``きれい``. Who glues it to hiragana before it is not found.
    """
    needle, katakana = read_word(word)
    at = text.folded.find(needle)
    while at >= 0:
        end = at + len(needle)
        if _stands_alone(text.folded, at, end) and not (katakana and _is_torn(text.written, at, end, katakana)):
            return True
        at = text.folded.find(needle, at + 1)
    return False


def _is_torn(written: str, start: int, end: int, word: str) -> bool:
    """Whether a word in katakana was found within a longer one in hiragana, which is most often grammar."""
    found = written[start:end]
    if found == word or not _is_other(found, word):
        return False
    within = start > 0 and bool(_HIRAGANA.match(written[start - 1]) and _HIRAGANA.match(written[start]))
    return within or bool(_HIRAGANA.match(written[end - 1]) and not _ENDS.match(written, end))


def _is_other(found: str, word: str) -> bool:
    pairs = zip(found, word, strict=True)
    return any(_HIRAGANA.match(there) and _KATAKANA.match(asked) for there, asked in pairs)


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (_glued(text, start - 1, start) or _glued(text, end - 1, end))


def _glued(text: str, left: int, right: int) -> bool:
    if left < 0 or right >= len(text):
        return False
    return bool(_WORDY.match(text[left]) and _WORDY.match(text[right]))
