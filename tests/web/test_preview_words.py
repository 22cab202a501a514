"""Every rule has a name, and words for its no and for what it cannot tell."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import translation

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.watches.matching import Rule, decide
from monitor_site.web.preview_words import CHIPS, RULES, chip
from tests.watches.makers import sighting

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
WHOLE = Rule(
    must=("ルミナ|LUMINA", "白 い"),
    any_of=("T2", "T3"),
    none_of=("ジャンク",),
    blocked_phrases=("訳あり",),
    pattern="T[23]",
    price_min=1_000,
    price_max=6_000,
    kinds=("fixed",),
    conditions=("good",),
    shipping_included=True,
    blocked_sellers=("900",),
    rating_min=95.0,
    rated_min=50,
    bids_max=3,
    ends_within=timedelta(hours=1),
    listed_within=timedelta(hours=1),
)
NO = sighting(1, price=72_000, created=NOW - timedelta(days=2))
BAD: Sighting = replace(
    NO,
    title="訳あり ジャンク",
    kind=Kind.AUCTION,
    status=Status.SOLD,
    condition=Condition.WORN,
    shipping=Shipping.BUYER_PAYS,
    seller=Seller(id="900", rating=4.5, count=12),
    bids=7,
    ends_at=NOW + timedelta(days=3),
)
SAID = {
    "status": "Sold to someone else",
    "must": "missing: ルミナ|LUMINA, 白 い",
    "any_of": "none of: T2 T3",
    "none_of": "unwanted: ジャンク",
    "blocked_phrase": "unwanted: 訳あり",
    "pattern": "the pattern does not fit",
    "kind": "auction",
    "price": "¥72,000 > ¥6,000",
    "condition": "Worn",
    "shipping": "Buyer pays shipping",
    "blocked_seller": "blocked seller",
    "rating": "rating 90% < 95%",
    "rated": "12 ratings < 50",
    "bids": "7 bids",
    "ends_within": "ends in 3 d",
    "listed_within": "listed 2 d ago",
}


def test_every_rule_says_what_it_saw() -> None:
    with translation.override("en"):
        chips = {said["rule"]: chip(said, WHOLE) for said in decide(WHOLE, BAD, now=NOW).rules}
    assert chips == SAID


def test_every_rule_has_a_name_and_words() -> None:
    assert set(RULES) == set(CHIPS) == {said["rule"] for said in decide(WHOLE, BAD, now=NOW).rules}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"price": None}, "price not told"),
        ({"condition": Condition.UNKNOWN}, "condition not told"),
        ({"seller": None}, "blocked sellers not told, seller's rating not told, number of ratings not told"),
    ],
)
def test_what_a_rule_cannot_tell_is_named(changes: dict[str, Any], words: str) -> None:
    decision = decide(WHOLE, replace(BAD, **changes), now=NOW)
    with translation.override("en"):
        unknown = [chip(said, WHOLE) for said in decision.rules if said["verdict"] == "unknown"]
    assert ", ".join(unknown) == words


def test_a_price_below_the_lowest_is_said_to_be_below() -> None:
    said = next(one for one in decide(WHOLE, sighting(1, price=10), now=NOW).rules if one["rule"] == "price")
    with translation.override("en"):
        assert chip(said, WHOLE) == "¥10 < ¥1,000"


def test_a_price_is_said_in_the_currency_of_the_rule() -> None:
    euros = sighting(1, price=None, url="https://example.org/1")
    seen = replace(euros, price=Money(amount=9_950, currency="EUR"))
    rule = Rule(price_max=5_000, currency="EUR")
    said = next(one for one in decide(rule, seen, now=NOW).rules if one["rule"] == "price")
    assert chip(said, rule) == "€99.50 > €50.00"


def test_a_rule_that_nobody_has_words_for_shows_its_bare_name() -> None:
    said: Any = {"rule": "colour", "verdict": "fail", "saw": "red", "wanted": "", "words": []}
    assert chip(said, WHOLE) == "colour: red"
