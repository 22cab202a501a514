"""The only caller of plugins: pages, and draws the consequences."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
import redis as redis_library
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from structlog.testing import capture_logs

from monitor_site.contract import (
    Answer,
    BadRow,
    Blocked,
    ChallengeRequired,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    NoPace,
    Pauses,
    PluginFault,
    SearchCriteria,
    SearchPage,
    Session,
    SignInNeeded,
    SuspectEmpty,
    Tells,
    Throttled,
    Unavailable,
)
from monitor_site.marketplaces import consequences
from monitor_site.marketplaces.breaker import breaker_key, tally_key
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.pace import pace_key
from monitor_site.marketplaces.transport import Limits
from tests.nowhere import closed_port

from .asking import CAMERA, FIRST, USUAL, Ask, page, pages, raising, state
from .clock import LONG, let_time_pass
from .loopback import Loopback, Search, plugin, shelf, sighting

pytestmark = pytest.mark.usefixtures("_practice")


# -- asking over HTTP ---------------------------------------------------------------------------------------------


async def over_http(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
    def parse(answer: Answer) -> SearchPage:
        return page(*json.loads(answer.body))

    return await session.read(parse, await session.post(f"{session.base}/search", json={"q": criteria.keyword}))


async def test_a_search_brings_what_the_practice_market_answers(ask: Ask, loopback: Loopback) -> None:
    loopback.answer("/search", body := b'["b2", "b1"]')

    found = await ask(over_http)

    assert [each.external_id for each in found.sightings] == ["b2", "b1"]
    assert (found.pages, found.gap, found.bytes) == (1, False, len(body))
    assert json.loads(loopback.asked[0].body) == {"q": "カメラ"}


async def test_without_a_practice_market_only_a_live_installation_asks(ask: Ask, settings: Any) -> None:
    settings.PRACTICE_MARKETS = {}
    settings.LIVE = False

    with pytest.raises(Unavailable, match="practice market"):
        await ask(over_http)


async def test_a_live_search_goes_to_the_plugins_own_address(ask: Ask, settings: Any) -> None:
    settings.PRACTICE_MARKETS = {}
    settings.LIVE = True
    bases: list[str] = []

    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        bases.extend((session.base, session.web))
        with pytest.raises(PluginFault):
            await session.get("https://elsewhere.example/")
        return page("b1")

    await ask(search)

    assert bases == ["https://api.bazaar.example", "https://www.bazaar.example"]


async def test_while_practising_pages_are_where_the_practice_market_is(ask: Ask, loopback: Loopback) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        return SearchPage(sightings=(sighting(url=f"{session.web}/item/1"),))

    assert (await ask(search)).sightings[0].url == f"{loopback.base}/item/1"


async def test_connections_are_kept_between_searches(aredis: redis.asyncio.Redis, loopback: Loopback) -> None:
    loopback.answer("/search", b'["b1"]')
    gateway = Gateway(redis=aredis, catalog=shelf(plugin(over_http)))

    for _ in range(3):
        await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)
    await gateway.close()

    assert (len(loopback.asked), loopback.connections) == (3, 1)


# -- paging -------------------------------------------------------------------------------------------------------


async def test_a_first_search_reads_one_page(ask: Ask) -> None:
    found = await ask(pages(page("b1", then="1")), FIRST)

    assert (found.pages, found.gap) == (1, False)


async def test_a_page_with_something_known_is_the_last(ask: Ask) -> None:
    found = await ask(pages(page("b3", "b2", then="1"), page("b1", "old", then="2")), USUAL)

    assert [each.external_id for each in found.sightings] == ["b3", "b2", "b1", "old"]
    assert (found.pages, found.gap) == (2, False)


async def test_what_is_known_at_the_top_alone_may_have_been_moved_up_and_does_not_end_the_reading(ask: Ask) -> None:
    new = [f"n{each}" for each in range(19)]
    found = await ask(pages(page("old", *new, then="1"), page("b1", "b2", then="2"), page("old", then="3")), USUAL)

    assert (found.pages, found.gap, len(found.sightings)) == (3, False, 22)


async def test_one_that_was_empty_before_is_read_to_its_end(ask: Ask) -> None:
    empty = replace(FIRST, answered=True)
    found = await ask(pages(page("b2", then="1"), page("b1")), empty)

    assert (found.pages, found.gap) == (2, False)


async def test_the_end_of_the_results_is_no_gap(ask: Ask) -> None:
    found = await ask(pages(page("b2", then="1"), page("b1")), USUAL)

    assert (found.pages, found.gap) == (2, False)


async def test_five_pages_of_nothing_but_new_leave_a_gap(ask: Ask) -> None:
    found = await ask(pages(*(page(f"b{each}", then=str(each)) for each in range(1, 6))), USUAL)

    assert (found.pages, found.gap, len(found.sightings)) == (5, True, 5)


async def test_a_page_that_only_repeats_ends_the_paging_with_a_gap(ask: Ask) -> None:
    found = await ask(pages(page("b1", then="1"), page("b1", then="2")), USUAL)

    assert (found.pages, found.gap) == (2, True)


async def test_a_listing_on_two_pages_counts_once_as_it_was_first_seen(ask: Ask) -> None:
    again = SearchPage(sightings=(sighting("b1", title="later"), sighting("old")))

    found = await ask(pages(page("b2", "b1", then="1"), again), USUAL)

    assert [(each.external_id, each.title) for each in found.sightings] == [
        ("b2", "古いカメラ"),
        ("b1", "古いカメラ"),
        ("old", "古いカメラ"),
    ]


async def test_bad_rows_and_padding_are_counted_over_all_pages(ask: Ask) -> None:
    bad = (BadRow(position=0, reason="no id"),)

    found = await ask(pages(page("b1", then="1", bad_rows=bad, padding=2), page("old", bad_rows=bad, padding=1)), USUAL)

    assert (found.bad_rows, found.padding) == (2, 3)


@pytest.mark.parametrize("error", [Throttled("slow down"), Unavailable("cut"), LayoutChanged("?"), NoPace("none left")])
async def test_what_breaks_on_a_later_page_leaves_a_gap_and_the_pages_read_stand(
    ask: Ask, error: MarketplaceError
) -> None:
    found = await ask(breaking_off(error), USUAL)

    assert [each.external_id for each in found.sightings] == ["b1"]
    assert (found.pages, found.gap) == (1, True)


async def test_what_breaks_on_a_later_page_has_its_consequences(ask: Ask, redis: redis_library.Redis) -> None:
    await ask(breaking_off(Throttled("slow down", retry_after=40)), USUAL)

    assert state(redis) == ("open", "throttled")


async def test_a_later_page_that_fails_again_and_again_opens_the_breaker(ask: Ask, redis: redis_library.Redis) -> None:
    for _ in range(10):
        await ask(breaking_off(Unavailable("cut")), USUAL)

    assert state(redis) == ("open", "failing")


async def test_a_fault_on_a_later_page_is_logged(ask: Ask) -> None:
    with capture_logs() as lines:
        await ask(breaking_off(RuntimeError("bug")), USUAL)

    assert [line["event"] for line in lines] == ["plugin.fault"]


async def test_a_search_that_breaks_off_with_nothing_in_hand_fails(ask: Ask) -> None:
    with pytest.raises(Throttled):
        await ask(breaking_off(Throttled("slow down"), page(then="1")), USUAL)


async def test_turning_pages_ends_in_time_with_what_was_read(ask: Ask, redis: redis_library.Redis) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if token:
            await asyncio.Event().wait()
        return page("b1", then="1")

    found = await ask(search, USUAL, limits=Limits(deadline_seconds=0.05))

    assert (len(found.sightings), found.gap) == (1, True)
    assert not redis.exists(breaker_key("bazaar"), tally_key("bazaar"))


def breaking_off(error: BaseException, first: SearchPage | None = None) -> Search:
    """One page, and an error instead of the next."""

    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if token:
            raise error
        return first or page("b1", then="1")

    return search


# -- consequences -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (Throttled("429", retry_after=34), 34),
        (Throttled("429"), 105),
        (Blocked("403"), 1800),
        (SignInNeeded("401"), 600),
        (ChallengeRequired("prove it"), 600),
    ],
)
async def test_an_error_that_pauses_the_marketplace_or_an_account_nobody_has_opens_its_breaker(
    ask: Ask, redis: redis_library.Redis, error: MarketplaceError, seconds: int
) -> None:
    """Only a wait that nobody asked for is stretched by chance: here by half of the most."""
    with pytest.raises(type(error)):
        await ask(raising(error), chance=lambda: 0.5)

    assert state(redis) == ("open", error.code)
    assert int(redis.hget(breaker_key("bazaar"), "length") or 0) == seconds * 1000


@pytest.mark.parametrize("error", [LayoutChanged("?"), NoPace(""), SuspectEmpty(""), RuntimeError("bug")])
async def test_an_error_that_pauses_less_leaves_the_breaker_alone(
    ask: Ask, redis: redis_library.Redis, error: Exception
) -> None:
    for _ in range(12):
        with pytest.raises(MarketplaceError):
            await ask(raising(error))

    assert not redis.exists(breaker_key("bazaar"), tally_key("bazaar"))


async def test_ten_times_unavailable_opens_the_breaker(ask: Ask, redis: redis_library.Redis) -> None:
    for _ in range(10):
        assert state(redis)[0] == "closed"
        with pytest.raises(Unavailable):
            await ask(raising(Unavailable("503")))

    assert state(redis) == ("open", "failing")


async def test_successes_told_in_bulk_still_count_against_failures(
    aredis: redis.asyncio.Redis, redis: redis_library.Redis
) -> None:
    down = False

    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if down:
            raise Unavailable("503")
        return page("b1")

    gateway = Gateway(redis=aredis, catalog=shelf(plugin(search)))
    for _ in range(12):
        await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)
    down, states = True, []
    for _ in range(12):
        with pytest.raises(Unavailable):
            await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)
        states.append(state(redis)[0])

    assert states == ["closed"] * 11 + ["open"]


async def test_our_own_lack_of_pace_is_not_held_against_the_marketplace(
    ask: Ask, redis: redis_library.Redis, settings: Any
) -> None:
    settings.PRACTICE_PACE_PER_MINUTE = 1
    redis.hset(pace_key("bazaar"), mapping={"tokens": -1000, "at": redis.time()[0] * 1000})

    for _ in range(10):
        with pytest.raises(NoPace, match="no pace left"):
            await ask(over_http)

    assert not redis.exists(breaker_key("bazaar"), tally_key("bazaar"))


async def test_a_success_closes_a_breaker_that_is_being_tried(ask: Ask, redis: redis_library.Redis) -> None:
    redis.hset(breaker_key("bazaar"), mapping={"state": "open", "until": 1, "opened": 1, "reason": "blocked"})

    await ask(pages(page("b1")))

    assert state(redis)[0] == "closed"


async def test_what_was_found_counts_although_redis_went_away(ask: Ask) -> None:
    away = redis.asyncio.Redis(port=closed_port(), retry=Retry(NoBackoff(), 0))

    with capture_logs() as lines:
        found = await ask(pages(page("b1")), redis=away)

    assert len(found.sightings) == 1
    assert [line["event"] for line in lines] == ["breaker.redis_away"]


async def test_an_error_stays_the_marketplaces_although_redis_went_away(ask: Ask) -> None:
    away = redis.asyncio.Redis(port=closed_port(), retry=Retry(NoBackoff(), 0))

    for error in (Throttled("429"), Unavailable("503")):
        with pytest.raises(type(error)):
            await ask(raising(error), redis=away)


# -- plugins that misbehave ---------------------------------------------------------------------------------------


class Homemade(MarketplaceError):
    code = "homemade"


class Mute(Exception):
    def __str__(self) -> str:
        raise SystemExit


class Threatening(Throttled):
    pauses = "the whole site"  # type: ignore[assignment]


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("bug"),
        KeyError("price"),
        TimeoutError(),
        StopAsyncIteration(),
        SystemExit(1),
        KeyboardInterrupt(),
        BaseException("raw"),
        asyncio.CancelledError(),
        BaseExceptionGroup("many", [SystemExit(), ValueError()]),
        MemoryError(),
        Mute(),
        Homemade("mine"),
        Threatening("mine"),
        Throttled("429", retry_after="soon"),  # type: ignore[arg-type]
    ],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_a_plugin_raises_the_core_hears_plugin_fault(ask: Ask, error: BaseException) -> None:
    with pytest.raises(PluginFault) as raised:
        await ask(raising(error))

    assert raised.value.pauses == Pauses.TARGET
    assert raised.value.__cause__ is error


async def test_a_parser_that_ends_its_thread_is_a_plugin_fault(ask: Ask, loopback: Loopback) -> None:
    loopback.answer("/", bytes(100_000))

    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        def parse(answer: Answer) -> SearchPage:
            raise SystemExit(1)

        return await session.read(parse, await session.get(f"{session.base}/"))

    with pytest.raises(PluginFault, match="SystemExit"):
        await ask(search)


@pytest.mark.parametrize("found", [None, "page", [sighting()]])
async def test_a_search_that_returns_no_page_is_a_plugin_fault(ask: Ask, found: Any) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> Any:
        return found

    with pytest.raises(PluginFault, match="search returned"):
        await ask(search)


async def test_a_listing_that_cannot_be_looked_at_is_a_plugin_fault(ask: Ask) -> None:
    class Trap(str):
        def __len__(self) -> int:
            raise SystemExit

    with pytest.raises(PluginFault, match="SystemExit"):
        await ask(pages(SearchPage(sightings=(sighting(url=Trap("https://www.bazaar.example/")),))))


async def test_a_search_that_is_not_asynchronous_is_a_plugin_fault(aredis: redis.asyncio.Redis) -> None:
    class Hasty:
        def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
            return page("b1")

    gateway = Gateway(redis=aredis, catalog=shelf(plugin(connect=lambda session: Hasty())))  # type: ignore[arg-type,return-value]

    with pytest.raises(PluginFault, match="await"):
        await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)


async def test_a_plugin_that_cannot_connect_is_a_plugin_fault(aredis: redis.asyncio.Redis) -> None:
    def connect(session: Session) -> Any:
        raise SystemExit("no")

    gateway = Gateway(redis=aredis, catalog=shelf(plugin(connect=connect)))

    with pytest.raises(PluginFault, match="SystemExit"):
        await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)


async def test_a_marketplace_without_a_working_plugin_is_a_plugin_fault(aredis: redis.asyncio.Redis) -> None:
    with pytest.raises(PluginFault, match="nowhere"):
        await Gateway(redis=aredis, catalog=shelf()).search(marketplace="nowhere", criteria=CAMERA, history=FIRST)


async def test_a_fault_is_logged_once_with_its_traceback(aredis: redis.asyncio.Redis) -> None:
    gateway = Gateway(redis=aredis, catalog=shelf(plugin(raising(RuntimeError("bug")))))

    with capture_logs() as lines:
        for _ in range(3):
            with pytest.raises(PluginFault):
                await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)

    assert [(line["event"], line["marketplace"]) for line in lines] == [("plugin.fault", "bazaar")]
    assert isinstance(lines[0]["exc_info"].__cause__, RuntimeError)


OUTAGE = "marketplace.failing"
SILENT: list[type[MarketplaceError]] = [Unavailable, NoPace, Throttled, SuspectEmpty, ListingGone]
KINDS = [*SILENT, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged]


@pytest.mark.parametrize("kind", KINDS)
async def test_an_operator_hears_of_what_concerns_operators_and_of_nothing_else(
    ask: Ask, kind: type[MarketplaceError]
) -> None:
    with capture_logs() as lines, pytest.raises(kind):
        await ask(raising(kind("detail of it")))

    told = [line for line in lines if line["event"] == OUTAGE]
    assert [(line["log_level"], line["error"], line["detail"]) for line in told] == [
        ("error", kind.code, "detail of it")
    ] * (kind.tells == Tells.OPERATOR)


async def test_an_outage_is_told_once_however_long_it_lasts_and_the_next_one_again(
    aredis: redis.asyncio.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = Gateway(redis=aredis, catalog=shelf(plugin(raising(LayoutChanged("no rows")))))

    async def told(times: int) -> int:
        with capture_logs() as lines:
            for _ in range(times):
                with pytest.raises(LayoutChanged):
                    await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)
        return sum(line["event"] == OUTAGE for line in lines)

    assert await told(5) == 1
    assert await told(5) == 0
    monkeypatch.setattr(consequences, "OUTAGE_SECONDS", 0.0)
    assert await told(1) == 1


async def test_an_ordinary_failure_writes_no_line(ask: Ask) -> None:
    with capture_logs() as lines, pytest.raises(Unavailable):
        await ask(raising(Unavailable("503")))

    assert lines == []


# -- being stopped ------------------------------------------------------------------------------------------------


async def test_a_search_can_be_cancelled(ask: Ask) -> None:
    reached = asyncio.Event()

    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        reached.set()
        await asyncio.Event().wait()
        return page()

    task = asyncio.ensure_future(ask(search))
    await reached.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_plugin_that_answers_cancelling_with_an_error_is_cancelled_all_the_same(ask: Ask) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        let_time_pass()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("no, thanks") from None
        return page()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(LONG):
            await ask(search)


async def test_a_time_out_around_a_search_is_the_callers(ask: Ask) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        let_time_pass()
        await asyncio.Event().wait()
        return page()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(LONG):
            await ask(search)


async def test_a_slow_marketplace_is_unavailable_and_counts_as_failed(
    ask: Ask, loopback: Loopback, redis: redis_library.Redis
) -> None:
    async def hold(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    loopback.routes["/search"] = hold

    with pytest.raises(Unavailable):
        await ask(over_http, limits=Limits(deadline_seconds=0.05))

    assert redis.exists(tally_key("bazaar"))


async def test_a_search_that_is_cut_is_unavailable_and_counts_as_failed(ask: Ask, redis: redis_library.Redis) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        await asyncio.Event().wait()
        return page()

    with pytest.raises(Unavailable, match=r"cut after 0\.02 s"):
        await ask(search, within=0.02)

    assert redis.exists(tally_key("bazaar"))


async def test_pages_that_turn_slowly_end_before_the_cut_with_what_was_read(ask: Ask) -> None:
    async def search(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        if token:
            let_time_pass(0.95 * LONG)  # past the time for turning pages, before the cut
            await asyncio.Event().wait()
        return page("b1", then="1")

    found = await ask(search, USUAL, limits=Limits(deadline_seconds=2 * LONG), within=LONG)

    assert (len(found.sightings), found.gap) == (1, True)


async def test_a_wait_for_pace_that_would_end_after_the_cut_is_our_own_shortage(
    ask: Ask, loopback: Loopback, redis: redis_library.Redis
) -> None:
    # Of the future: until then no token comes back, however long all this takes.
    redis.hset(pace_key("bazaar"), mapping={"tokens": -12_000, "at": (redis.time()[0] + 3600) * 1000})

    with pytest.raises(NoPace):
        await ask(over_http, within=10)

    assert not redis.exists(tally_key("bazaar"))
