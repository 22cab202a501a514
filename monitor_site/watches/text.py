"""Japanese-aware folding: what a person means by "the same word". Pure.

NFKC joins half-width kana with their marks and turns full-width letters, digits and spaces into ordinary ones; after
it come case, hiragana to katakana, and one sign for all the dashes and long-vowel marks people type.
"""

import re
import unicodedata
from functools import lru_cache

_HIRAGANA_TO_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
# Hyphens, dashes, minus signs, tildes and the long-vowel mark: sellers use them for one another.
_DASHES = dict.fromkeys(map(ord, "-‐‑‒–—―−ー─━﹣－〜～~"), "ー")
_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD, 0xFE0E, 0xFE0F])
_FOLDING = _HIRAGANA_TO_KATAKANA | _DASHES | _INVISIBLE
_WORDY = re.compile(r"[0-9a-z]")


def fold(text: str) -> str:
    """``text`` with everything removed that does not change its meaning.

    >>> fold("ｶﾞﾝﾀﾞﾑ　ＲＸ－７８")
    'ガンダム rxー78'
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.translate(_FOLDING).split())


@lru_cache(maxsize=20_000)
def folded_word(word: str) -> str:
    """A folded word of a rule; rules are few and asked often."""
    return fold(word)


def contains(folded_text: str, word: str) -> bool:
    """Whether a folded text holds a word.

    A word that begins or ends with a Latin letter or digit must stand alone on that side: ``Q1`` is not ``Q1R5``.
    Kana and Han have no word limits, so they match anywhere.
    """
    needle = folded_word(word)
    at = folded_text.find(needle)
    while at >= 0:
        if _stands_alone(folded_text, at, at + len(needle)):
            return True
        at = folded_text.find(needle, at + 1)
    return False


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (_glued(text, start - 1, start) or _glued(text, end - 1, end))


def _glued(text: str, left: int, right: int) -> bool:
    if left < 0 or right >= len(text):
        return False
    return bool(_WORDY.match(text[left]) and _WORDY.match(text[right]))
