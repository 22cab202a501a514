"""Errors of checks in words."""

from collections.abc import Iterator

from monitor_site.contract import MarketplaceError
from monitor_site.web.watch_words import ERRORS, FAILURES, MILD


def kinds(base: type[MarketplaceError] = MarketplaceError) -> Iterator[type[MarketplaceError]]:
    """Every error of the contract; those that tests make are not of it."""
    for kind in base.__subclasses__():
        if kind.__module__ == MarketplaceError.__module__:
            yield kind
            yield from kinds(kind)


def test_every_error_of_the_contract_has_words() -> None:
    codes = {kind.code for kind in kinds()}
    assert {"no_pace", "blocked", "plugin_fault"} <= codes
    assert codes - set(ERRORS) == set()


def test_what_the_core_itself_writes_as_an_error_has_words_too() -> None:
    assert {"failing", "quarantined"} <= set(ERRORS)


def test_our_own_shortage_of_pace_is_no_alarm() -> None:
    assert "no_pace" in MILD & set(FAILURES)
