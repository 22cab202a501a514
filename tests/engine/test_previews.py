"""Asking for people who preview: what is left over, and never in anybody's way."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from monitor_site.connections import key
from monitor_site.contract import Blocked, Kind, NoPace, Pace, SearchPage, Sighting, Status, Unavailable
from monitor_site.engine import previews, worker
from monitor_site.marketplaces import pace
from monitor_site.watches import asking
from monitor_site.watches.asking import Answer, Question, Wanted, look_at
from tests.curio import known
from tests.marketplaces import loopback
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)
USER = 7
QUESTION = Question(marketplace="bazaar", kind="search", criteria='{"keyword":"x"}')
FOUND = Sighting(
    external_id="b1",
    title="x",
    url="http://127.0.0.1:9/item/b1",
    price=None,
    kind=Kind.FLEA,
    status=Status.ON_SALE,
)


class Bazaar:
    """A marketplace whose answers are the test's; what it is asked is counted."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.error: Exception | None = None

    async def search(self, criteria: Any, *, page_token: Any = None) -> SearchPage:
        self.asked.append(criteria.keyword)
        await asyncio.sleep(0)
        if self.error:
            raise self.error
        return SearchPage(sightings=(FOUND,))


@pytest.fixture
def bazaar(settings: Any) -> Iterator[Bazaar]:
    """It is played at an address that nobody asks."""
    market = Bazaar()
    settings.PRACTICE_MARKETS = {"bazaar": "http://127.0.0.1:9"}
    changes = {"picture_hosts": (), "pace": Pace(per_minute=60, ceiling_per_minute=60, floor_seconds=1)}
    with known(loopback.plugin(connect=lambda _session: market, **changes)):
        yield market


def want(redis: Redis, *questions: Question, slot: str = asking.SEARCHES) -> None:
    asking.begin(redis, user_id=USER, slot=slot, want=Wanted(questions=questions, at=time.time()))


def answer(redis: Redis, question: Question = QUESTION) -> Answer:
    """The answer that is there now."""
    found = asking.answers(redis, user_id=USER, questions=[question], now=0)
    return found[question]


def work() -> None:
    worker.work(lane="express", seat="express-1", drain_seconds=PATIENCE_SECONDS, burst=True)


def test_an_answer_comes_through_the_lane(redis: Redis, bazaar: Bazaar) -> None:
    want(redis, QUESTION)
    assert answer(redis).state == "asked"
    work()
    assert answer(redis) == Answer(state="found", sightings=[FOUND])


def test_the_same_question_is_asked_once_while_its_answer_is_fresh(redis: Redis, bazaar: Bazaar) -> None:
    want(redis, QUESTION)
    work()
    want(redis, QUESTION)
    work()
    assert bazaar.asked == ["x"]


def test_what_nobody_wants_any_more_is_not_asked(redis: Redis, bazaar: Bazaar) -> None:
    want(redis, QUESTION)
    other = Question(marketplace="bazaar", kind="search", criteria='{"keyword":"y"}')
    want(redis, other)
    work()
    assert bazaar.asked == ["y"]


def test_a_question_that_two_previews_share_is_asked_for_the_newer_one(redis: Redis, bazaar: Bazaar) -> None:
    want(redis, QUESTION)
    want(redis, QUESTION, Question(marketplace="bazaar", kind="search", criteria='{"keyword":"y"}'))
    work()
    assert sorted(bazaar.asked) == ["x", "y"]


def test_while_the_pace_is_used_up_nothing_is_asked_and_the_wait_is_told(
    redis: Redis, bazaar: Bazaar, settings: Any
) -> None:
    settings.PRACTICE_PACE_PER_MINUTE = 60
    seconds, _ = redis.time()
    redis.hset(pace.pace_key("bazaar"), mapping={"tokens": -3, "at": seconds * 1000})
    want(redis, QUESTION)
    began = time.time()
    work()
    waits = answer(redis)
    assert (waits.state, bazaar.asked) == ("waiting", [])
    assert waits.again_at
    assert began + 1 < waits.again_at < time.time() + 5


def test_what_has_waited_long_enough_is_asked_again(redis: Redis, bazaar: Bazaar) -> None:
    want(redis, QUESTION)
    work()
    asking.keep(redis, user_id=USER, key=QUESTION.key, answer=Answer(state="waiting", again_at=time.time() - 1))
    asking.answers(redis, user_id=USER, questions=[QUESTION], now=time.time())
    work()
    assert len(bazaar.asked) == 2


def test_previews_leave_half_of_the_pace_to_the_checks(redis: Redis, bazaar: Bazaar, settings: Any) -> None:
    settings.PRACTICE_PACE_PER_MINUTE = 8
    questions = [Question(marketplace="bazaar", kind="search", criteria=f'{{"keyword":"{n}"}}') for n in range(6)]
    minute = int(time.time() // 60)
    for then in (minute, minute + 1):
        redis.set(key("preview", "minute", "bazaar", "all", then), 4)
    want(redis, *questions)
    work()
    assert bazaar.asked == []
    assert {answer(redis, one).state for one in questions} == {"waiting"}


def test_one_person_leaves_something_to_the_others(redis: Redis, bazaar: Bazaar, settings: Any) -> None:
    settings.PRACTICE_PACE_PER_MINUTE = 40
    minute = int(time.time() // 60)
    for then in (minute, minute + 1):
        redis.set(key("preview", "minute", "bazaar", USER, then), 10)
    want(redis, QUESTION)
    work()
    assert (bazaar.asked, answer(redis).state) == ([], "waiting")
    assert not redis.exists(key("preview", "minute", "bazaar", "all", minute))


@pytest.mark.parametrize(
    ("error", "state", "code"),
    [
        (Unavailable("x"), "failed", "unavailable"),
        (Blocked("x"), "failed", "blocked"),
        (NoPace("x"), "waiting", ""),
        (RuntimeError("x"), "failed", "plugin_fault"),
    ],
)
def test_what_goes_wrong_becomes_a_word(redis: Redis, bazaar: Bazaar, error: Exception, state: str, code: str) -> None:
    bazaar.error = error
    want(redis, QUESTION)
    work()
    assert (answer(redis).state, answer(redis).error) == (state, code)


def test_a_marketplace_that_refuses_a_preview_is_asked_by_nobody_for_a_while(redis: Redis, bazaar: Bazaar) -> None:
    bazaar.error = Blocked("x")
    want(redis, QUESTION)
    work()
    redis.delete(key("preview", USER, "answer", QUESTION.key))
    want(redis, QUESTION)
    work()
    stopped = answer(redis)
    assert (stopped.state, stopped.error, len(bazaar.asked)) == ("stopped", "blocked", 1)


@pytest.mark.parametrize(
    "question",
    [
        Question(marketplace="nowhere", kind="search", criteria="{}"),
        Question(marketplace="bazaar", kind="search", criteria='{"unheard":1}'),
        look_at("bazaar", "b1"),
    ],
)
def test_what_cannot_be_asked_fails_and_the_worker_goes_on(redis: Redis, bazaar: Bazaar, question: Question) -> None:
    want(redis, question, slot=asking.LOOKS)
    work()
    assert answer(redis, question).state == "failed"


def test_the_lane_goes_on_while_an_answer_is_slow(redis: Redis, bazaar: Bazaar) -> None:
    release = asyncio.Event()

    async def slow(criteria: Any, *, page_token: Any = None) -> SearchPage:
        await release.wait()
        return SearchPage(sightings=(FOUND,))

    bazaar.search = slow  # type: ignore[method-assign]
    want(redis, QUESTION)
    previews.ask(USER, QUESTION.key)
    previews.ask(USER, QUESTION.key)
    assert answer(redis).state == "asked"
    (asker,) = previews._askers
    asker._thread.loop.call_soon_threadsafe(release.set)
    previews.close(seconds=PATIENCE_SECONDS)
    assert answer(redis).state == "found"
