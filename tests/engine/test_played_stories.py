"""The stories that Mercari's practice market plays, followed by the whole core: gateway, recording, database.

:data:`STORIES` at the end says which tests tell which number of the list that they were taken from. Stories of orders
are not among them.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from monitor_site.connections import redis_client
from monitor_site.contract import Kind, Status
from monitor_site.engine import jobs, recording
from monitor_site.engine.checking import Checker
from monitor_site.engine.flight import Landed
from monitor_site.engine.members import member
from monitor_site.engine.schedule import Lease
from monitor_site.marketplaces import breaker
from monitor_site.watches.models import Check, Listing, ListingEvent, Match, PricePoint, Target
from tests.marketplaces import test_doubt, test_gateway, test_session
from tests.plugins import standins
from tests.plugins.mercari import (
    test_practice,
    test_practice_faults,
    test_practice_look_faults,
    test_practice_looks,
    test_practice_pages,
    test_proof,
    test_recorded,
)
from tests.plugins.standins import Market
from tests.watches import test_damping, test_looking, test_record
from tests.watches.makers import watch_of
from tests.web import test_listing_watches

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = ("該当なし", "物語")
TITLE = "該当なし 物語 の品"
FENCES = count(1)
AGO = timedelta(minutes=1)


@pytest.fixture
def market(markets: dict[str, Market]) -> Iterator[Market]:
    with standins.quiet(markets["mercari"], page_size=None, short_pages=False, duplicates=False) as opened:
        yield opened


class Story:
    """One watch over its own word, checked when the story says so."""

    def __init__(self, checker: Checker, market: Market, user: Any, name: str) -> None:
        self.checker, self.market, self.user, self.title = checker, market, user, f"{TITLE} {name}"

    def offer(self, **order: Any) -> str:
        return str(self.market.do("list", title=self.title, **{"price": 18_000, "visible_in": 0, **order})["id"])

    async def begin(self, **wish: Any) -> Check:
        """Save the watch, and run its first check."""
        when = datetime.now(UTC) - AGO
        await sync_to_async(watch_of)(self.user, when, must=self.title.split(), **wish)
        return await self.check()

    async def check(self) -> Check:
        return await self._run(await Target.objects.searches().aget())

    async def look(self, external_id: str) -> Check:
        listing = await Listing.objects.aget(external_id=external_id)
        await sync_to_async(jobs.follow_listings)([listing.pk])
        return await self._run(await Target.objects.looks().aget(listing=listing))

    async def _run(self, target: Target) -> Check:
        lease = Lease(marketplace=target.marketplace, id=member(target), fence=next(FENCES), due_ms=1)
        row = (await sync_to_async(recording.load_targets)([lease.id]))[lease.id]
        landed = Landed(lease=lease, result=await self.checker.check(lease, row), target=row)
        await sync_to_async(recording.write)([landed])
        return await Check.objects.alatest("pk")

    async def told(self) -> list[str]:
        """The causes of matches that a person is told of."""
        return [
            cause async for cause in Match.objects.filter(silent=False).order_by("pk").values_list("cause", flat=True)
        ]

    async def events(self, external_id: str) -> list[tuple[str, int | None, int | None]]:
        rows = ListingEvent.objects.filter(listing__external_id=external_id).order_by("pk")
        return [row async for row in rows.values_list("kind", "before", "after")]

    async def status(self, external_id: str) -> str:
        return str((await Listing.objects.aget(external_id=external_id)).status)


@pytest.fixture
def story(checker: Checker, market: Market, alice: Any) -> Story:
    return Story(checker, market, alice, f"第{next(FENCES)}話")


async def test_what_was_there_is_silent_and_what_is_listed_is_told_once_when_the_search_shows_it(story: Story) -> None:
    for _each in range(30):
        story.offer(age=3600)
    first = await story.begin()
    assert (first.fetched, await story.told()) == (30, [])

    story.offer(visible_in=55)
    assert ((await story.check()).fetched, await story.told()) == (30, [])
    story.market.do("clock", advance=56)
    for _each in range(3):
        assert (await story.check()).fetched == 31
    assert await story.told() == ["listed"]


async def test_a_price_drop_is_told_once_with_the_old_and_the_new_price(story: Story) -> None:
    made = story.offer(age=3600)
    await story.begin(price_max=15_000)
    story.market.do("change", id=made, price=14_800)
    for _each in range(2):
        await story.check()
    assert (await story.events(made))[1:] == [("price_drop", 18_000, 14_800)]
    assert await story.told() == ["price_drop"]


async def test_of_what_a_price_did_between_two_checks_only_the_difference_is_recorded(story: Story) -> None:
    made = story.offer(age=3600)
    await story.begin()
    for price in (9_000, 20_000, 16_000):
        story.market.do("change", id=made, price=price)
    await story.check()
    assert [point async for point in PricePoint.objects.values_list("price", flat=True)] == [18_000, 16_000]
    assert (await story.events(made))[1:] == [("price_drop", 18_000, 16_000)]


async def test_a_thing_in_trade_is_reserved_and_available_again_when_the_trade_falls_through(story: Story) -> None:
    made = story.offer(age=3600)
    await story.begin(tell_existing=True)
    story.market.do("sell", id=made)
    assert (await story.check()).outcome == "failed"  # empty where there was something: doubted
    assert await story.status(made) == Status.ON_SALE
    await story.look(made)
    assert await story.status(made) == Status.RESERVED
    story.market.do("restart", id=made)
    await story.look(made)
    assert [kind for kind, _before, _after in await story.events(made)] == ["listed", "reserved", "back"]


async def test_what_is_listed_again_is_linked_to_what_it_was(story: Story) -> None:
    made = story.offer(age=3600, seller=812)
    await story.begin(tell_existing=True)
    again = story.market.do("relist", id=made)["id"]
    story.market.do("clock", advance=5)
    await story.look(made)
    await story.check()
    found = await Listing.objects.select_related("relisted_from").aget(external_id=again)
    assert found.relisted_from is not None
    assert found.relisted_from.external_id == made
    assert sorted(await story.told()) == ["existing", "relisted"]


async def test_an_old_thing_that_is_bumped_is_told_to_nobody(story: Story) -> None:
    made = story.offer(age=30 * 86_400)
    await story.begin()
    story.market.do("bump", id=made)
    await story.check()
    assert await story.told() == []
    assert [kind for kind, _before, _after in await story.events(made)] == ["listed", "bumped"]


async def test_an_auction_is_one_in_every_answer(story: Story) -> None:
    made = story.offer(auction_seconds=7200, bids=2, age=3600)
    await story.begin(tell_existing=True)
    assert (await Listing.objects.aget(external_id=made)).kind == Kind.AUCTION
    await story.look(made)
    listing = await Listing.objects.aget(external_id=made)
    assert (listing.kind, listing.bids, listing.status) == (Kind.AUCTION, 2, Status.ON_SALE)


async def test_a_thing_without_a_price_has_none_in_history_and_passes_no_limit(story: Story) -> None:
    made = story.offer(price=None, age=3600)
    await story.begin(price_max=50_000, tell_existing=True)
    assert (await Listing.objects.aget(external_id=made)).price is None
    assert not await PricePoint.objects.aexists()
    assert not await Match.objects.aexists()


async def test_a_shops_thing_is_sold_when_its_last_piece_is(story: Story) -> None:
    made = story.offer(shop="kotorishopKotorishop22", variants=[{"size": "M", "quantity": 1}], age=3600)
    await story.begin(tell_existing=True)
    await story.look(made)
    assert await story.status(made) == Status.ON_SALE
    story.market.do("stock", id=made, quantity=0)
    await story.look(made)
    assert await story.status(made) == Status.SOLD


FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "throttled for seven seconds": ({"kind": "throttle", "retry_after": 7}, "throttled", "open"),
    "throttled without a word": ({"kind": "throttle"}, "throttled", "open"),
    "a block page": ({"kind": "block403"}, "blocked", "open"),
    "a block page with status 200": ({"kind": "block200"}, "blocked", "open"),
    "cut off": ({"kind": "truncate"}, "layout_changed", "closed"),
    "no list in it": ({"kind": "layout", "part": "page"}, "layout_changed", "closed"),
    "nothing where something was": ({"kind": "empty", "count": 1}, "suspect_empty", "closed"),
    "a refused proof": ({"kind": "expired"}, "sign_in_needed", "open"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_whatever_goes_wrong_the_check_has_failed_and_nothing_else_has_changed(story: Story, fault: str) -> None:
    order, code, state = FAULTS[fault]
    made = story.offer(age=3600)
    await story.begin()
    story.market.do("faults", route="*", **order)
    failed = await story.check()
    story.market.do("faults/clear")
    assert (failed.outcome, failed.error) == ("failed", code)
    assert await sync_to_async(_breaker)() == state
    assert [kind for kind, _before, _after in await story.events(made)] == ["listed"]
    assert (await story.status(made), await story.told()) == (Status.ON_SALE, [])


def _breaker() -> str:
    return str(breaker.read_all(redis_client(), ["mercari"])["mercari"]["state"])


async def test_one_removed_thing_is_removed_when_it_is_gone_twice_and_the_others_go_on(story: Story) -> None:
    made, other = story.offer(age=3600), story.offer(age=3600)
    await story.begin(tell_existing=True)
    story.market.do("remove", id=made)
    await story.look(made)
    assert await story.status(made) == Status.ON_SALE
    # Two looks in one moment prove no more than one.
    await (
        Target.objects.looks()
        .filter(listing__external_id=made)
        .aupdate(checked_at=datetime.now(UTC) - timedelta(hours=2))
    )
    await story.look(made)
    assert await story.status(made) == Status.REMOVED
    await story.look(other)
    assert (await story.status(other), await sync_to_async(_breaker)()) == (Status.ON_SALE, "closed")


ODD = ("AT&T の 見本", "<b>太字</b>", "👨‍👩‍👧 絵文字", "ＦＵＬＬ　幅", "か\u3099くふ\u309a 合成", "\u202e逆さ")


async def test_odd_titles_are_kept_as_they_are_and_unwanted_words_are_found_in_any_form(story: Story) -> None:
    made = {
        story.market.do("list", title=f"{story.title} {odd}", price=1, visible_in=0, age=3600)["id"]: odd for odd in ODD
    }
    await story.begin(tell_existing=True, none_of=["full", "がくぷ"])
    rows = Listing.objects.filter(external_id__in=made)
    assert {row.external_id: row.title.removeprefix(f"{story.title} ") async for row in rows} == made
    unwanted = {"ＦＵＬＬ　幅", "か\u3099くふ\u309a 合成"}
    kept = {external_id async for external_id in Match.objects.values_list("listing__external_id", flat=True)}
    assert {made[external_id] for external_id in kept} == set(ODD) - unwanted


STORIES: dict[int, tuple[Callable[..., Any], ...]] = {
    1: (test_what_was_there_is_silent_and_what_is_listed_is_told_once_when_the_search_shows_it,),
    2: (test_what_was_there_is_silent_and_what_is_listed_is_told_once_when_the_search_shows_it,),
    3: (test_a_price_drop_is_told_once_with_the_old_and_the_new_price,),
    4: (
        test_of_what_a_price_did_between_two_checks_only_the_difference_is_recorded,
        test_damping.test_a_price_that_flips_is_told_once_of_each_and_a_new_price_at_once,
    ),
    10: (test_a_thing_in_trade_is_reserved_and_available_again_when_the_trade_falls_through,),
    11: (test_what_is_listed_again_is_linked_to_what_it_was,),
    12: (test_an_old_thing_that_is_bumped_is_told_to_nobody,),
    13: (
        test_an_auction_is_one_in_every_answer,
        test_practice_looks.test_without_the_flag_the_same_auction_looks_like_a_sale,
    ),
    14: (test_a_thing_without_a_price_has_none_in_history_and_passes_no_limit,),
    15: (
        test_a_shops_thing_is_sold_when_its_last_piece_is,
        test_practice_looks.test_a_shops_product_tells_its_variants_its_stock_and_its_sale,
    ),
    17: (
        test_whatever_goes_wrong_the_check_has_failed_and_nothing_else_has_changed,
        test_practice_faults.test_throttling_passes_on_its_hint,
        test_practice_look_faults.test_a_throttled_look_makes_every_question_wait,
    ),
    18: (test_whatever_goes_wrong_the_check_has_failed_and_nothing_else_has_changed,),
    19: (
        test_practice_faults.test_a_short_delay_is_only_a_delay,
        test_session.test_headers_and_then_silence_are_cut_at_the_deadline,
        test_session.test_a_read_whose_connection_is_reset_before_an_answer_is_tried_once_more,
        test_gateway.test_a_slow_marketplace_is_unavailable_and_counts_as_failed,
    ),
    20: (
        test_whatever_goes_wrong_the_check_has_failed_and_nothing_else_has_changed,
        test_record.test_a_failed_check_keeps_the_last_good_state_and_comes_back_later_each_time,
        test_gateway.test_bad_rows_and_padding_are_counted_over_all_pages,
    ),
    21: (
        test_practice.test_a_proof_for_another_address_is_refused_and_the_log_says_why,
        test_practice_look_faults.test_the_market_takes_a_proof_for_the_address_with_and_without_its_query,
        test_practice_look_faults.test_the_market_refuses_a_proof_for_another_method,
        test_proof.test_hundreds_of_proofs_are_accepted,
    ),
    22: (test_practice_pages.test_all_distinct_rows_are_read_once_and_the_empty_token_ends_it,),
    23: (test_recorded.test_recorded_padding_is_dropped,),
    24: (
        test_whatever_goes_wrong_the_check_has_failed_and_nothing_else_has_changed,
        test_doubt.test_when_even_the_control_question_finds_nothing_we_are_blocked,
        test_record.test_a_row_missing_from_search_says_nothing_about_its_listing,
    ),
    25: (
        test_odd_titles_are_kept_as_they_are_and_unwanted_words_are_found_in_any_form,
        test_listing_watches.test_the_title_of_a_listing_is_shown_as_text,
    ),
    29: (
        test_one_removed_thing_is_removed_when_it_is_gone_twice_and_the_others_go_on,
        test_looking.test_one_answer_that_it_is_gone_removes_nothing_and_is_doubted_soon,
    ),
}
ORDERS = {5, 6, 7, 8, 9, 16, 26, 27, 28, 30}


def test_every_story_of_reading_has_its_test() -> None:
    assert set(STORIES) == set(range(1, 31)) - ORDERS
    assert all(test.__name__.startswith("test_") for tests in STORIES.values() for test in tests)
