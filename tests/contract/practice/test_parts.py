"""Time, chance, shelves, pictures, the log: each alone."""

import gc
from pathlib import Path

import orjson
import pytest

from monitor_site.contract.practice import NOTHING, Clock, Drawings, Shelf, Truth, fold, random_for
from tests.contract.practice.conftest import OPENED, Thing, Wall


def test_time_runs_fast_stands_and_jumps_but_never_back():
    wall = Wall()
    clock = Clock(wall)
    clock.run_at(60)
    wall.seconds += 2
    clock.run_at(0)
    wall.seconds += 50
    clock.advance(5)
    assert clock.now() == OPENED + 125
    for back in (clock.advance, clock.run_at):
        with pytest.raises(ValueError, match="back"):
            back(-1)


def test_the_same_parts_give_the_same_chance_in_every_process():
    assert random_for("stock", 3).random() == random_for("stock", "3").random() == 0.5451307440772426
    assert random_for("stock", 3).random() != random_for("stock", 4).random()
    assert random_for("ab", "c").random() != random_for("a", "bc").random()


def test_a_log_is_appended_to_and_keeps_the_last_events(tmp_path: Path):
    wall, log = Wall(), tmp_path / "deep" / "truth.jsonl"

    class Short(Truth):
        KEPT = 2

    for _ in range(2):
        truth = Short(Clock(wall), log)
        for n in range(3):
            truth.write("happened", n=n)
        truth.close()
        truth.close()
        assert [event["n"] for event in truth.tail(10)] == [1, 2]
    lines = [orjson.loads(line) for line in log.read_bytes().splitlines()]
    assert [line["n"] for line in lines] == [0, 1, 2] * 2
    assert lines[0] == {"event": "happened", "at": OPENED, "wall": OPENED, "n": 0}


def test_a_log_nobody_closed_leaves_no_open_file(tmp_path: Path):
    truth = Truth(Clock(Wall()), tmp_path / "truth.jsonl")
    closer = truth._closer
    del truth
    gc.collect()
    assert closer is not None
    assert not closer.alive


def test_a_shelf_holds_what_has_all_its_words():
    shelf: Shelf[Thing] = Shelf(keyword="ＡＢ カメラ", words=tuple(fold("ＡＢ カメラ").split()), asked=0.0, fed=0.0)
    assert shelf.rarest == "カメラ"
    assert [shelf.holds(Thing(title)) for title in ("ab ｶﾒﾗ 本体", "カメラ", "AB")] == [True, False, False]


@pytest.mark.parametrize(("words", "grows"), [(("a",), True), ((), False), (("a", NOTHING), False)])
def test_a_shelf_for_everything_or_for_nothing_does_not_grow(words: tuple[str, ...], grows: bool):
    assert Shelf(keyword="", words=words, asked=0.0, fed=0.0).can_grow == grows


async def test_a_picture_is_drawn_once_while_it_is_kept():
    drawn: list[str] = []

    def draw(name: str) -> bytes:
        drawn.append(name)
        return name.encode()

    pictures = Drawings(draw, kept=2)
    for name in ("a", "a", "b", "c", "a"):
        assert (await pictures.reply(name)).body == name.encode()
    assert drawn == ["a", "b", "c", "a"]
    assert (await pictures.reply("a")).media_type == "image/webp"
