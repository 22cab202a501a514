"""The rules of a watch beside its words: typed, refused, shown again, and named on its page."""

import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.watches.models import Doubt, Watch
from monitor_site.web.watch_fields import read_span
from monitor_site.web.watch_hints import doubts_of, hints
from tests.watches.lookers import let_look
from tests.web.test_watch_form import NEW, RULES, TYPED, refused
from tests.web.watch_rows import make_match, make_watch


def folds(text: str) -> dict[str, tuple[bool, str]]:
    """Title of a section → whether it is unfolded, and its summary."""
    pattern = r'<details class="fold"( open)?>\s*<summary>(.*?) <span class="fold__sum">(.*?)</span>'
    return {title: (bool(unfolded), line) for unfolded, title, line in re.findall(pattern, text)}


def test_every_rule_that_can_be_typed_arrives(hers: Client) -> None:
    assert hers.post(NEW, TYPED | RULES).status_code == 302
    watch = Watch.objects.get()
    assert (watch.in_description, watch.pattern, watch.landed, watch.kinds) == (
        True, "T[23]D?", True, ["fixed", "auction"]
    )  # fmt: skip
    assert (watch.rating_min, watch.rated_min, watch.bids_max) == (95, 1000, 0)
    assert (watch.ends_within_minutes, watch.listed_within_hours) == (1440, 36)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"pattern": "("}, "pattern"),
        ({"pattern": "(?=a)"}, "pattern"),
        ({"pattern": r"(a)\1"}, "pattern"),
        ({"pattern": "a\x07"}, "pattern"),
        ({"pattern": "x" * 201}, "pattern"),
        ({"pattern": "(?:(?:x{1000}){1000})"}, "pattern"),
        ({"kinds": ["barter"]}, "kinds"),
        ({"rating_min": "0"}, "rating_min"),
        ({"rating_min": "101"}, "rating_min"),
        ({"rating_min": "good"}, "rating_min"),
        ({"rating_min": "-5"}, "rating_min"),
        ({"rating_min": "9.5"}, "rating_min"),
        ({"rated_min": "0"}, "rated_min"),
        ({"rated_min": "9" * 19}, "rated_min"),
        ({"bids_max": "10001"}, "bids_max"),
        ({"ends_within_minutes": "0"}, "ends_within_minutes"),
        ({"ends_within_minutes": "31d"}, "ends_within_minutes"),
        ({"ends_within_minutes": "soon"}, "ends_within_minutes"),
        ({"ends_within_minutes": "1.5h"}, "ends_within_minutes"),
        ({"listed_within_hours": "90m"}, "listed_within_hours"),
        ({"listed_within_hours": "400d"}, "listed_within_hours"),
        ({"kinds": ["fixed"], "bids_max": "3"}, "bids_max"),
        ({"kinds": ["shop"], "ends_within_minutes": "60"}, "ends_within_minutes"),
        ({"must": "a|b|c, d|e"}, "must"),
        ({"must": "a｜b", "any_of": "c, d, e"}, "must"),
        ({"any_of": "a|b|c, d|e|f"}, "any_of"),
        ({"must": "ルミナ|‐"}, "must"),
        ({"must": "|||"}, "must"),
        ({"must": "|".join(f"word{n}" for n in range(200))}, "must"),
        ({"must": ",".join("a|b|c|d|e|f|g|h|i|j" for _ in range(20))}, "must"),
        ({"must": "ルミナ|LUMINA", "none_of": "ジャンク|lumina"}, "none_of"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_beside_its_field(hers: Client, changes: dict[str, Any], field: str) -> None:
    assert refused(hers.post(NEW, TYPED | changes), field)


def test_what_is_refused_is_unfolded_with_what_was_typed(hers: Client) -> None:
    answer = hers.post(NEW, TYPED | {"must": "", "pattern": "(", "rated_min": "50"})
    assert {"must", "pattern"} == set(answer.context["form"].errors)
    text = answer.content.decode()
    shown = folds(text)
    assert (shown["More words"][0], shown["Seller"], shown["Auctions"][0]) == (
        True, (False, "at least 50 ratings"), False
    )  # fmt: skip
    assert 'value="("' in text
    assert 'value="50"' in text


def test_sections_sum_themselves_up(hers: Client) -> None:
    assert folds(hers.get(NEW).content.decode()) == {
        "More words": (False, "in the title only"),
        "Limits": (True, "any price, any condition"),
        "Seller": (False, "any seller"),
        "When": (False, "at any time"),
        "Auctions": (False, "any end, any number of bids"),
    }
    hers.post(NEW, TYPED | RULES | {"price_max": "60000", "conditions": ["new"], "shipping": "included"})
    address = reverse("watch-edit", args=[Watch.objects.get().pk])
    assert folds(hers.get(address).content.decode()) == {
        "More words": (False, "also in the description · title like T[23]D?"),
        "Limits": (
            False,
            "≤ ¥60,000 with shipping · Fixed price, Auction · New, unused · shipping included · listed within 1 d 12 h",
        ),
        "Seller": (False, "rating from 95 % · at least 1,000 ratings"),
        "When": (False, "at any time"),
        "Auctions": (False, "auctions that end within 1 d · auctions without bids"),
    }


def test_the_page_of_a_watch_names_every_rule(hers: Client) -> None:
    hers.post(NEW, TYPED | RULES | {"price_max": "60000"})
    text = hers.get(reverse("watch", args=[Watch.objects.get().pk])).content.decode()
    for fact in (
        "all of: ルミナ", "also in the description", "title like T[23]D?", "≤ ¥60,000 with shipping",
        "Fixed price, Auction", "listed within 1 d 12 h", "rating from 95 %", "at least 1,000 ratings",
        "auctions that end within 1 d",
        "auctions without bids",
    ):  # fmt: skip
        assert fact in text


def test_a_pattern_is_shown_as_text(hers: Client) -> None:
    hers.post(NEW, TYPED | {"pattern": "<b>|x"})
    watch = Watch.objects.get()
    for address in (reverse("watch", args=[watch.pk]), reverse("watch-edit", args=[watch.pk])):
        text = hers.get(address).content.decode()
        assert "<b>|x" not in text
        assert "&lt;b&gt;|x" in text


@pytest.mark.parametrize(
    ("text", "minutes"), [("90", 90), ("６時間", 360), ("2 days", None), ("h", None), ("1e3", None)]
)
def test_lengths_of_time_are_read_as_people_write_them(text: str, minutes: int | None) -> None:
    if minutes is None:
        with pytest.raises(ValueError, match=f"^{text}$"):
            read_span(text, unit=1)
    else:
        assert read_span(text, unit=1) == minutes


def test_the_form_says_truly_what_happens_to_what_a_search_does_not_tell(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    let_look(monkeypatch, "yahoo_auctions")
    assert any("is decided after one look" in line for line in hints("yahoo_auctions"))
    let_look(monkeypatch)
    assert any("never matches" in line for line in hints("yahoo_auctions"))


def test_the_page_of_a_watch_counts_what_waits_for_a_look_and_what_stays_unclear(
    hers: Client, alice: User, now: datetime
) -> None:
    watch = make_watch(alice, now)
    common = {"cause": "listed", "raised_at": now, "due_at": now}
    for outcome in ("open", "open", "unclear", "rejected"):
        decided = None if outcome == "open" else now
        listing = make_match(watch, now).listing
        Doubt.objects.create(watch=watch, listing=listing, outcome=outcome, decided_at=decided, **common)
    told = ["2 listings wait for a look that decides.", "1 listing stays unclear: not even a look told enough."]
    assert doubts_of(watch) == told
    text = hers.get(reverse("watch", args=[watch.pk])).content.decode()
    assert all(line in text for line in told)
