"""The rules about words. Pure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import re2

from monitor_site.contract import Sighting

from ..text import Reading, contains, fold, read_title
from .rule import Rule
from .verdicts import RuleVerdict, Verdict, said, yes_or_no

ALTERNATIVE = "|"


class Texts:
    """A sighting's words, folded once for all rules; the description only when a rule asks for it."""

    def __init__(self, sighting: Sighting) -> None:
        self.title = read_title(sighting.title)
        self._sighting = sighting
        self._description: Reading | None = None

    @property
    def description(self) -> Reading | None:
        """Folded; ``None`` when it is not known."""
        if self._description is None and self._sighting.description is not None:
            self._description = Reading(self._sighting.description)
        return self._description

    def holds(self, word: str, *, everywhere: bool) -> str | None:
        """Which alternative of a word is there, in the title or everywhere; ``None`` when none is."""
        places = [self.title, self.description if everywhere else None]
        found = (one for one in alternatives(word) if any(place and contains(place, one) for place in places))
        return next(found, None)


@lru_cache(maxsize=20_000)
def alternatives(word: str) -> tuple[str, ...]:
    """The spellings a word stands for, in any width of the sign between them.

    >>> alternatives("ルミナ｜LUMINA | ")
    ('ルミナ', 'LUMINA')
    """
    parts = word.replace("｜", ALTERNATIVE).split(ALTERNATIVE)
    return tuple(part.strip() for part in parts if part.strip()) or (word,)


def word_rules(rule: Rule, sighting: Sighting) -> Iterator[RuleVerdict]:
    """All rules about words that the watch has, in a person's order."""
    texts = Texts(sighting)
    if rule.must:
        yield _wanted("must", rule.must, texts, rule, enough=len(rule.must))
    if rule.any_of:
        yield _wanted("any_of", rule.any_of, texts, rule, enough=1)
    if rule.none_of:
        yield _unwanted("none_of", rule.none_of, texts, rule)
    if rule.blocked_phrases:
        yield _unwanted("blocked_phrase", rule.blocked_phrases, texts, rule)
    if rule.pattern:
        yield _pattern(rule, sighting)


def _wanted(name: str, words: Sequence[str], texts: Texts, rule: Rule, *, enough: int) -> RuleVerdict:
    """What is missing in the title may stand in a description that nobody has read yet."""
    found = [hit for word in words if (hit := texts.holds(word, everywhere=rule.in_description))]
    open_question = rule.in_description and texts.description is None
    verdict = Verdict.UNKNOWN if open_question and len(found) < enough else yes_or_no(len(found) >= enough)
    return said(name, verdict, saw=texts.title.folded, wanted=" ".join(words), words=found)


def _unwanted(name: str, words: Sequence[str], texts: Texts, rule: Rule) -> RuleVerdict:
    """A known description counts always; only who looks into it anyway waits for it."""
    found = [hit for word in words if (hit := texts.holds(word, everywhere=True))]
    open_question = rule.in_description and texts.description is None
    verdict = Verdict.UNKNOWN if open_question and not found else yes_or_no(not found)
    return said(name, verdict, saw=texts.title.folded, wanted=" ".join(words), words=found)


def _pattern(rule: Rule, sighting: Sighting) -> RuleVerdict:
    """One that compiles no more, after another release of the engine, cannot tell."""
    try:
        pattern = compiled(rule.pattern)
    except re2.error:
        return said("pattern", Verdict.UNKNOWN, saw=sighting.title, wanted=rule.pattern)
    found = pattern.search(fold(sighting.title)) or pattern.search(sighting.title)
    words = [found.group()] if found else []
    return said("pattern", yes_or_no(bool(found)), saw=sighting.title, wanted=rule.pattern, words=words)


@lru_cache(maxsize=2_000)
def compiled(pattern: str) -> Any:
    """The expression, without regard to case. Its engine takes linear time whatever it is; raises ``re2.error``."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = 1 << 20
    return re2.compile(pattern, options)  # type: ignore[no-untyped-call]
