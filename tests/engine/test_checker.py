"""The checker notices everything false and everything missing; what is true passes."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.accounts.models import User
from monitor_site.engine.home.checker import check
from monitor_site.engine.home.truth import Life, lives_of
from monitor_site.watches.models import Check, Listing, ListingEvent, Outcome, PricePoint, Target
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db
FOUND = sighting(price=3000)
ID, TITLE = FOUND.external_id, FOUND.title


def event(name: str, wall: datetime, **facts: Any) -> dict[str, Any]:
    return {"event": name, "wall": wall.timestamp(), "id": ID, "state": "on_sale", "price": 3000} | facts


def truth(now: datetime, *more: dict[str, Any], **first: Any) -> dict[str, dict[str, Life]]:
    start = now - timedelta(minutes=30)
    listed = event("listed", start, title=TITLE, visible_at=start.timestamp(), **first)
    return {"mercari": lives_of([listed, *more])}


@pytest.fixture
def target(alice: User, now: datetime) -> Target:
    """The listing of these tests was found and recorded as it truly was."""
    watch = watch_of(alice, now - timedelta(hours=1))
    target = Target.objects.get(links__watch=watch)
    at = now - timedelta(minutes=5)
    record([result(target, [FOUND], at=at)], now=at + timedelta(seconds=1))
    return target


def wrong(lives: dict[str, dict[str, Life]]) -> list[str]:
    return [sentence.split(": ", 1)[1] for sentence in check(lives).wrong]


def test_what_is_true_passes(target: Target, now: datetime) -> None:
    verdict = check(truth(now))
    assert verdict.wrong == ()
    assert verdict.compared > 0


def test_a_listing_nobody_offered_is_noticed(target: Target, now: datetime) -> None:
    assert "no such listing was ever offered" in wrong({"mercari": {}})


def test_a_title_that_was_never_given_is_noticed(target: Target, now: datetime) -> None:
    Listing.objects.update(title="別の名前")
    assert any("別の名前" in sentence for sentence in wrong(truth(now)))


def test_a_price_that_was_never_asked_is_noticed(target: Target, now: datetime) -> None:
    PricePoint.objects.update(price=30)
    assert any(sentence.startswith("30 at ") for sentence in wrong(truth(now)))


def test_a_price_of_long_ago_is_not_true_any_more(target: Target, now: datetime) -> None:
    risen = event("price", now - timedelta(minutes=20), price=4000)
    assert any(sentence.startswith("3000 at ") for sentence in wrong(truth(now, risen)))


def test_a_sale_that_never_happened_is_noticed(target: Target, now: datetime) -> None:
    listing = Listing.objects.get()
    ListingEvent.objects.create(listing=listing, kind="sold", at=now)
    assert any(sentence.startswith("sold at ") for sentence in wrong(truth(now)))
    sold = event("status", now - timedelta(seconds=3), state="sold")
    assert wrong(truth(now, sold)) == []


@pytest.mark.parametrize(("kind", "true"), [("flea", True), ("auction", False), ("fixed", False)])
def test_ended_is_true_of_a_sale_only_where_nobody_tells_how_a_thing_closed(
    target: Target, now: datetime, kind: str, true: bool
) -> None:
    Listing.objects.update(kind=kind)
    ListingEvent.objects.create(listing=Listing.objects.get(), kind="ended", at=now)
    sold = event("status", now - timedelta(minutes=2), state="sold")
    assert (wrong(truth(now, sold)) == []) is true


def test_nothing_found_where_something_was_is_noticed(target: Target, now: datetime) -> None:
    Check.objects.update(outcome=Outcome.EMPTY)
    assert any("nothing found" in sentence for sentence in wrong(truth(now)))


def test_a_listing_that_was_never_seen_is_noticed(target: Target, now: datetime) -> None:
    Listing.objects.all().delete()
    assert wrong(truth(now)) == [f"{ID} was on sale and never seen"]


def test_what_was_sold_before_the_last_check_need_not_be_known(target: Target, now: datetime) -> None:
    Listing.objects.all().delete()
    assert wrong(truth(now, event("status", now - timedelta(minutes=6), state="sold"))) == []
