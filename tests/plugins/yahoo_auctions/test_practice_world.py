"""The world behind the practice market, at times of its own."""

import json
from pathlib import Path
from random import Random

from monitor_site.contract.practice import Clock
from plugins.yahoo_auctions.practice import create
from plugins.yahoo_auctions.practice.cards import card, time_left
from plugins.yahoo_auctions.practice.goods import FAMILIES, REGULARS
from plugins.yahoo_auctions.practice.listing import OPEN
from plugins.yahoo_auctions.practice.search import seller_view, view_of
from plugins.yahoo_auctions.practice.stream import Stream
from plugins.yahoo_auctions.practice.truth import SummedTruth
from plugins.yahoo_auctions.practice.world import World

OPENED = 1_790_000_000.0


def world(seed: int = 3) -> World:
    clock = Clock(wall=lambda: OPENED)
    return World(seed=seed, clock=clock, truth=SummedTruth(clock, None), index_lag=1.0)


def run(made: World, keyword: str, *, times: int, seconds: float) -> Stream:
    stream = Stream(made, Random(5))
    for _ in range(times):
        made.clock.advance(seconds)
        view_of(made, stream, {"p": keyword, "s1": "new", "o1": "d"}, "http://x")
    return stream


def test_the_same_seed_gives_the_same_stock():
    first, second, other = (
        [(found.id, found.title, found.bidding.price, found.ends) for found in world(seed).shelf("ルミナ").members]
        for seed in (3, 3, 4)
    )
    assert first == second != other


def test_what_is_in_stock_is_open_and_some_of_it_was_bid_for():
    members = world().shelf("カメラ").members
    assert all(found.status == OPEN and found.ends > OPENED for found in members)
    assert 0 < sum(found.bidding.bids > 0 for found in members) < len(members)


def test_an_hour_of_questions_brings_arrivals_bids_extensions_and_ends():
    made = world()
    run(made, "ポケリア", times=240, seconds=15.0)
    events = [line["event"] for line in made.truth.tail(1000)]
    assert events.count("listed") > 200
    assert events.count("bid") > 100
    assert any(line.get("extended") for line in made.truth.tail(1000))
    assert {line["by"] for line in made.truth.tail(1000) if line["event"] == "ended"} >= {"time"}


def test_whoever_watches_a_seller_or_a_category_alone_sees_something_happen():
    made = world()
    stream = Stream(made, Random(5))
    seller, category = REGULARS[0], FAMILIES[0].category
    before = {found.id for found in made.listings.values()}
    new: set[tuple[str, int]] = set()
    for _ in range(600):
        made.clock.advance(15.0)
        shown = seller_view(made, stream, seller, {}, "http://x").found
        listed = view_of(made, stream, {"auccat": str(category)}, "http://x").found
        new |= {(found.seller, found.category) for found in (*shown, *listed) if found.id not in before}
    assert {seller} <= {each for each, _ in new}
    assert {category} <= {each for _, each in new}


def test_a_world_that_runs_for_long_stays_bounded():
    made = world()
    before = len(made.listings)
    run(made, "終わらない", times=600, seconds=15.0)
    assert len(made.listings) - before <= 121
    assert all(found.id in made.listings for found in made.shelves["終わらない"].members)


def test_nothing_happens_to_what_nobody_asks_for():
    made = world()
    made.shelf("静か")
    stream = Stream(made, Random(5))
    made.clock.advance(3600)
    stream.run()
    assert not [line for line in made.truth.tail(100) if line["event"] == "listed"]


def test_the_remaining_time_is_as_coarse_as_on_the_page():
    assert [time_left(seconds) for seconds in (2.4 * 86400, 86400, 9.35 * 3600, 3600, 287, 1, 0)] == [
        "2日", "1日", "10時間", "1時間", "5分", "1分", "終了",
    ]  # fmt: skip


def test_a_card_is_made_once_and_again_when_something_changed():
    made = world()
    listing = made.shelf("ルミナ").members[0]
    first = card(listing, base="http://x", module="aal", now=OPENED)
    assert card(listing, base="http://x", module="aal", now=OPENED + 1) is first
    made.note(listing, "price")
    assert card(listing, base="http://x", module="aal", now=OPENED) is not first
    assert b"http://y/" in card(listing, base="http://y", module="aal", now=OPENED)


def test_an_order_nobody_knows_is_ignored_without_a_word():
    made = world()
    assert view_of(made, Stream(made, Random(1)), {"p": "ルミナ", "s1": "start"}, "http://x").order == "おすすめ順"


def test_the_log_is_only_ever_appended_to(tmp_path: Path):
    log = tmp_path / "deep" / "truth.jsonl"
    for _ in range(2):
        market = create(seed=1, truth_log=log)
        market.world.truth.close()
    events = [json.loads(line)["event"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert [event for event in events if event != "stock"] == ["opened", "closed"] * 2


def test_time_runs_fast_stands_still_and_never_runs_back():
    wall = [OPENED]
    clock = Clock(wall=lambda: wall[0])
    clock.run_at(60)
    wall[0] += 2
    assert clock.now() == OPENED + 120
    clock.run_at(0)
    wall[0] += 50
    clock.advance(5)
    assert clock.now() == OPENED + 125
