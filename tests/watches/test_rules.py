"""What a watch states arrives in its rule and in its questions; the database holds the same bounds."""

import json
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction

from monitor_site.contract import Kind
from monitor_site.watches.matching import NO_BLOCKS, Blocks, Rule
from monitor_site.watches.models import Watch
from monitor_site.watches.questions import questions
from monitor_site.watches.rules import rule_of
from monitor_site.watches.services import WISHED, change_watch
from monitor_site.watches.wishes import Wish, checked
from tests.watches.makers import watch_of, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

STATED: dict[str, Any] = {
    "in_description": True,
    "pattern": "T[23]",
    "landed": True,
    "kinds": ("auction", "flea"),
    "rating_min": 95,
    "rated_min": 10,
    "bids_max": 0,
    "ends_within_minutes": 90,
    "listed_within_hours": 48,
}


def test_every_part_of_a_rule_is_stated_by_the_watch_or_blocked_by_its_user(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, any_of=["黒|銀"], none_of=["ジャンク"], price_min=1, price_max=9, **STATED)
    watch.refresh_from_db()
    rule = rule_of(watch, blocks=Blocks(sellers=("7",), phrases=("ケース",)))
    assert (rule.kinds, rule.pattern, rule.rating_min, rule.rated_min, rule.bids_max) == (
        ("auction", "flea"), "T[23]", 95, 10, 0
    )  # fmt: skip
    assert (rule.ends_within, rule.listed_within) == (timedelta(minutes=90), timedelta(hours=48))
    assert (rule.blocked_sellers, rule.blocked_phrases) == (("7",), ("ケース",))
    plain = Rule()
    silent = {each.name for each in fields(Rule) if getattr(rule, each.name) == getattr(plain, each.name)}
    assert silent == {"currency", "conditions", "shipping_included"}
    assert rule_of(watch) == rule_of(watch, blocks=NO_BLOCKS)


@pytest.mark.parametrize("name", STATED)
def test_a_change_of_any_rule_is_looked_at_anew(alice: Any, now: datetime, name: str) -> None:
    watch = watch_of(alice, now)
    watch.links.update(baselined_at=now)
    change_watch(watch=watch, wish=wish(**{name: STATED[name]}), now=now)
    watch.refresh_from_db()
    assert watch.links.get().baselined_at is None
    assert getattr(watch, name) == (list(STATED[name]) if isinstance(STATED[name], tuple) else STATED[name])


def test_what_is_wished_is_a_field_of_the_watch() -> None:
    assert set(WISHED) <= {field.name for field in Watch._meta.get_fields()}


BEYOND: list[dict[str, Any]] = [
    {"pattern": "x" * 201},
    {"rating_min": 0},
    {"rating_min": 101},
    {"rated_min": 0},
    {"bids_max": 10_001},
    {"ends_within_minutes": 0},
    {"ends_within_minutes": 43_201},
    {"listed_within_hours": 0},
    {"listed_within_hours": 8_761},
]


@pytest.mark.parametrize("change", BEYOND)
def test_neither_the_service_nor_the_database_takes_what_is_beyond_its_bounds(
    alice: Any, now: datetime, change: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError) as refused:
        checked(wish(**change))
    assert list(refused.value.message_dict) == list(change)
    watch = watch_of(alice, now)
    with pytest.raises(DatabaseError, match=r"watch_|too long"), transaction.atomic():
        Watch.objects.filter(pk=watch.pk).update(**change)


def keywords(watch: Watch) -> list[str]:
    return [json.loads(criteria)["keyword"] for _marketplace, criteria in questions(watch)]


def test_every_alternative_is_a_question_of_its_own_and_none_is_asked_with_the_sign(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, must=["ルミナ｜LUMINA | ﾙﾐﾅ", "T2 チタン"], any_of=["黒|銀"])
    assert watch.must == ["ルミナ|LUMINA", "T2 チタン"]
    assert sorted(keywords(watch)) == sorted(
        ["T2 チタン ルミナ 黒", "T2 チタン ルミナ 銀", "LUMINA T2 チタン 黒", "LUMINA T2 チタン 銀"]
    )
    assert watch.links.count() == 4


@pytest.mark.parametrize(
    ("words", "field", "figure"),
    [
        ({"must": ["a|b|c", "d|e"]}, "must", "6"),
        ({"must": ["a|b"], "any_of": ["c|d", "e"]}, "must", "6"),
        ({"any_of": ["a|b|c", "d|e|f"]}, "any_of", "5"),
    ],
)
def test_too_many_questions_are_refused_with_their_number(words: dict[str, Any], field: str, figure: str) -> None:
    with pytest.raises(ValidationError) as refused:
        checked(Wish(**{"name": "", "marketplaces": ["mercari"]} | words))
    (sentence,) = refused.value.message_dict[field]
    assert figure in sentence


def test_one_word_too_many_is_no_way_to_keep_the_machine_busy() -> None:
    many = ["|".join(f"w{n}x{m}" for m in range(100)) for n in range(20)]
    with pytest.raises(ValidationError):
        checked(wish(must=many))


def test_what_is_wanted_may_not_be_unwanted_in_any_alternative() -> None:
    with pytest.raises(ValidationError) as refused:
        checked(wish(must=["ルミナ|LUMINA"], none_of=["ジャンク|ｌｕｍｉｎａ"]))
    assert refused.value.message_dict == {"none_of": ["“ｌｕｍｉｎａ” is wanted and unwanted at once."]}


def test_kinds_are_those_of_the_contract() -> None:
    assert checked(wish(kinds=[kind.value for kind in Kind])).kinds == tuple(kind.value for kind in Kind)
    with pytest.raises(ValidationError):
        checked(wish(kinds=["barter"]))
