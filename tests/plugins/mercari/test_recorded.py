"""Every recorded search and every error is read or refused rightly; the recordings themselves stay outside.

What looks and lists of a seller's items answered is in ``test_recorded_looks``.
"""

import os
from pathlib import Path

import pytest

from monitor_site import contract
from monitor_site.contract import Kind, MarketplaceError, SearchPage, Shipping, Status
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.parse import read_search
from tests.plugins.mercari.samples import NOW, Sample, samples
from tests.plugins.mercari.test_recorded_looks import LOOKED_AT

FOLDER = os.environ.get("RECORDED_ANSWERS")
pytestmark = pytest.mark.skipif(not FOLDER, reason="RECORDED_ANSWERS names no folder of recorded answers")

# file -> rows, rows without price, rumoured total, next token
READ = {
    "search/current_mixed.json": (9, 2, 3145, "v1:1"),
    "search/multi_page_0.json": (7, 0, 12, "v1:1"),
    "search/multi_page_1.json": (3, 0, 12, None),
    "search/zero_results.json": (0, 0, 0, None),
    "search/padded_with_other_category.json": (2, 0, 343, "v1:19"),
    "search/edge_titles.json": (15, 0, 15, None),
    "search/edge_shapes.json": (9, 1, 9, None),
    "search/legacy_2022_keys.json": (6, 0, 6, None),
    "search/sorted_price_asc.json": (19, 0, 19, None),
    "search/sorted_created_desc_not_monotonic.json": (12, 0, 90, None),
}
REFUSED = {
    "search/malformed_truncated.json.txt": "LayoutChanged",
    "errors/unauthorized_401.json": "SignInNeeded",
    "errors/rate_limited_429.json": "Throttled",
    "errors/blocked_403.html": "Blocked",
    "errors/upstream_500.json": "Unavailable",
}
# Answers to orders, a list of words, and what the other file of tests reads.
NOT_READ = ("order/", "enums.json", *LOOKED_AT)
PADDED_CATEGORY = 7091
COUNTED_STATES = (58, 5, 16, 0, 1, 1, 1)  # on sale, reserved, sold, ended, stopped, removed, unknown


@pytest.fixture(scope="module")
def recorded() -> dict[str, Sample]:
    return samples(Path(str(FOLDER)) / "mercari", without=NOT_READ)


def read(recorded: dict[str, Sample], file: str) -> SearchPage:
    asked = (PADDED_CATEGORY,) if "padded" in file else ()
    return read_search(recorded[file].answer, MercariCriteria(category_ids=asked), now=NOW)


def test_no_recorded_answer_is_left_out(recorded):
    assert set(recorded) == set(READ) | set(REFUSED)


@pytest.mark.parametrize("file", READ)
def test_a_recorded_page_gives_its_rows(recorded, file: str):
    page = read(recorded, file)
    unpriced = sum(found.price is None for found in page.sightings)
    assert (len(page.sightings), unpriced, page.about, page.next_token) == READ[file]
    assert page.bad_rows == ()


@pytest.mark.parametrize("file", REFUSED)
def test_a_recorded_refusal_raises_its_error(recorded, file: str):
    with pytest.raises(MarketplaceError) as caught:
        read(recorded, file)
    assert type(caught.value) is getattr(contract, REFUSED[file])


def test_the_recorded_wait_is_kept(recorded):
    with pytest.raises(contract.Throttled) as caught:
        read(recorded, "errors/rate_limited_429.json")
    assert caught.value.retry_after == 7.0


def test_recorded_rows_are_complete(recorded):
    found = [sighting for file in READ for sighting in read(recorded, file).sightings]
    assert len(found) == 82
    assert all(sighting.url.startswith("https://jp.mercari.com/") for sighting in found)
    assert all(sighting.created and sighting.updated and sighting.seller for sighting in found)


def test_recorded_kinds_and_states(recorded):
    found = [sighting for file in READ for sighting in read(recorded, file).sightings]
    kinds = [sighting.kind for sighting in found]
    assert (kinds.count(Kind.AUCTION), kinds.count(Kind.SHOP), kinds.count(Kind.FLEA)) == (3, 2, 77)
    states = [sighting.status for sighting in found]
    counted = tuple(states.count(state) for state in Status)
    assert counted == COUNTED_STATES
    assert {sighting.shipping for sighting in found if sighting.kind == Kind.SHOP} == {Shipping.UNKNOWN}


def test_the_recorded_bids_are_read(recorded):
    auctions = [found for found in read(recorded, "search/current_mixed.json").sightings if found.kind == Kind.AUCTION]
    assert [found.bids for found in auctions] == [16, 0, 0]
    assert [found.ends_at.microsecond for found in auctions if found.ends_at] == [0, 602704, 0]


def test_recorded_padding_is_dropped(recorded):
    assert read(recorded, "search/padded_with_other_category.json").padding == 3


def test_the_same_listing_on_two_recorded_pages_has_the_same_id(recorded):
    first, second = (read(recorded, f"search/multi_page_{n}.json") for n in (0, 1))
    ids = {found.external_id for found in (*first.sightings, *second.sightings)}
    assert len(ids) == 9


def test_recorded_titles_keep_their_signs_and_lose_their_entities(recorded):
    titles = [found.title for found in read(recorded, "search/edge_titles.json").sightings]
    assert titles[0] == titles[1]
    assert "" in titles
    assert not any("&amp;" in title or "&lt;" in title for title in titles)
