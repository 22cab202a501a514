"""No title fools the matching, and no unwanted word hides from it."""

import pytest

from monitor_site.contract import Kind, Sighting, Status
from monitor_site.watches.matching import Rule, decide
from tests.watches.moments import NOON
from tests.watches.traps import TRAPS


def found(title: str, word: str) -> bool:
    seen = Sighting(
        external_id="m1",
        title=title,
        url="https://m.example/1",
        price=None,
        kind=Kind.FLEA,
        status=Status.ON_SALE,
    )
    return decide(Rule(must=(word,)), seen, now=NOON).matches


@pytest.mark.parametrize(("title", "word", "matches"), TRAPS)
def test_no_title_fools_the_matching(title: str, word: str, matches: bool) -> None:
    assert found(title, word) is matches


def test_an_unwanted_word_is_as_hard_to_hide() -> None:
    hidden = [(title, word) for title, word, matches in TRAPS if matches]
    for title, word in hidden:
        seen = Sighting(
            external_id="m1", title=title, url="https://m.example/1", price=None, kind=Kind.FLEA, status=Status.ON_SALE
        )
        assert decide(Rule(none_of=(word,)), seen, now=NOON).rejected
