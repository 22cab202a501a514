"""Rows that have nothing of what was asked for: a marketplace may leave out the words of a question, or read others.

They match nobody, since every watch judges for itself; but a watch that gets nothing else should say so. Pure.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from monitor_site.contract import Sighting
from monitor_site.contract.same import OfTheSame

from .models import Target
from .results import Result
from .text import contains, read_title

# The first rows speak for all of them: reading titles is the dearest part of a check that brings nothing new.
READ = 30
FEWEST = 10
# Fewer rows than that share with any word of the question are hardly any.
SHARE = 0.1
_WORDED: OfTheSame[Sequence[Sighting], int] = OfTheSame(most=256)


def counted(target: Target | None, result: Result) -> Result:
    """A result with how many of its first rows have a word of its question in their title."""
    if target is None or not target.is_search or result.failed or not (words := words_of(target)):
        return result
    return replace(result, worded=_WORDED.of(result.sightings, *words, conclude=partial(_worded, words)))


def _worded(words: Sequence[str], sightings: Sequence[Sighting]) -> int:
    return sum(_has_any(sighting.title, words) for sighting in sightings[:READ])


def words_of(target: Target) -> Sequence[str]:
    """What a search asks for; nothing where it is asked by category or the like alone."""
    return _words(target.criteria)


@lru_cache(maxsize=2000)
def _words(criteria: str) -> tuple[str, ...]:
    return tuple(str(json.loads(criteria).get("keyword", "")).split())


def _has_any(title: str, words: Sequence[str]) -> bool:
    reading = read_title(title)
    return any(contains(reading, word) for word in words)


def streak_after(target: Target, result: Result) -> int:
    """How many checks in a row had hardly any such row; what is too little to tell changes nothing."""
    if (strange := are_strange(result.worded, len(result.sightings))) is None:
        return target.strange_streak
    return target.strange_streak + 1 if strange else 0


def are_strange(worded: int | None, fetched: int) -> bool | None:
    """Whether so many of the first rows are hardly any; ``None`` where there are too few rows to tell."""
    rows = min(fetched, READ)
    if worded is None or (rows < FEWEST and not worded):
        return None
    return worded < SHARE * rows
