"""What a person has blocked never comes, what is new of it is put aside, and both end with the block."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from monitor_site.contract import Seller
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import blocking, services
from monitor_site.watches.blocking import SellerOf
from monitor_site.watches.models import Block, Match, MatchState, Target, Watch
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of
from tests.web.watch_rows import make_listing, make_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

MINUTE = timedelta(minutes=1)
BAD = SellerOf(marketplace="mercari", id="900", name="Bad shop")


@pytest.fixture
def watch(alice: Any, now: datetime) -> Watch:
    watch = watch_of(alice, now)
    record([result(target_of(watch), at=now)], now=now)
    return watch


def target_of(watch: Watch) -> Target:
    return Target.objects.get(links__watch=watch)


def find(watch: Watch, *sightings: Any, at: datetime) -> list[str]:
    record([result(target_of(watch), sightings, at=at)], now=at)
    return sorted(watch.matches.filter(silent=False).values_list("listing__external_id", flat=True))


def block_seller(user: Any, now: datetime, **changes: str) -> blocking.Made:
    return blocking.block_seller(user=user, seller=replace(BAD, **changes), now=now)


def test_nothing_of_a_blocked_seller_comes_and_others_still_do(watch: Watch, alice: Any, now: datetime) -> None:
    block_seller(alice, now)
    at = now + MINUTE
    other = sighting(2, created=at, seller=Seller(id="901"))
    unknown = sighting(3, created=at, seller=None)
    found = find(watch, sighting(1, created=at), other, unknown, at=at)
    assert found == [other.external_id, unknown.external_id]


def test_nothing_with_a_blocked_phrase_comes_in_whatever_spelling(watch: Watch, alice: Any, now: datetime) -> None:
    blocking.block_phrase(user=alice, phrase="ジャンク", now=now)
    at = now + MINUTE
    bad, good = sighting(1, created=at, title="ルミナ ｼﾞｬﾝｸ品"), sighting(2, created=at)
    assert find(watch, bad, good, at=at) == [good.external_id]


def test_a_block_is_its_persons_own_and_a_sellers_number_means_one_marketplace(
    watch: Watch, alice: Any, bob: Any, now: datetime
) -> None:
    block_seller(bob, now)
    block_seller(alice, now, marketplace="yahoo_auctions")
    at = now + MINUTE
    assert len(find(watch, sighting(1, created=at), at=at)) == 1


def test_a_recording_asks_once_for_all_people_and_watches(alice: Any, bob: Any, now: datetime) -> None:
    for user in (alice, bob):
        block_seller(user, now)
        for number in range(3):
            watch_of(user, now, price_max=5_000 + number)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        record([result(Target.objects.get(), [sighting(1, created=now)], at=now)], now=now)
    assert sum('FROM "watches_block"' in query["sql"] for query in queries) == 1
    assert not Match.objects.exists()


def test_what_is_new_of_a_blocked_seller_is_put_aside_and_comes_back_with_the_block(
    watch: Watch, alice: Any, now: datetime
) -> None:
    theirs = {"seller_id": "900"}
    new, seen = (make_match(watch, now, make_listing(now, **theirs), state=state) for state in ("new", "seen"))
    other = make_match(watch, now, make_listing(now, seller_id="901"))
    made = block_seller(alice, now)
    assert (made.new, made.put_aside) == (True, 1)
    assert states(new, seen, other) == ["ignored", "seen", "new"]
    followed = OutboxRow.objects.filter(topic="follow").values_list("object_id", flat=True)
    assert list(followed) == [new.listing_id]
    assert blocking.unblock(block=made.block, now=now) == 1
    assert states(new, seen, other) == ["new", "seen", "new"]
    assert not Block.objects.exists()


def test_what_a_person_took_back_or_put_aside_themselves_is_left_alone(watch: Watch, alice: Any, now: datetime) -> None:
    taken_back, own = (make_match(watch, now, make_listing(now, seller_id="900")) for _ in range(2))
    services.ignore_match(match=own, now=now)
    block = block_seller(alice, now).block
    services.restore_match(match=taken_back, now=now)
    assert blocking.unblock(block=block, now=now) == 0
    assert states(taken_back, own) == ["seen", "ignored"]


def test_new_matches_with_a_blocked_phrase_are_put_aside_as_a_rule_would_find_them(
    watch: Watch, alice: Any, now: datetime
) -> None:
    titles = ["ルミナ Q1 ジャンク", "ルミナ Q1R5", "ルミナ ｑ１"]
    matches = [make_match(watch, now, make_listing(now, title=title)) for title in titles]
    described = make_match(watch, now, make_listing(now, description="Ｑ１ として"))
    assert blocking.block_phrase(user=alice, phrase="q1", now=now).put_aside == 3
    assert states(*matches, described) == ["ignored", "new", "ignored", "ignored"]


def states(*matches: Match) -> list[str]:
    return [Match.objects.get(pk=match.pk).state for match in matches]


def test_who_blocks_twice_has_one_block(alice: Any, now: datetime) -> None:
    assert [block_seller(alice, now).new for _ in range(2)] == [True, False]
    phrases = [blocking.block_phrase(user=alice, phrase=phrase, now=now).new for phrase in ("ｼﾞｬﾝｸ", "ジャンク")]
    assert phrases == [True, False]
    assert Block.objects.count() == 2


REFUSED: list[Callable[[Any, datetime], object]] = [
    lambda user, now: block_seller(user, now, marketplace="nowhere"),
    lambda user, now: block_seller(user, now, id=" "),
    lambda user, now: block_seller(user, now, id="x" * 65),
    lambda user, now: blocking.block_phrase(user=user, phrase="ー |", now=now),
    lambda user, now: blocking.block_phrase(user=user, phrase="x" * 61, now=now),
    lambda user, now: blocking.block_phrase(user=user, phrase="ﷺ" * 20, now=now),
    lambda user, now: blocking.block_phrase(user=user, phrase="a\x00b", now=now),
    lambda user, now: blocking.block_phrase(user=user, phrase="fine", note="n" * 201, now=now),
]


@pytest.mark.parametrize("block", REFUSED)
def test_what_cannot_be_blocked_is_refused(alice: Any, now: datetime, block: Callable[[Any, datetime], object]) -> None:
    with pytest.raises(ValidationError):
        block(alice, now)
    assert not Block.objects.exists()


def test_there_is_an_end_to_blocking(alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking, "MOST_BLOCKS", 1)
    block_seller(alice, now)
    with pytest.raises(ValidationError, match="You may block 1"):
        blocking.block_phrase(user=alice, phrase="junk", now=now)
    assert Block.objects.count() == 1


@pytest.mark.parametrize(
    "facts", [{"kind": "seller", "marketplace": ""}, {"kind": "phrase", "marketplace": "mercari"}, {"kind": "smell"}]
)
def test_the_database_takes_no_block_that_means_nothing(alice: Any, now: datetime, facts: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Block.objects.create(user=alice, value="x", key="x", created_at=now, **facts)


def test_a_match_outlives_the_block_that_put_it_aside(watch: Watch, alice: Any, now: datetime) -> None:
    match = make_match(watch, now, make_listing(now, seller_id="900"))
    block_seller(alice, now).block.delete()
    match.refresh_from_db()
    assert (match.state, match.blocked_by) == (MatchState.IGNORED, None)
