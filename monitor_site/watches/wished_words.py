"""The words of a wish: their one form, what they ask, and what cannot be."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from .matching import alternatives
from .text import fold

if TYPE_CHECKING:
    from .wishes import Wish

LONGEST_WORD = 60
MOST_WORDS = 20
MOST_QUESTIONS = 5

Errors = dict[str, list[str]]


def has_control(text: str) -> bool:
    """Whether a text holds what cannot be shown or stored."""
    return any(unicodedata.category(char) in {"Cc", "Cs", "Cn"} for char in text)


def word_sets(*, must: Iterable[str], any_of: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The words of every question that a wish asks at one marketplace: one of each word's alternatives.

    >>> list(word_sets(must=["T2", "ルミナ|LUMINA"], any_of=["黒", "銀"]))
    [('T2', 'ルミナ', '黒'), ('T2', 'ルミナ', '銀'), ('T2', 'LUMINA', '黒'), ('T2', 'LUMINA', '銀')]
    """
    tails = [spelling for word in any_of for spelling in alternatives(word)]
    return product(*map(alternatives, must), *([tails] if tails else []))


def clean_words(field: str, words: Sequence[str], errors: Errors) -> tuple[str, ...]:
    """The words in their one form, without doubles; what cannot be searched for goes to ``errors``."""
    kept: dict[str, str] = {}
    for word in (" ".join(raw.split()) for raw in words):
        if word:
            spellings = _spellings(word)
            _check_word(field, word, spellings, errors)
            kept.setdefault(fold("|".join(spellings)), "|".join(spellings))
    if sum(len(alternatives(word)) for word in kept.values()) > MOST_WORDS:
        _add(errors, field, _("At most %(n)d words, please.") % {"n": MOST_WORDS})
    return tuple(kept.values())


def _spellings(word: str) -> list[str]:
    """Each alternative once, whatever its width or case."""
    once: dict[str, str] = {}
    for spelling in alternatives(word):
        once.setdefault(fold(spelling), spelling)
    return list(once.values())


def _check_word(field: str, word: str, spellings: Iterable[str], errors: Errors) -> None:
    for spelling in spellings:
        if has_control(spelling):
            _add(errors, field, _("A word holds characters that cannot be searched for. Please type it again."))
        elif len(spelling) > LONGEST_WORD:
            _add(errors, field, _("A word is longer than %(n)d characters.") % {"n": LONGEST_WORD})
        elif not fold(spelling).strip("ー |"):
            _add(errors, field, _("“%(word)s” holds nothing that can be searched for.") % {"word": word})


def check_words(wish: "Wish", errors: Errors) -> None:
    """Not too many questions, and nothing wanted and unwanted at once; every alternative counts."""
    tails = sum(len(alternatives(word)) for word in wish.any_of)
    heads = prod(len(alternatives(word)) for word in wish.must)
    if heads == 1 and tails > MOST_QUESTIONS:
        sentence = _("Each of these words is a question of its own; at most %(n)d, please.")
        _add(errors, "any_of", sentence % {"n": MOST_QUESTIONS})
    elif heads * max(1, tails) > MOST_QUESTIONS:
        _add(errors, "must", _too_many(heads * max(1, tails)))
    wanted = {fold(spelling) for word in (*wish.must, *wish.any_of) for spelling in alternatives(word)}
    for word in wish.none_of:
        if clash := [spelling for spelling in alternatives(word) if fold(spelling) in wanted]:
            _add(errors, "none_of", _("“%(word)s” is wanted and unwanted at once.") % {"word": clash[0]})


def _too_many(questions: int) -> str:
    sentence = _(
        "Every combination of these alternatives is a question of its own. These words make %(n)d; at most %(most)d,"
        " please."
    )
    return sentence % {"n": questions, "most": MOST_QUESTIONS}


def _add(errors: Errors, name: str, sentence: str) -> None:
    errors.setdefault(name, []).append(sentence)
