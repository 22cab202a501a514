"""Answers that look well and cannot be believed."""

import pytest
import redis as redis_library
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from monitor_site.connections import key
from monitor_site.contract import (
    BadRow,
    Blocked,
    Kind,
    LayoutChanged,
    SearchCriteria,
    SearchPage,
    Session,
    Status,
    SuspectEmpty,
)
from monitor_site.marketplaces.gateway import History
from tests.nowhere import closed_port

from .asking import FIRST, USUAL, Ask, page, pages, state
from .loopback import Search, sighting

pytestmark = pytest.mark.usefixtures("_practice")


async def test_nothing_where_nothing_is_usual_is_nothing(ask: Ask) -> None:
    assert (await ask(pages(page(), control=page("c1")), FIRST)).sightings == ()


async def test_nothing_from_the_very_first_search_on_is_a_block_when_the_control_question_finds_nothing_either(
    ask: Ask, redis: redis_library.Redis
) -> None:
    with pytest.raises(Blocked):
        await ask(pages(page(), control=page()), FIRST)

    assert state(redis) == ("open", "blocked")


async def test_for_targets_that_never_had_rows_the_control_question_is_asked_once_in_ten_minutes(
    ask: Ask, redis: redis_library.Redis
) -> None:
    asked: list[str] = []
    began = redis.time()[0]

    for _ in range(3):
        await ask(noting(asked), FIRST)

    assert asked == ["カメラ", "anything", "カメラ", "カメラ"]
    left = redis.ttl(key("control", "bazaar"))
    assert 598 - (redis.time()[0] - began) <= left <= 600


async def test_where_rows_are_usual_the_control_question_is_asked_whatever_it_said_lately(ask: Ask) -> None:
    asked: list[str] = []
    await ask(noting(asked), FIRST)

    with pytest.raises(SuspectEmpty):
        await ask(noting(asked), USUAL)

    assert asked[2:] == ["カメラ", "anything"]


async def test_a_bad_control_question_is_not_remembered_as_good(ask: Ask, redis: redis_library.Redis) -> None:
    for _ in range(2):
        with pytest.raises(Blocked):
            await ask(pages(page(), control=page()), FIRST)

    assert not redis.exists(key("control", "bazaar"))


async def test_nothing_is_nothing_although_redis_went_away(ask: Ask) -> None:
    away = redis_library.asyncio.Redis(port=closed_port(), retry=Retry(NoBackoff(), 0))

    assert (await ask(pages(page(), control=page("c1")), FIRST, redis=away)).sightings == ()


async def test_nothing_where_rows_are_usual_is_doubted_while_the_control_question_has_rows(ask: Ask) -> None:
    with pytest.raises(SuspectEmpty):
        await ask(pages(page(), control=page("c1")), USUAL)


async def test_nothing_is_believed_the_third_time(ask: Ask) -> None:
    for streak, believed in ((1, False), (2, True), (3, True)):
        history = History(known=frozenset(), usual=True, empty_streak=streak)
        if believed:
            assert (await ask(pages(page(), control=page("c1")), history)).sightings == ()
        else:
            with pytest.raises(SuspectEmpty):
                await ask(pages(page(), control=page("c1")), history)


async def test_when_even_the_control_question_finds_nothing_we_are_blocked(
    ask: Ask, redis: redis_library.Redis
) -> None:
    history = History(known=frozenset(), usual=True, empty_streak=5)

    with pytest.raises(Blocked):
        await ask(pages(page(), control=page()), history)

    assert state(redis) == ("open", "blocked")


async def test_a_blocked_control_question_is_a_block(ask: Ask, redis: redis_library.Redis) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if criteria.keyword == "anything":
            raise Blocked("403")
        return page()

    with pytest.raises(Blocked):
        await ask(search, USUAL)

    assert state(redis) == ("open", "blocked")


async def test_the_control_question_is_asked_once(ask: Ask) -> None:
    asked: list[str] = []

    with pytest.raises(SuspectEmpty):
        await ask(noting(asked), USUAL)

    assert asked == ["カメラ", "anything"]


async def test_rows_of_which_none_can_be_read_are_not_nothing(ask: Ask) -> None:
    with pytest.raises(LayoutChanged, match="no id"):
        await ask(pages(page(bad_rows=(BadRow(position=0, reason="no id"),))), FIRST)


@pytest.mark.parametrize(("gone", "word"), [({"price": None}, "price"), ({"status": Status.UNKNOWN}, "status")])
async def test_what_is_gone_from_every_row_of_five_is_another_layout(
    ask: Ask, gone: dict[str, object], word: str
) -> None:
    with pytest.raises(LayoutChanged, match=f"{word} gone from all of 5 rows"):
        await ask(pages(rows(5, **gone)))


@pytest.mark.parametrize("gone", [{"price": None}, {"status": Status.UNKNOWN}])
async def test_what_is_gone_from_a_few_rows_or_from_most_is_no_other_layout(ask: Ask, gone: dict[str, object]) -> None:
    few, most = rows(4, **gone), rows(5, **gone)
    most = SearchPage(sightings=(*most.sightings, sighting("whole")))

    assert len((await ask(pages(few))).sightings) == 4
    assert len((await ask(pages(most))).sightings) == 6


async def test_auctions_may_all_be_without_a_price(ask: Ask) -> None:
    assert len((await ask(pages(rows(9, price=None, kind=Kind.AUCTION)))).sightings) == 9


def rows(count: int, **changes: object) -> SearchPage:
    return SearchPage(sightings=tuple(sighting(f"r{each}", **changes) for each in range(count)))


def noting(asked: list[str]) -> Search:
    """Nothing found but by the control question; what was asked is noted."""

    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        asked.append(criteria.keyword)
        return page("c1") if criteria.keyword == "anything" else page()

    return search
