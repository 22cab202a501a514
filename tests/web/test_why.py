"""What every rule said, in words."""

from dataclasses import replace
from datetime import timedelta

import pytest

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.watches.matching import Rule, decide
from monitor_site.watches.matching.deciding import A_LOOK_TELLS
from monitor_site.web.why import SAID, lines_of
from tests.watches.moments import NOON

CAMERA = Sighting(
    external_id="m01",
    title="ルミナ T2",
    url="https://market.example/item/m01",
    price=Money(amount=48_000, currency="JPY"),
    kind=Kind.AUCTION,
    status=Status.ON_SALE,
    shipping=Shipping.BUYER_PAYS,
    shipping_fee=Money(amount=800, currency="JPY"),
    condition=Condition.GOOD,
    seller=Seller(id="7", rating=4.9, count=1200),
    description="箱つき",
    ends_at=NOON + timedelta(hours=2),
    created=NOON - timedelta(hours=30),
    bids=3,
)
STRICT = Rule(
    must=("ルミナ", "箱"),
    any_of=("T2", "T3"),
    none_of=("ジャンク",),
    blocked_phrases=("ケース",),
    in_description=True,
    pattern="T[23]",
    price_max=50_000,
    landed=True,
    kinds=("fixed", "auction"),
    conditions=("new", "good"),
    shipping_included=True,
    blocked_sellers=("8",),
    rating_min=95,
    rated_min=1000,
    bids_max=3,
    ends_within=timedelta(hours=1),
    listed_within=timedelta(days=2),
)
BLANK = replace(
    CAMERA,
    title="カメラ",
    description=None,
    price=None,
    status=Status.UNKNOWN,
    condition=Condition.UNKNOWN,
    shipping=Shipping.UNKNOWN,
    seller=None,
    ends_at=None,
    created=None,
    bids=None,
)


def words(rule: Rule, sighting: Sighting) -> list[str]:
    return [line.words for line in lines_of(list(decide(rule, sighting, now=NOON).rules))]


def test_every_rule_has_a_line_that_says_what_was_seen_and_wanted() -> None:
    assert words(STRICT, CAMERA) == [
        "It was on sale",
        "Title and description have every word: ルミナ, 箱",
        "The title has at least one of the words: T2",
        "The title has none of the words: ジャンク",
        "It has none of the phrases that you block",
        "The title has “t2”, as the pattern wants: T[23]",
        "Sold as “Auction”, wanted Fixed price, Auction",
        "Price ¥48,800, wanted ≤ ¥50,000",
        "Condition “No visible damage”, wanted New, unused, No visible damage",
        "Shipping: Buyer pays shipping, wanted included",
        "The seller is none that you block",
        "Good ratings: 98 %, wanted at least 95 %",
        "Number of ratings: 1,200, wanted at least 1,000",
        "Bids: 3, wanted at most 3",
        "Time to its end: 2 h, wanted at most 1 h",
        "Time since it was listed: 1 d 6 h, wanted at most 2 d",
    ]


def test_what_is_unknown_is_said_to_be_unknown() -> None:
    unknown = words(STRICT, BLANK)
    assert unknown[0] == "Nobody said whether it was on sale"
    assert unknown[1] == "The title has not every word, and the description is not known; wanted: ルミナ 箱"
    assert unknown[3] == "The description is not known; unwanted there: ジャンク"
    assert unknown[7] == "Price unknown, wanted ≤ ¥50,000"
    assert unknown[8] == "Condition “unknown”, wanted New, unused, No visible damage"
    assert unknown[10] == "The seller is not known; it may be one that you block"
    assert unknown[11:] == [
        "Good ratings: unknown, wanted at least 95 %",
        "Number of ratings: unknown, wanted at least 1,000",
        "Bids: unknown, wanted at most 3",
        "Time to its end: unknown, wanted at most 1 h",
        "Time since it was listed: unknown, wanted at most 2 d",
    ]


REFUSED = [
    (Rule(must=("T3",)), "Not every word is there; wanted: T3"),
    (Rule(any_of=("T3", "T4")), "None of the words is there; wanted: T3 T4"),
    (Rule(none_of=("箱",)), "It has an unwanted word: 箱"),
    (Rule(blocked_phrases=("箱つき",)), "It has a phrase that you block: 箱つき"),
    (Rule(pattern="T4"), "The title is not like the pattern: T4"),
    (Rule(pattern="(?=T)"), "The pattern cannot be read: (?=T)"),
    (Rule(blocked_sellers=("7",)), "You block the seller"),
]


@pytest.mark.parametrize(("rule", "sentence"), REFUSED)
def test_what_a_rule_refuses_is_said_too(rule: Rule, sentence: str) -> None:
    assert words(rule, CAMERA)[-1] == sentence


def test_no_rule_is_without_words() -> None:
    asked = {one["rule"] for one in decide(STRICT, CAMERA, now=NOON).rules}
    assert asked | A_LOOK_TELLS == {*SAID, "price"}
