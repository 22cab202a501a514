"""Nobody gets past the limits, and the refusal is a sentence."""

import threading
from datetime import datetime
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import ValidationError
from django.db import connection

from monitor_site.watches import services
from monitor_site.watches.models import Watch, WatchTarget
from tests.watches.makers import watch_of, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def refusal_of(user: Any, now: datetime, **changes: Any) -> str:
    with pytest.raises(ValidationError) as refusal:
        watch_of(user, now, **changes)
    return refusal.value.message_dict["__all__"][0]


def test_one_watch_too_many_is_refused_with_a_sentence_and_others_go_on(
    alice: Any, bob: Any, now: datetime, settings: LazySettings
) -> None:
    settings.WATCHES_PER_USER = 2
    for word in ("one", "two"):
        watch_of(alice, now, must=[word])
    assert refusal_of(alice, now, must=["three"]).startswith("You may have 2 watches and no more.")
    assert Watch.objects.count() == 2
    watch_of(bob, now)


def test_a_person_may_be_given_limits_of_their_own(alice: Any, now: datetime, settings: LazySettings) -> None:
    settings.WATCHES_PER_USER = 1
    alice.watch_limit = 2
    alice.save()
    for word in ("one", "two"):
        watch_of(alice, now, must=[word])
    assert refusal_of(alice, now, must=["three"]).startswith("You may have 2 watches")
    alice.watch_limit = 0
    alice.save()
    assert refusal_of(alice, now, must=["three"]).startswith("You may have 0 watches")


def test_a_copy_counts_as_well(alice: Any, now: datetime, settings: LazySettings) -> None:
    settings.WATCHES_PER_USER = 1
    watch = watch_of(alice, now)
    with pytest.raises(ValidationError):
        services.copy_watch(watch=watch, now=now)


def test_questions_are_counted_over_all_watches_of_a_person(alice: Any, now: datetime, settings: LazySettings) -> None:
    settings.QUESTIONS_PER_USER = 3
    watch = watch_of(alice, now, any_of=["T1", "T2"])
    assert refusal_of(alice, now, any_of=["T1", "T2"]).startswith("Your watches may ask 3 questions in all.")
    watch_of(alice, now)
    with pytest.raises(ValidationError):
        services.change_watch(watch=watch, wish=wish(any_of=["T1", "T2", "T3"]), now=now)
    assert WatchTarget.objects.count() == 3


def test_who_is_over_a_limit_that_was_lowered_may_still_change_and_ask_less(
    alice: Any, now: datetime, settings: LazySettings
) -> None:
    watch = watch_of(alice, now, any_of=["T1", "T2"])
    settings.QUESTIONS_PER_USER = settings.WATCHES_PER_USER = 1
    services.change_watch(watch=watch, wish=wish(any_of=["T2", "T3"], price_max=5_000), now=now)
    services.change_watch(watch=watch, wish=wish(), now=now)
    assert WatchTarget.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_tabs_that_save_at_once_do_not_get_past_the_limit(alice: Any, now: datetime, settings: LazySettings) -> None:
    settings.WATCHES_PER_USER = 1
    start = threading.Barrier(4)

    def save(number: int) -> None:
        start.wait()
        try:
            watch_of(alice, now, must=[f"word{number}"])
        except ValidationError:
            pass
        finally:
            connection.close()

    tabs = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert Watch.objects.count() == 1
