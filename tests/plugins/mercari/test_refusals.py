"""Answers that are no answer, and what each of them means."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor_site import contract
from monitor_site.contract import (
    LONGEST_WAIT,
    Answer,
    LayoutChanged,
    MarketplaceError,
    SearchPage,
    Throttled,
    Unavailable,
)
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.parse import read_search
from tests.plugins.mercari.samples import NOW, URL, page_of, read, row, samples

REFUSED = [sample for sample in samples().values() if sample.raises]


@pytest.mark.parametrize("sample", REFUSED, ids=lambda sample: sample.file)
def test_each_refused_sample_raises_its_own_error(sample):
    with pytest.raises(MarketplaceError) as caught:
        read(sample.file)
    assert type(caught.value) is getattr(contract, sample.raises)


def test_every_kind_of_refusal_has_a_sample():
    kinds = {sample.raises for sample in REFUSED}
    assert kinds == {"LayoutChanged", "Blocked", "SignInNeeded", "Throttled", "Unavailable"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": " 120 "}, 120.0),
        ({"retry_after": "Mon, 21 Sep 2026 15:00:30 GMT"}, 30.0),
        ({"retry_after": "Mon, 21 Sep 2026 18:00:30 GMT", "date": "Mon, 21 Sep 2026 18:00:20 GMT"}, 10.0),
        ({"retry_after": "Mon, 21 Sep 2026 14:00:00 GMT"}, 1.0),
        ({"retry_after": "0"}, 1.0),
        ({"retry_after": "99999999999999"}, LONGEST_WAIT),
        ({"retry_after": "soon"}, 90.0),
        ({"retry_after": "-3"}, 90.0),
        ({"retry_after": ""}, 90.0),
        ({}, 90.0),
    ],
)
def test_a_throttled_answer_says_how_long_to_wait(headers: dict[str, str], seconds: float):
    with pytest.raises(Throttled) as caught:
        read_search(page_of(status=429, **headers), MercariCriteria(), now=NOW)
    assert caught.value.retry_after == seconds


def test_maintenance_passes_on_when_it_will_be_over():
    with pytest.raises(Unavailable) as caught:
        read_search(page_of(status=503, retry_after="300"), MercariCriteria(), now=NOW)
    assert caught.value.retry_after == 300.0


def test_a_few_rows_without_price_are_no_other_layout():
    rows = [row(id=f"m{n}") for n in range(4)]
    for unpriced in rows:
        del unpriced["price"]
    assert len(read_search(page_of(*rows), MercariCriteria(), now=NOW).sightings) == 4


def test_a_byte_order_mark_and_other_json_types_are_read():
    plain = page_of(row())
    headers = {"content-type": "application/vnd.sample+json; charset=UTF-8"}
    marked = Answer(status=200, headers=headers, body=b"\xef\xbb\xbf" + plain.body, url=URL)
    assert len(read_search(marked, MercariCriteria(), now=NOW).sightings) == 1


def test_deep_nesting_is_another_layout_and_no_crash():
    body = b'{"items":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    deep = Answer(status=200, headers={"content-type": "application/json"}, body=body, url=URL)
    with pytest.raises(LayoutChanged):
        read_search(deep, MercariCriteria(), now=NOW)


KEYS = ("id", "name", "price", "created", "status", "auction", "photos", "shop", "categoryId", "itemBrand", "isNoPrice")
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from((*KEYS, "uri")), inner, max_size=3),
    max_leaves=4,
)


@given(rows=st.lists(st.dictionaries(st.sampled_from(KEYS), ANYTHING) | ANYTHING, max_size=4), token=ANYTHING)
@settings(max_examples=100, deadline=None)
def test_whatever_stands_in_the_rows_gives_a_page_or_a_named_error(rows: list[object], token: object):
    try:
        page = read_search(page_of(*rows, token=token), MercariCriteria(category_ids=(5,)), now=NOW)
    except MarketplaceError:
        return
    assert isinstance(page, SearchPage)
    assert len(page.sightings) + len(page.bad_rows) + page.padding == len(rows)


@given(body=st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_bytes_give_a_named_error(body: bytes):
    with pytest.raises(MarketplaceError):
        read_search(
            Answer(status=200, headers={"content-type": "application/json"}, body=body, url=URL),
            MercariCriteria(),
            now=NOW,
        )
