"""The rules of bidding that the practice market plays by, in worked examples."""

import pytest

from plugins.yahoo_auctions.practice.bidding import Bidding, Outcome, unit
from plugins.yahoo_auctions.practice.listing import Listing

LEADS, OUTBID, REFUSED, BOUGHT = Outcome.LEADS, Outcome.OUTBID, Outcome.REFUSED, Outcome.BOUGHT

EXAMPLES = {
    "a proxy answers, and a higher bid takes the lead": (
        Bidding(start=1000, price=1000),
        [
            ("a", 5000, LEADS, 1000, "a"),
            ("b", 3000, OUTBID, 3100, "a"),
            ("b", 3100, REFUSED, 3100, "a"),
            ("b", 6000, LEADS, 5250, "b"),
        ],
    ),
    "a tie goes to the earlier": (
        Bidding(start=500, price=500),
        [
            ("a", 2500, LEADS, 500, "a"),
            ("c", 2500, OUTBID, 2500, "a"),
            ("d", 2550, REFUSED, 2500, "a"),
            ("d", 3000, LEADS, 2600, "d"),
        ],
    ),
    "the price never passes the leader's maximum": (
        Bidding(start=1, price=1),
        [
            ("a", 10000, LEADS, 1, "a"),
            ("b", 9900, OUTBID, 10000, "a"),
            ("b", 10400, REFUSED, 10000, "a"),
            ("b", 10500, LEADS, 10500, "b"),
        ],
    ),
    "the buy-now price ends it": (
        Bidding(start=1000, price=1000, buy_now=16000),
        [("a", 12000, LEADS, 1000, "a"), ("b", 11011, OUTBID, 11511, "a"), ("c", 20000, BOUGHT, 16000, "c")],
    ),
    "a leader may lower the maximum, and the price stays": (
        Bidding(start=980, price=980),
        [
            ("a", 980, LEADS, 980, "a"),
            ("b", 1000, LEADS, 990, "b"),
            ("a", 1500, LEADS, 1100, "a"),
            ("a", 1200, LEADS, 1100, "a"),
            ("b", 1250, LEADS, 1250, "b"),
        ],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_bids_become_what_the_rules_say(name: str):
    state, bids = EXAMPLES[name]
    for bidder, amount, outcome, price, leader in bids:
        assert (state.place(bidder, amount), state.price, state.leader) == (outcome, price, leader)


def test_the_least_step_grows_with_the_price():
    assert [unit(price) for price in (999, 1000, 4999, 5000, 10000, 50000)] == [10, 100, 100, 250, 500, 1000]


def listing(**changes: object) -> Listing:
    usual = {"id": "x1", "title": "見本", "bidding": Bidding(start=1000, price=1000), "created": 0.0, "ends": 1000.0}
    usual |= {"visible_at": 0.0, "art": "card", "category": 1, "seller": "s"}
    return Listing(**(usual | changes))


def test_a_rise_in_the_last_five_minutes_moves_the_end_by_five():
    auction = listing()
    auction.bid("a", 5000, 100.0)
    auction.bid("b", 2000, 699.0)
    assert auction.ends == 1000.0
    auction.bid("b", 3000, 700.0)
    assert auction.ends == 1300.0
    auction.bid("b", 4000, 1299.0)
    assert auction.ends == 1600.0


def test_a_first_bid_or_an_own_raise_moves_no_price_and_so_no_end():
    auction = listing()
    auction.bid("a", 5000, 990.0)
    auction.bid("a", 9000, 995.0)
    assert (auction.ends, auction.bidding.price) == (1000.0, 1000)


def test_without_extension_the_end_stays():
    auction = listing(extends=False)
    auction.bid("a", 5000, 990.0)
    auction.bid("b", 6000, 995.0)
    assert auction.ends == 1000.0
