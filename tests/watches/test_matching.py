"""Which sighting is what a watch wants, and why."""

from dataclasses import replace
from datetime import timedelta

import pytest

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.watches.matching import Decision, Rule, decide, funnel
from tests.watches.moments import NOON

NOW = NOON
CAMERA = Sighting(
    external_id="m01",
    title="ルミナ T2 チタン コンパクトカメラ 動作確認済",
    url="https://market.example/item/m01",
    price=Money(amount=48_000, currency="JPY"),
    kind=Kind.FIXED,
    status=Status.ON_SALE,
    shipping=Shipping.INCLUDED,
    condition=Condition.GOOD,
)


def judge(rule: Rule, sighting: Sighting) -> Decision:
    return decide(rule, sighting, now=NOW)


def verdict(decision: Decision, rule: str) -> str:
    return next(reason["verdict"] for reason in decision.rules if reason["rule"] == rule)


def test_every_word_must_be_there() -> None:
    assert judge(Rule(must=("ルミナ", "t2")), CAMERA).matches
    assert not judge(Rule(must=("ルミナ", "T3")), CAMERA).matches


def test_one_of_several_words_is_enough_and_is_named() -> None:
    decision = judge(Rule(any_of=("カメラ", "レンズ")), CAMERA)
    assert decision.matches
    assert next(r["words"] for r in decision.rules if r["rule"] == "any_of") == ["カメラ"]


def test_an_unwanted_word_rejects_whatever_its_width() -> None:
    junk = replace(CAMERA, title="ルミナ T2 ｼﾞｬﾝｸ")
    assert verdict(judge(Rule(must=("ルミナ",), none_of=("ジャンク",)), junk), "none_of") == "fail"


PRICES = [
    (None, 48_000, True),
    (48_000, None, True),
    (None, 47_999, False),
    (48_001, None, False),
    (40_000, 50_000, True),
]


@pytest.mark.parametrize(("low", "high", "matches"), PRICES)
def test_price_bounds_include_their_ends(low: int | None, high: int | None, matches: bool) -> None:
    assert judge(Rule(must=("ルミナ",), price_min=low, price_max=high), CAMERA).matches is matches


def test_an_unknown_price_passes_no_price_gate_but_is_no_mismatch() -> None:
    decision = judge(Rule(must=("ルミナ",), price_max=99_999_999), replace(CAMERA, price=None))
    assert not decision.matches
    assert not decision.rejected
    assert verdict(decision, "price") == "unknown"


def test_a_price_in_a_foreign_currency_is_unknown() -> None:
    euros = replace(CAMERA, price=Money(amount=100, currency="EUR"))
    assert verdict(judge(Rule(price_max=48_000), euros), "price") == "unknown"


def test_an_unknown_price_matters_to_nobody_who_gave_no_bounds() -> None:
    assert judge(Rule(must=("ルミナ",)), replace(CAMERA, price=None)).matches


@pytest.mark.parametrize("gone", [Status.SOLD, Status.RESERVED, Status.STOPPED, Status.REMOVED, Status.UNKNOWN])
def test_what_cannot_be_bought_now_is_no_match(gone: Status) -> None:
    assert not judge(Rule(must=("ルミナ",)), replace(CAMERA, status=gone)).matches


def test_the_status_is_the_first_reason_a_person_reads() -> None:
    sold = replace(CAMERA, status=Status.SOLD, price=Money(amount=999_999, currency="JPY"))
    assert judge(Rule(price_max=1), sold).rules[0]["rule"] == "status"


def test_condition_and_shipping_decide_only_where_asked() -> None:
    worn = replace(CAMERA, condition=Condition.WORN, shipping=Shipping.BUYER_PAYS)
    assert judge(Rule(must=("ルミナ",)), worn).matches
    assert verdict(judge(Rule(conditions=("good", "new")), worn), "condition") == "fail"
    assert verdict(judge(Rule(shipping_included=True), worn), "shipping") == "fail"


def test_unknown_condition_and_shipping_are_unclear_not_wrong() -> None:
    vague = replace(CAMERA, condition=Condition.UNKNOWN, shipping=Shipping.UNKNOWN)
    decision = judge(Rule(conditions=("good",), shipping_included=True), vague)
    assert not decision.matches
    assert not decision.rejected


def test_a_word_may_have_other_spellings_and_a_phrase_stays_together() -> None:
    assert judge(Rule(must=("LUMINA｜ルミナ", "コンパクトカメラ")), CAMERA).matches
    assert judge(Rule(must=("t2 チタン",)), CAMERA).matches
    assert not judge(Rule(must=("チタン T2",)), CAMERA).matches


def test_a_word_that_may_stand_in_the_description_is_unclear_until_that_is_known() -> None:
    rule = Rule(must=("ルミナ", "説明書"), in_description=True)
    assert judge(rule, CAMERA).open_rules == ("must",)
    assert judge(rule, replace(CAMERA, description="箱と説明書つき")).matches
    assert judge(rule, replace(CAMERA, description="本体のみ")).rejected


def test_a_word_in_the_description_counts_only_where_asked() -> None:
    assert judge(Rule(must=("説明書",)), replace(CAMERA, description="箱と説明書つき")).rejected


def test_an_unwanted_word_in_a_known_description_rejects() -> None:
    rule = Rule(must=("ルミナ",), none_of=("ジャンク",))
    assert judge(rule, CAMERA).matches
    assert judge(rule, replace(CAMERA, description="ｼﾞｬﾝｸ扱いです")).rejected
    blocked = Rule(must=("ルミナ",), blocked_phrases=("動作確認済",))
    assert judge(blocked, CAMERA).rejection == judge(blocked, CAMERA).rules[-1]


PATTERNS = [(r"T[23]\b", True), (r"t2", True), (r"^レンズ", False), (r"(a|a)*$", True), (r"チタン.*カメラ", True)]


@pytest.mark.parametrize(("pattern", "matches"), PATTERNS)
def test_a_regular_expression_is_asked_of_the_title(pattern: str, matches: bool) -> None:
    assert judge(Rule(pattern=pattern), CAMERA).matches is matches


def test_an_expression_that_would_never_end_elsewhere_ends_here() -> None:
    long = replace(CAMERA, title="a" * 1000 + "!")
    assert judge(Rule(pattern=r"^(a+)+$"), long).rejected


LANDED = [
    (Shipping.INCLUDED, None, 48_000, "pass"),
    (Shipping.BUYER_PAYS, 800, 48_800, "pass"),
    (Shipping.BUYER_PAYS, 800, 48_799, "fail"),
    (Shipping.BUYER_PAYS, None, 60_000, "unknown"),
    (Shipping.BUYER_PAYS, None, 47_000, "fail"),
    (Shipping.UNKNOWN, None, 60_000, "unknown"),
]


@pytest.mark.parametrize(("shipping", "fee", "limit", "expected"), LANDED)
def test_a_landed_limit_holds_for_price_and_shipping_together(
    shipping: Shipping, fee: int | None, limit: int, expected: str
) -> None:
    paid = None if fee is None else Money(amount=fee, currency="JPY")
    sent = replace(CAMERA, shipping=shipping, shipping_fee=paid)
    assert verdict(judge(Rule(price_max=limit, landed=True), sent), "price") == expected


def test_kinds_are_told_apart() -> None:
    assert judge(Rule(kinds=("fixed", "shop")), CAMERA).matches
    assert judge(Rule(kinds=("auction",)), CAMERA).rejected


SELLERS = [
    (Rule(blocked_sellers=("77",)), Seller(id="77"), "fail"),
    (Rule(blocked_sellers=("77",)), Seller(id="78"), "pass"),
    (Rule(blocked_sellers=("77",)), None, "unknown"),
    (Rule(rating_min=90), Seller(id="1", rating=98.5), "pass"),
    (Rule(rating_min=90), Seller(id="1", rating=4.4), "fail"),
    (Rule(rating_min=90), Seller(id="1"), "unknown"),
    (Rule(rated_min=10), Seller(id="1", count=10), "pass"),
    (Rule(rated_min=10), Seller(id="1", count=9), "fail"),
    (Rule(rated_min=10), None, "unknown"),
]


@pytest.mark.parametrize(("rule", "seller", "expected"), SELLERS)
def test_sellers_are_judged_by_what_is_known_of_them(rule: Rule, seller: Seller | None, expected: str) -> None:
    assert judge(rule, replace(CAMERA, seller=seller)).rules[-1]["verdict"] == expected


AUCTION = replace(CAMERA, kind=Kind.AUCTION, bids=3, ends_at=NOW + timedelta(hours=2))
TIMES = [
    (Rule(ends_within=timedelta(hours=2)), AUCTION, "pass"),
    (Rule(ends_within=timedelta(hours=1)), AUCTION, "fail"),
    (Rule(ends_within=timedelta(hours=1)), replace(AUCTION, ends_at=None), "unknown"),
    (Rule(bids_max=3), AUCTION, "pass"),
    (Rule(bids_max=2), AUCTION, "fail"),
    (Rule(bids_max=2), replace(AUCTION, bids=None), "unknown"),
    (Rule(listed_within=timedelta(days=1)), replace(CAMERA, created=NOW - timedelta(hours=25)), "fail"),
    (Rule(listed_within=timedelta(days=1)), replace(CAMERA, created=NOW - timedelta(hours=23)), "pass"),
    (Rule(listed_within=timedelta(days=1)), CAMERA, "unknown"),
    (Rule(listed_within=timedelta(hours=2)), replace(CAMERA, created=NOW - timedelta(hours=25)), "fail"),
    (Rule(ends_within=timedelta(hours=2)), replace(AUCTION, ends_at=NOW + timedelta(hours=25)), "fail"),
]


@pytest.mark.parametrize(("rule", "seen", "expected"), TIMES)
def test_bids_and_times_are_judged_where_they_mean_something(rule: Rule, seen: Sighting, expected: str) -> None:
    assert judge(rule, seen).rules[-1]["verdict"] == expected


def test_rules_about_auctions_say_nothing_of_fixed_prices() -> None:
    assert judge(Rule(bids_max=0, ends_within=timedelta(0)), CAMERA).matches


def test_no_rule_gives_way_because_nothing_meets_it() -> None:
    rule = Rule(must=("ルミナ",), bids_max=0, price_max=40_000)
    near = [AUCTION, replace(AUCTION, bids=1), replace(AUCTION, bids=0), replace(CAMERA, price=None)]
    assert [judge(rule, each).matches for each in near] == [False] * 4
    assert funnel(judge(rule, each) for each in near)[-1][1] == 1


def test_rows_that_answer_another_question_match_nothing() -> None:
    rule = Rule(must=("ルミナ", "カメラ"), price_max=9_000)
    titles = ["食器 皿 5枚", "花柄 ティーカップ", "ルミナ 用 ストラップ", "LUMINA カメラ", "コンパクトカメラ"]
    answered = [replace(CAMERA, title=title, price=Money(amount=500, currency="JPY")) for title in titles]
    assert not any(judge(rule, each).matches for each in [*answered, CAMERA])


def test_a_funnel_counts_what_each_rule_leaves() -> None:
    rule = Rule(must=("ルミナ",), price_max=50_000)
    seen = [CAMERA, replace(CAMERA, title="別の品"), replace(CAMERA, price=Money(amount=60_000, currency="JPY"))]
    assert funnel(judge(rule, each) for each in seen) == [("status", 3), ("must", 2), ("price", 1)]
    assert funnel([]) == []
