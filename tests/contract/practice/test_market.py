"""The skeleton of a practice market and its control end."""

import pytest

from monitor_site.contract.practice import Shelf
from tests.contract.practice.conftest import OPENED, Asker, Thing


async def test_a_request_is_counted_by_its_route_and_answered(ask: Asker):
    got = await ask("/photos/a", query="x=1&x=2&blank=")
    assert (got.status, got.json) == (200, {"route": "photos", "asked": {"x": "2", "blank": ""}})
    assert got.headers == {"content-type": "application/json", "content-length": str(len(got.body))}
    assert (await ask.look("state"))["totals"] == {"photos": 1}


async def test_state_tells_how_the_market_stands(ask: Asker):
    assert await ask.look("state") == {
        "now": OPENED,
        "speed": 1.0,
        "seed": 3,
        "index_lag": 1.0,
        "stream": {"running": True, "per_second": 2.0},
        "listings": 0,
        "keywords": 0,
        "totals": {},
        "faults": [],
    }
    assert ask.market.stream.runs == 1


async def test_asked_tells_how_often_and_when(ask: Asker):
    ask.market.world.shelves["a"] = Shelf(keyword="A", words=("a",), asked=5.0, fed=0.0, times_asked=2)
    assert await ask.look("asked") == {"A": {"times": 2, "last": 5.0}}


async def test_the_clock_takes_its_speed_and_jumps(ask: Asker):
    assert await ask.do("clock", speed=0, advance=90) == {"now": OPENED + 90, "speed": 0.0}
    ask.wall.seconds += 1000
    assert await ask.do("clock") == {"now": OPENED + 90, "speed": 0.0}


async def test_settings_change_what_is_named_and_tell_all(ask: Asker):
    assert await ask.do("settings", index_lag=55) == {"index_lag": 55.0, "per_second": 2.0}
    assert await ask.do("settings", per_second=1) == {"index_lag": 55.0, "per_second": 1.0}


async def test_the_stream_is_paused_after_what_was_due_and_resumed(ask: Asker):
    assert await ask.do("pause") == {"running": False}
    assert (ask.market.stream.running, ask.market.stream.runs) == (False, 1)
    assert await ask.do("resume") == {"running": True}
    assert ask.market.stream.running


async def test_the_truth_can_be_looked_at_from_its_end(ask: Asker):
    for n in range(3):
        ask.market.world.truth.write("happened", n=n)
    assert [event["n"] for event in (await ask.look("truth", "tail=2"))["events"]] == [1, 2]
    assert len((await ask.look("truth", "tail="))["events"]) == 3
    assert (await ask.look("truth", "tail=0"))["events"] == []


async def test_faults_are_set_shown_and_cleared_and_the_log_knows(ask: Asker):
    first = await ask.do("faults", kind="status", count=2, for_seconds=60, status=502)
    second = await ask.do("faults", kind="hang", route="*")
    assert first == {
        "id": 1, "kind": "status", "route": "search", "left": 2, "probability": 1.0, "until": OPENED + 60,
        "options": {"status": 502},
    }  # fmt: skip
    assert await ask.look("faults") == {"faults": [first, second]}
    assert await ask.do("faults/clear", id=1) == {"faults": [second]}
    assert await ask.do("faults/clear") == {"faults": []}
    assert [line["fault"] for line in ask.lines("fault set")] == [first, second]
    assert [line["id"] for line in ask.lines("faults cleared")] == [1, None]


async def test_a_market_s_own_orders_stand_beside_the_shared_ones(ask: Asker):
    ask.market.world.listings["a"] = Thing("A")
    assert await ask.look("listing", "id=a") == {"title": "A"}
    unknown = await ask("/_practice/listing", query="id=b")
    assert (unknown.status, unknown.json) == (404, {"error": "no listing b"})


async def test_an_order_nobody_knows_is_told_the_known_ones(ask: Asker):
    got = await ask("/_practice/nonsense")
    assert (got.status, got.json["error"]) == (404, "unknown")
    assert {"GET listing", "GET state", "POST faults/clear"} <= set(got.json["known"])


@pytest.mark.parametrize(
    ("what", "order"),
    [
        ("clock", {"advance": -1}),
        ("clock", {"speed": -1}),
        ("clock", []),
        ("settings", {"index_lag": "long"}),
        ("faults", {"kind": "storm"}),
        ("faults", {"kind": "hang", "route": "sea"}),
        ("faults", {}),
    ],
)
async def test_a_bad_order_is_refused_with_a_reason(ask: Asker, what: str, order: object):
    got = await ask(f"/_practice/{what}", order=order)
    assert (got.status, bool(got.json["error"])) == (400, True)


async def test_the_end_of_the_server_closes_the_log(ask: Asker):
    events = iter(["lifespan.startup", "lifespan.shutdown"])
    sent: list[str] = []

    async def receive() -> dict[str, str]:
        return {"type": next(events)}

    async def send(message: dict[str, str]) -> None:
        sent.append(message["type"])

    await ask.market({"type": "lifespan"}, receive, send)
    ask.market.world.truth.write("late")
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert ask.lines("late") == []
    assert [event["event"] for event in ask.market.world.truth.tail(1)] == ["late"]
