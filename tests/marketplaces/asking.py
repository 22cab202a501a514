"""Searching with a plugin whose answers the test has written down."""

from collections.abc import Awaitable, Callable
from typing import Any

import redis as redis_library

from monitor_site.contract import SearchCriteria, SearchPage, Session
from monitor_site.marketplaces.breaker import read_all
from monitor_site.marketplaces.gateway import Found, History

from .loopback import Search, sighting

FIRST = History(known=frozenset(), usual=False, empty_streak=0)
USUAL = History(known=frozenset({"old"}), usual=True, empty_streak=0)
CAMERA = SearchCriteria(keyword="カメラ")

Ask = Callable[..., Awaitable[Found]]


def pages(*found: SearchPage, control: SearchPage | None = None) -> Search:
    """A search that gives one page after the other; the control question has its own answer."""
    asked: list[str | None] = []

    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if criteria.keyword == "anything" and control is not None:
            return control
        assert token == (str(len(asked)) if asked else None)
        asked.append(token)
        return found[len(asked) - 1]

    return search


def page(*ids: str, then: str | None = None, **rest: Any) -> SearchPage:
    return SearchPage(sightings=tuple(sighting(each) for each in ids), next_token=then, **rest)


def raising(error: BaseException) -> Search:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        raise error

    return search


def state(redis: redis_library.Redis) -> tuple[str, str]:
    view = read_all(redis, ["bazaar"])["bazaar"]
    return view["state"], view["reason"]
