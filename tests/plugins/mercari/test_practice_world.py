"""The practice market's world without HTTP: the same in every run, fair, and bounded however long it runs."""

from random import Random

import orjson
import pytest

from monitor_site.contract.practice import Clock
from plugins.mercari.practice.make import another_id
from plugins.mercari.practice.search import search
from plugins.mercari.practice.stream import Stream
from plugins.mercari.practice.truth import MinuteTruth
from plugins.mercari.practice.world import MADE_ROWS, SHELVES, World


class Wall:
    """Real time that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1_790_000_000.0

    def __call__(self) -> float:
        return self.seconds


class Played:
    """A world with its stream, asked directly."""

    def __init__(self, tmp_path, *, seed: int = 3, index_lag: float = 1.0) -> None:
        self.wall = Wall()
        self.clock = Clock(self.wall)
        self.log = tmp_path / "truth.jsonl"
        self.world = World(seed=seed, clock=self.clock, truth=MinuteTruth(self.clock, self.log), index_lag=index_lag)
        self.stream = Stream(self.world, Random(seed))

    def ask(self, keyword: str) -> list[str]:
        body = {"pageSize": 120, "searchCondition": {"keyword": keyword, "status": ["STATUS_ON_SALE"]}}
        return [row["id"] for row in orjson.loads(search(self.world, self.stream, orjson.dumps(body)))["items"]]

    def lines(self, event: str) -> list[dict[str, object]]:
        return [found for found in map(orjson.loads, self.log.read_bytes().splitlines()) if found["event"] == event]


@pytest.fixture
def played(tmp_path) -> Played:
    return Played(tmp_path)


def test_the_same_seed_gives_the_same_world(tmp_path):
    for keyword in ("ルミナ", "知らない言葉"):
        first, second = Played(tmp_path), Played(tmp_path)
        assert first.ask(keyword) == second.ask(keyword)


def test_another_seed_gives_another(tmp_path):
    first, second = Played(tmp_path, seed=1), Played(tmp_path, seed=2)
    assert set(first.ask("ルミナ")).isdisjoint(second.ask("ルミナ"))


def test_the_first_new_listing_comes_within_ten_seconds(played):
    before = set(played.ask("もふもん"))
    for _ in range(10):
        played.wall.seconds += 1
        after = set(played.ask("もふもん"))
        if after - before:
            break
    assert after - before


def test_a_hundred_questions_have_rows_and_share_the_stream(played):
    keywords = [f"質問 {n:03d}番" for n in range(100)]
    sizes = [len(played.ask(keyword)) for keyword in keywords]
    assert min(sizes) >= 15
    assert max(sizes) <= 40
    for _ in range(30):
        played.wall.seconds += 4
        for keyword in keywords:
            played.ask(keyword)
    fed = [sum(str(line["title"]).startswith(keyword) for line in played.lines("listed")) for keyword in keywords]
    assert 180 < sum(fed) < 300
    assert min(fed) >= 1


def test_a_question_asked_for_hours_keeps_a_bounded_shelf(played):
    played.ask("ずっと")
    for _ in range(1000):
        played.wall.seconds += 15
        played.ask("ずっと")
    shelf = played.world.shelves["ずっと"]
    assert len(shelf.made) == MADE_ROWS
    assert len(shelf.members) == MADE_ROWS
    assert len(played.lines("listed")) > 500


def test_forgotten_questions_take_their_listings_with_them(played):
    at_first = len(played.world.listings)
    for n in range(SHELVES + 30):
        played.world.shelf(f"該当なし {n}")
    assert len(played.world.shelves) == SHELVES
    assert len(played.world.listings) == at_first


def test_nothing_happens_while_the_stream_stands(played):
    played.stream.running = False
    before = played.ask("静か")
    played.wall.seconds += 3600
    assert played.ask("静か") == before


def test_a_long_pause_is_not_made_up_for_all_at_once(played):
    played.ask("再開")
    played.wall.seconds += 30 * 86_400
    played.ask("再開")
    assert len(played.lines("listed")) <= 20


@pytest.mark.parametrize("taken", ["m07700000001", "7kQw3nVbT9xYzRmPdHs5Lc"])
def test_however_many_listings_want_one_id_each_gets_its_own(taken: str):
    ids = [taken]
    for _ in range(200):
        ids.append(another_id(ids[-1]))
    assert len(set(ids)) == 201


def test_time_runs_fast_stands_and_jumps_but_never_back():
    wall = Wall()
    clock = Clock(wall)
    clock.run_at(60)
    wall.seconds += 2
    assert clock.now() == 1_790_000_120.0
    clock.run_at(0)
    wall.seconds += 50
    clock.advance(5)
    assert clock.now() == 1_790_000_125.0
    for back in (clock.advance, clock.run_at):
        with pytest.raises(ValueError, match="back"):
            back(-1)


def test_each_minute_of_requests_is_counted_in_the_log(tmp_path):
    played = Played(tmp_path)
    for _ in range(3):
        played.world.truth.count("search")
    played.wall.seconds += 60
    played.world.truth.count("search")
    played.world.truth.close()
    assert [line["counts"] for line in played.lines("minute")] == [{"search": 3}, {"search": 1}]
