"""Japanese-aware folding: what a person means by "the same word". Pure.

NFKC joins half-width kana with their marks and turns full-width letters, digits and spaces into ordinary ones; after
it come case, hiragana to katakana, and one sign for all the dashes and long-vowel marks people type.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_HIRAGANA_TO_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
# Hyphens, dashes, minus signs, tildes and the long-vowel mark: sellers use them for one another.
_DASHES = dict.fromkeys(map(ord, "-‐‑‒–—―−ー─━﹣－〜～~"), "ー")
_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD, 0xFE0E, 0xFE0F])
_WIDTHS = _DASHES | _INVISIBLE
_WORDY = re.compile(r"[0-9a-z]")
_HIRAGANA, _KATAKANA = re.compile(r"[ぁ-ゖ]"), re.compile(r"[ァ-ヶ]")
# What may follow a word that is written in hiragana: no more of the word, but grammar.
_ENDS = re.compile(r"$|[^ぁ-ゖー]|[のがはをでにともやへ]|ちゃん|さん|くん|さま|など|です")


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it is compared: ``folded``, and ``written`` with its kana as they stand, sign by sign the same."""

    folded: str
    written: str


def read(text: str) -> Reading:
    """``text`` with everything removed that does not change its meaning.

    >>> read("ｶﾞﾝﾀﾞﾑ　ＲＸ－７８").folded, read("がんだむ").written
    ('ガンダム rxー78', 'がんだむ')
    """
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_WIDTHS)
    written = " ".join(plain.split())
    return Reading(written.translate(_HIRAGANA_TO_KATAKANA), written)


def fold(text: str) -> str:
    """The text with its kana folded too: equal where people mean the same."""
    return read(text).folded


@lru_cache(maxsize=20_000)
def read_word(word: str) -> Reading:
    """The reading of a word of a rule; rules are few and asked often."""
    return read(word)


def contains(text: Reading, word: str) -> bool:
    """Whether a text holds a word.

    A word that begins or ends with a Latin letter or digit must stand alone on that side: ``Q1`` is not ``Q1R5``.
    Kana and Han have no word limits, so they match anywhere; but a word in katakana is no part of one in hiragana:
    ``レイ`` is ``れい``, and not in ``きれい``. Who glues it to hiragana before it is not found.
    """
    needle = read_word(word)
    at = text.folded.find(needle.folded)
    while at >= 0:
        end = at + len(needle.folded)
        if _stands_alone(text.folded, at, end) and not _is_torn(text.written, at, end, needle.written):
            return True
        at = text.folded.find(needle.folded, at + 1)
    return False


def _is_torn(written: str, start: int, end: int, word: str) -> bool:
    """Whether a word in katakana was found within a longer one in hiragana, which is most often grammar."""
    if not _KATAKANA.search(word) or not _is_other(written[start:end], word):
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
