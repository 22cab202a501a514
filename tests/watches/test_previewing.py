"""What a wish would find, of what was fetched and of what is known already; and what asking costs."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Condition, Money, Status
from monitor_site.watches import costs, previewing
from monitor_site.watches.matching import Blocks, Rule
from monitor_site.watches.models import Target
from monitor_site.watches.services import draft_watch
from tests.watches.makers import sighting, watch_of, wish
from tests.web.watch_rows import make_listing

RULE = Rule(must=("ルミナ",), price_max=6_000, conditions=("good",))


def test_three_groups_and_a_funnel_in_the_rules_order(now: datetime) -> None:
    found = [
        ("mercari", sighting(1)),
        ("mercari", sighting(2, price=7_000)),
        ("mercari", sighting(3, condition=Condition.UNKNOWN)),
        ("mercari", sighting(4, title="別の物")),
        ("mercari", sighting(5, status=Status.SOLD)),
    ]
    preview = previewing.judge(RULE, found, blocks={}, now=now)
    assert [[one.sighting.external_id[-1] for one in group] for group in (preview.matching, preview.unclear)] == [
        ["1"], ["3"]
    ]  # fmt: skip
    assert [one.decision.rejection["rule"] for one in preview.rejected if one.decision.rejection] == [
        "price", "must", "status"
    ]  # fmt: skip
    assert preview.funnel == [("status", 4), ("must", 3), ("price", 2), ("condition", 2)]
    assert preview.total == 5


def test_what_two_questions_found_is_shown_once_and_two_marketplaces_may_use_one_id(now: datetime) -> None:
    found = [("mercari", sighting(1)), ("mercari", sighting(1)), ("yahoo_auctions", sighting(1))]
    assert len(previewing.judge(RULE, found, blocks={}, now=now).matching) == 2


def test_the_rule_that_removes_most_is_named(now: datetime) -> None:
    found = [("mercari", sighting(number, price=9_000)) for number in range(4)]
    assert previewing.judge(RULE, [*found, ("mercari", sighting(9, title="x"))], blocks={}, now=now).hardest == "price"
    assert previewing.judge(RULE, [], blocks={}, now=now).hardest == ""


def test_what_the_person_blocks_there_is_rejected_for_that_reason(now: datetime) -> None:
    blocks = {"mercari": Blocks(sellers=("900",), phrases=("未開封",))}
    found = [
        ("mercari", sighting(1)),
        ("mercari", sighting(2, title="ルミナ 未開封")),
        ("mercari", sighting(3, seller=None)),
        ("yahoo_auctions", sighting(4)),
    ]
    preview = previewing.judge(RULE, found, blocks=blocks, now=now)
    assert [one.sighting.external_id[-1] for one in preview.matching] == ["3", "4"]
    assert [one.decision.rejection["rule"] for one in preview.rejected if one.decision.rejection] == [
        "blocked_seller", "blocked_phrase"
    ]  # fmt: skip


@pytest.mark.django_db
class TestKnown:
    def test_what_came_in_seven_days_is_judged_as_it_came(self, now: datetime) -> None:
        for price in (3_000, 4_000, 5_000):
            make_listing(now, price=price)
        make_listing(now, price=None)
        make_listing(now, price=5_500, status="sold")
        make_listing(now, title="別の物")
        make_listing(now - timedelta(days=8))
        make_listing(now, marketplace="yahoo_auctions")
        known = previewing.known(RULE, ["mercari"], blocks={}, now=now)
        assert (known.total, known.matching, known.price, known.cut) == (6, 4, 4_000, False)

    def test_a_median_is_of_one_currency(self, now: datetime) -> None:
        make_listing(now, price=3_000)
        make_listing(now, price=9, currency="EUR")
        known = previewing.known(Rule(must=("ルミナ",)), ["mercari"], blocks={}, now=now)
        assert (known.matching, known.price) == (2, 3_000)

    def test_what_the_person_blocks_there_does_not_count(self, now: datetime) -> None:
        make_listing(now, price=3_000, seller_id="bad")
        make_listing(now, price=4_000, title="ルミナ ジャンク")
        make_listing(now, price=5_000)
        blocks = {"mercari": Blocks(sellers=("bad",), phrases=("ジャンク",))}
        known = previewing.known(RULE, ["mercari"], blocks=blocks, now=now)
        assert (known.total, known.matching, known.price) == (3, 1, 5_000)

    def test_nothing_known_has_no_price(self, now: datetime) -> None:
        assert previewing.known(RULE, ["mercari"], blocks={}, now=now).price is None

    def test_words_that_only_a_description_may_hold_are_looked_for_there(self, now: datetime) -> None:
        make_listing(now, title="古い物", description="ルミナ です")
        make_listing(now, title="古い物")
        rule = Rule(must=("ルミナ",), in_description=True)
        assert previewing.known(rule, ["mercari"], blocks={}, now=now).matching == 1

    def test_it_takes_two_queries_and_never_more_than_its_bound(
        self, now: datetime, monkeypatch: Any, django_assert_num_queries: Any
    ) -> None:
        monkeypatch.setattr(previewing, "MOST_LISTINGS", 3)
        for _ in range(5):
            make_listing(now)
        with django_assert_num_queries(2):
            known = previewing.known(RULE, ["mercari"], blocks={}, now=now)
        assert (known.total, known.cut) == (3, True)


@pytest.mark.django_db
class TestCosts:
    def test_a_question_that_others_ask_already_costs_nothing_more(self, alice: Any, bob: Any, now: datetime) -> None:
        watch_of(bob, now, interval_seconds=60)
        draft = draft_watch(user=alice, wish=wish(must=["ルミナ"], interval_seconds=60), now=now)
        (cost,) = costs.costs(draft)
        assert (cost.questions, cost.new, cost.own, cost.all, cost.pace) == (1, 0, 1.0, 1.0, 20)

    def test_asking_more_often_than_the_others_costs_the_difference(self, alice: Any, bob: Any, now: datetime) -> None:
        watch_of(bob, now, interval_seconds=60)
        draft = draft_watch(user=alice, wish=wish(must=["ルミナ"], interval_seconds=30), now=now)
        assert costs.costs(draft)[0].all == 2.0

    def test_each_marketplace_has_its_own_share_and_interval(self, alice: Any, now: datetime) -> None:
        places = ["mercari", "yahoo_auctions"]
        draft = draft_watch(
            user=alice, wish=wish(marketplaces=places, any_of=["a", "b"], interval_seconds=5), now=now
        )  # fmt: skip
        assert [(one.marketplace, one.questions, one.new, one.seconds) for one in costs.costs(draft)] == [
            ("mercari", 2, 2, 5), ("yahoo_auctions", 2, 2, 10)
        ]  # fmt: skip
        assert [one.too_much for one in costs.costs(draft)] == [True, True]

    def test_it_takes_two_queries_whatever_is_asked(
        self, alice: Any, now: datetime, django_assert_num_queries: Any
    ) -> None:
        draft = draft_watch(user=alice, wish=wish(any_of=["a", "b", "c"]), now=now)
        with django_assert_num_queries(2):
            costs.costs(draft)
        assert not Target.objects.exists()


def test_unknown_prices_are_unclear_and_not_rejected(now: datetime) -> None:
    one = replace(sighting(1), price=Money(amount=0, currency="JPY"))
    preview = previewing.judge(RULE, [("mercari", one)], blocks={}, now=now)
    assert preview.unclear[0].decision.open_rules == ("price",)
