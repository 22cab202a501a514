"""Faults: which request they strike, and what each generic kind sends."""

import gzip
from random import Random

import pytest

from monitor_site.contract.practice import Faults, generic_kinds, json_reply, renamed
from tests.contract.practice.conftest import Asker, SmallMarket, Wall

SENT = {
    "status": (500, b'{"error":"practice"}'),
    "throttle": (429, b'{"error":"slow down"}'),
    "maintenance": (503, b"<p>closed</p>"),
    "no_body": (200, b""),
}
GOOD = b'{"route":"search","asked":{}}'
OF_THEIR_OWN = {"delay", "hang", "truncate", "cut", "close", "drip", "endless", "huge", "gzip_bomb"}


def faults(wall: Wall, *, seed: int = 1) -> Faults:
    return Faults(Random(seed), wall, kinds=SmallMarket.kinds, routes=("search", "photos"))


def test_every_generic_kind_is_tested_here():
    assert set(generic_kinds(error=json_reply(1), throttled=json_reply(1), maintenance=json_reply(1))) == (
        set(SENT) | OF_THEIR_OWN
    )


def test_a_fault_strikes_its_route_as_often_as_told():
    known = faults(Wall())
    fault = known.set({"kind": "hang", "route": "photos", "count": 2})
    assert known.strike("search") is None
    assert [known.strike("photos") for _ in range(3)] == [fault, fault, None]
    assert known.active == []


def test_a_fault_of_every_route_strikes_each_and_the_oldest_counts():
    known = faults(Wall())
    first = known.set({"kind": "hang", "route": "*"})
    known.set({"kind": "status"})
    assert {known.strike("search"), known.strike("photos")} == {first}


def test_a_fault_ends_with_its_time():
    wall = Wall()
    known = faults(wall)
    known.set({"kind": "hang", "for_seconds": 5})
    assert known.strike("search")
    wall.seconds += 5
    assert known.strike("search") is None


def test_a_likely_fault_strikes_about_as_often_as_it_is_likely():
    known = faults(Wall())
    known.set({"kind": "hang", "probability": 0.3})
    assert 230 < sum(known.strike("search") is not None for _ in range(1000)) < 370


@pytest.mark.parametrize("kind", SENT)
async def test_a_kind_sends_what_the_market_says(ask: Asker, kind: str):
    await ask.do("faults", kind=kind, count=1)
    got = await ask("/search")
    assert (got.status, got.body) == SENT[kind]
    assert (await ask("/search")).body == GOOD
    assert (await ask.look("state"))["totals"] == {"search": 2, f"fault {kind}": 1}


async def test_a_status_is_the_one_that_was_wanted(ask: Asker):
    await ask.do("faults", kind="status", status=418)
    assert (await ask("/search")).status == 418


@pytest.mark.parametrize(("hint", "header"), [(7, "7"), (None, None)])
async def test_throttling_may_say_how_long(ask: Asker, hint: int | None, header: str | None):
    await ask.do("faults", kind="throttle", retry_after=hint)
    assert (await ask("/search")).headers.get("retry-after") == header


async def test_what_comes_late_is_good_unless_the_client_has_gone(ask: Asker):
    await ask.do("faults", kind="delay", seconds=0.01)
    assert (await ask("/search")).body == GOOD
    await ask.do("faults/clear")
    await ask.do("faults", kind="delay", seconds=3600)
    assert (await ask("/search", stays=False)).status == 0


async def test_what_hangs_sends_nothing(ask: Asker):
    await ask.do("faults", kind="hang", seconds=0.01)
    assert (await ask("/search")).status == 0


async def test_what_is_truncated_is_a_whole_answer_with_less_in_it(ask: Asker):
    await ask.do("faults", kind="truncate")
    got = await ask("/search")
    assert (got.status, got.ended) == (200, True)
    assert GOOD.startswith(got.body)
    assert int(got.headers["content-length"]) == len(got.body) < len(GOOD)


async def test_a_connection_is_cut_in_the_middle_or_before_any_byte(ask: Asker):
    await ask.do("faults", kind="cut", count=1)
    got = await ask("/search")
    assert (got.body, got.ended) == (GOOD[: len(GOOD) // 2], False)
    await ask.do("faults", kind="close", count=1)
    assert (await ask("/search")).status == 0


async def test_drops_fall_until_the_answer_is_whole_or_the_client_gone(ask: Asker):
    await ask.do("faults", kind="drip", seconds=0)
    assert (await ask("/search")).body == GOOD
    got = await ask("/search", patience=3)
    assert (3 <= len(got.body) < len(GOOD), got.ended) == (True, False)


async def test_a_huge_body_ends_at_its_size_and_an_endless_one_with_the_client(ask: Asker):
    await ask.do("faults", kind="huge", megabytes=1, count=1)
    got = await ask("/search")
    assert (900_000 < len(got.body) <= 1_000_000, got.ended) == (True, True)
    await ask.do("faults", kind="endless", count=1)
    got = await ask("/search", patience=500_000)
    assert (500_000 <= len(got.body) < 1_000_000, got.ended) == (True, False)


async def test_a_bomb_is_small_on_the_wire(ask: Asker):
    await ask.do("faults", kind="gzip_bomb", megabytes=2)
    got = await ask("/search")
    assert (got.headers["content-encoding"], len(got.body) < 20_000) == ("gzip", True)
    assert len(gzip.decompress(got.body)) == 2_000_000


def test_names_are_changed_in_order():
    assert renamed(b"a b a", [(b"a", b"b"), (b"b", b"c")]) == b"c c c"
