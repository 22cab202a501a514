"""Which sighting is what a watch wants, and why."""

from dataclasses import replace

import pytest

from monitor_site.contract import Condition, Kind, Money, Shipping, Sighting, Status
from monitor_site.watches.matching import Decision, Rule, decide

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


def verdict(decision: Decision, rule: str) -> str:
    return next(reason["verdict"] for reason in decision.rules if reason["rule"] == rule)


def test_every_word_must_be_there() -> None:
    assert decide(Rule(must=("ルミナ", "t2")), CAMERA).matches
    assert not decide(Rule(must=("ルミナ", "T3")), CAMERA).matches


def test_one_of_several_words_is_enough_and_is_named() -> None:
    decision = decide(Rule(any_of=("カメラ", "レンズ")), CAMERA)
    assert decision.matches
    assert next(r["words"] for r in decision.rules if r["rule"] == "any_of") == ["カメラ"]


def test_an_unwanted_word_rejects_whatever_its_width() -> None:
    junk = replace(CAMERA, title="ルミナ T2 ｼﾞｬﾝｸ")
    assert verdict(decide(Rule(must=("ルミナ",), none_of=("ジャンク",)), junk), "none_of") == "fail"


PRICES = [
    (None, 48_000, True),
    (48_000, None, True),
    (None, 47_999, False),
    (48_001, None, False),
    (40_000, 50_000, True),
]


@pytest.mark.parametrize(("low", "high", "matches"), PRICES)
def test_price_bounds_include_their_ends(low: int | None, high: int | None, matches: bool) -> None:
    assert decide(Rule(must=("ルミナ",), price_min=low, price_max=high), CAMERA).matches is matches


def test_an_unknown_price_passes_no_price_gate_but_is_no_mismatch() -> None:
    decision = decide(Rule(must=("ルミナ",), price_max=99_999_999), replace(CAMERA, price=None))
    assert not decision.matches
    assert not decision.rejected
    assert verdict(decision, "price") == "unknown"


def test_a_price_in_a_foreign_currency_is_unknown() -> None:
    euros = replace(CAMERA, price=Money(amount=100, currency="EUR"))
    assert verdict(decide(Rule(price_max=48_000), euros), "price") == "unknown"


def test_an_unknown_price_matters_to_nobody_who_gave_no_bounds() -> None:
    assert decide(Rule(must=("ルミナ",)), replace(CAMERA, price=None)).matches


@pytest.mark.parametrize("gone", [Status.SOLD, Status.RESERVED, Status.STOPPED, Status.REMOVED, Status.UNKNOWN])
def test_what_cannot_be_bought_now_is_no_match(gone: Status) -> None:
    assert not decide(Rule(must=("ルミナ",)), replace(CAMERA, status=gone)).matches


def test_the_status_is_the_first_reason_a_person_reads() -> None:
    sold = replace(CAMERA, status=Status.SOLD, price=Money(amount=999_999, currency="JPY"))
    assert decide(Rule(price_max=1), sold).rules[0]["rule"] == "status"


def test_condition_and_shipping_decide_only_where_asked() -> None:
    worn = replace(CAMERA, condition=Condition.WORN, shipping=Shipping.BUYER_PAYS)
    assert decide(Rule(must=("ルミナ",)), worn).matches
    assert verdict(decide(Rule(conditions=("good", "new")), worn), "condition") == "fail"
    assert verdict(decide(Rule(shipping_included=True), worn), "shipping") == "fail"


def test_unknown_condition_and_shipping_are_unclear_not_wrong() -> None:
    vague = replace(CAMERA, condition=Condition.UNKNOWN, shipping=Shipping.UNKNOWN)
    decision = decide(Rule(conditions=("good",), shipping_included=True), vague)
    assert not decision.matches
    assert not decision.rejected
