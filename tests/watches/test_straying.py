"""A marketplace that searches more widely than it was asked is noticed, and nobody is blamed who does not."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Sighting
from monitor_site.watches import services
from monitor_site.watches.models import Match, Target, Watch
from monitor_site.watches.record import record
from monitor_site.watches.straying import straying
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db


def answered(watch: Watch, *rows: Sighting, at: datetime) -> None:
    record([result(Target.objects.searches().get(links__watch=watch), rows, at=at)], now=at)


def things(count: int, *, begin: int = 1, title: str = "陶器の皿 {}枚") -> list[Sighting]:
    return [sighting(begin + at, title=title.format(at)) for at in range(count)]


def test_an_answer_without_the_words_is_named_with_its_size_and_matches_nothing(
    alice: Any, now: datetime, redis: Any
) -> None:
    watch = watch_of(alice, now, tell_existing=True)
    answered(watch, *things(30), at=now)
    assert straying(watch) == {"mercari": 30}
    assert not Match.objects.exists()


@pytest.mark.parametrize("title", ["ルミナ {}", "るみな {}", "ﾙﾐﾅ {}", "中古 ルミナのレンズ {}"])
def test_a_word_counts_in_every_spelling(alice: Any, now: datetime, redis: Any, title: str) -> None:
    watch = watch_of(alice, now)
    answered(watch, *things(20), *things(2, begin=100, title=title), at=now)
    assert straying(watch) == {}


def test_of_several_words_one_is_enough(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now, must=["ルミナ", "皿"])
    answered(watch, *things(30), at=now)
    assert straying(watch) == {}


def test_too_few_results_say_nothing(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now)
    answered(watch, *things(19), at=now)
    assert straying(watch) == {}


def test_it_is_over_with_the_next_answer_that_has_the_words(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now)
    answered(watch, *things(30), at=now)
    answered(watch, *things(30, begin=200, title="ルミナ {}"), at=now + timedelta(minutes=1))
    assert straying(watch) == {}


def test_the_list_of_one_seller_is_no_answer_to_words(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now, options={"mercari": {"seller": 812}})
    answered(watch, *things(30), at=now)
    assert straying(watch) == {}


def test_a_paused_watch_and_one_without_an_answer_have_nothing_to_tell(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now)
    assert straying(watch) == {}
    answered(watch, *things(30), at=now)
    services.pause_watch(watch=watch, now=now)
    watch.refresh_from_db()
    assert straying(watch) == {}


def test_it_costs_two_questions_to_the_database(
    alice: Any, now: datetime, redis: Any, django_assert_num_queries: Any
) -> None:
    watch = watch_of(alice, now)
    answered(watch, *things(200), at=now)
    with django_assert_num_queries(2):
        assert straying(watch) == {"mercari": 100}
