"""Which answers to a look say that a listing is gone, and which say nothing about it."""

from collections.abc import Callable

import pytest

from monitor_site.contract import (
    Answer,
    Blocked,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    Sighting,
    SignInNeeded,
    Throttled,
    Unavailable,
)
from plugins.mercari.parse_item import read_item
from plugins.mercari.parse_product import read_product
from tests.plugins.mercari.samples import NOW
from tests.plugins.mercari.things import ITEM_ID, PRODUCT_ID, answer, error

BLOCK_PAGE = b"<!DOCTYPE html><html><body>Access denied</body></html>"
Reading = Callable[[Answer], Sighting]


def read_one(got: Answer) -> Sighting:
    return read_item(got, ITEM_ID, now=NOW)


def read_the_other(got: Answer) -> Sighting:
    return read_product(got, PRODUCT_ID, now=NOW)


@pytest.fixture(params=[read_one, read_the_other])
def reading(request: pytest.FixtureRequest) -> Reading:
    return request.param


def raised(reading: Reading, got: Answer) -> type[MarketplaceError]:
    with pytest.raises(MarketplaceError) as caught:
        reading(got)
    return type(caught.value)


def test_a_404_that_names_the_missing_record_is_gone(reading: Reading):
    assert raised(reading, error("RecordNotFoundException", status=404)) is ListingGone


@pytest.mark.parametrize(
    "got",
    [
        error("MethodNotFoundException", status=404),
        answer({"code": 5, "message": "Not Found", "details": []}, status=404),
        answer({"result": "error", "errors": []}, status=404),
        answer({"result": "error", "errors": "RecordNotFoundException"}, status=404),
        answer(["RecordNotFoundException"], status=404),
        answer(None, status=404, body=b'{"errors":[{"code":"RecordNotFound'),
        answer(None, status=404, body=b""),
        error("RecordNotFoundException", status=200),
        error("RecordNotFoundException", status=400),
    ],
)
def test_a_404_of_another_shape_and_the_word_with_another_status_are_not(reading: Reading, got: Answer):
    assert raised(reading, got) is LayoutChanged


def test_a_403_that_speaks_json_is_a_removed_listing(reading: Reading):
    assert raised(reading, answer({"code": 7, "message": "x", "details": []}, status=403)) is ListingGone
    assert raised(reading, error("ForbiddenException", status=403)) is ListingGone


@pytest.mark.parametrize(
    "got",
    [
        answer(None, status=403, kind="text/html; charset=UTF-8", body=BLOCK_PAGE),
        answer(None, status=403, body=BLOCK_PAGE),
        answer(None, status=403, body=b""),
        answer(None, status=403, body=b"denied"),
        answer(None, status=403, body=b"[]"),
        answer(None, status=403, body=b"{}"),
        answer({"code": 7}, status=403, kind=""),
        answer({"code": 7}, status=403, kind="text/plain"),
        answer(None, status=200, kind="text/html", body=BLOCK_PAGE),
        answer(None, status=200, body=BLOCK_PAGE),
        answer(None, status=404, kind="text/html", body=BLOCK_PAGE),
    ],
)
def test_a_page_or_anything_but_an_object_is_a_block(reading: Reading, got: Answer):
    assert raised(reading, got) is Blocked


@pytest.mark.parametrize(
    ("status", "kind"), [(401, SignInNeeded), (429, Throttled), (500, Unavailable), (503, Unavailable)]
)
def test_other_refusals_are_those_of_a_search(reading: Reading, status: int, kind: type[MarketplaceError]):
    assert raised(reading, error("RecordNotFoundException", status=status)) is kind
