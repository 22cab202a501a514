"""What flips is told once an hour for each state; the timeline keeps everything."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Sighting, Status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow
from monitor_site.watches.models import Listing, ListingEvent, Target
from monitor_site.watches.record import record
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def look(alice: Any, now: datetime, redis: Any, monkeypatch: pytest.MonkeyPatch) -> Target:
    let_look(monkeypatch, "mercari")
    search = Target.objects.searches().get(links__watch=watch_of(alice, now, tell_existing=True))
    record([result(search, [sighting(1)], at=now)], now=now)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    OutboxRow.objects.all().delete()
    return Target.objects.looks().get()


def told(look: Target, row: Sighting, *, at: datetime) -> bool:
    """Whether open pages hear of what this look has seen."""
    OutboxRow.objects.all().delete()
    record([result(look, [row], at=at)], now=at + SECOND)
    return OutboxRow.objects.filter(topic="listing").exists()


def events() -> list[tuple[str, bool]]:
    return list(ListingEvent.objects.order_by("pk").exclude(kind="listed").values_list("kind", "damped"))


def test_a_listing_that_flips_between_two_states_is_told_once_of_each(look: Target, now: datetime) -> None:
    flips = [Status.RESERVED, Status.ON_SALE] * 3
    heard = [told(look, sighting(1, status=s), at=now + (n + 1) * MINUTE) for n, s in enumerate(flips)]
    assert heard == [True, True, False, False, False, False]
    assert events() == [("reserved", False), ("back", False), *[("reserved", True), ("back", True)] * 2]
    assert Listing.objects.get().status == "on_sale"


def test_a_price_that_flips_is_told_once_of_each_and_a_new_price_at_once(look: Target, now: datetime) -> None:
    prices = [4_000, 5_000, 4_000, 5_000, 4_500, 3_900]
    heard = [told(look, sighting(1, price=p), at=now + (n + 1) * MINUTE) for n, p in enumerate(prices)]
    assert heard == [True, True, False, False, True, True]
    assert [damped for _, damped in events()] == [not one for one in heard]


def test_after_an_hour_it_is_news_again(look: Target, now: datetime) -> None:
    for hour in range(3):
        at = now + hour * (HOUR + 2 * MINUTE) + MINUTE
        assert told(look, sighting(1, status=Status.RESERVED), at=at)
        assert told(look, sighting(1), at=at + MINUTE)


def test_after_a_day_and_an_hour_more_than_an_hour_has_passed(look: Target, now: datetime) -> None:
    for at in (now + MINUTE, now + 25 * HOUR + 2 * MINUTE):
        assert told(look, sighting(1, status=Status.RESERVED), at=at)
        assert told(look, sighting(1), at=at + MINUTE)


def test_the_hour_begins_with_what_was_told_so_that_ceaseless_flapping_is_heard_hourly(
    look: Target, now: datetime
) -> None:
    heard = 0
    for n in range(1, 121):
        heard += told(look, sighting(1, status=Status.RESERVED if n % 2 else Status.ON_SALE), at=now + n * MINUTE)
    assert heard == 4


def test_a_damped_state_with_news_beside_it_is_told(look: Target, now: datetime) -> None:
    for n, status in enumerate((Status.RESERVED, Status.ON_SALE)):
        told(look, sighting(1, status=status), at=now + (n + 1) * MINUTE)
    assert told(look, sighting(1, status=Status.RESERVED, price=4_000), at=now + 3 * MINUTE)


@pytest.mark.parametrize("status", [Status.SOLD, Status.REMOVED, Status.ENDED])
def test_a_sale_or_an_end_is_never_kept_back_and_what_is_back_is_followed(
    look: Target, now: datetime, status: Status
) -> None:
    for n in range(3):
        at = now + (2 * n + 1) * MINUTE
        assert told(look, sighting(1, status=status), at=at)
        told(look, sighting(1), at=at + MINUTE)
        assert OutboxRow.objects.filter(topic="follow").exists()
