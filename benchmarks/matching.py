"""How many sightings a second and core rules decide, beside a bare search for the same words in the same titles.

    .venv/bin/python benchmarks/matching.py [--watches 1000] [--rounds 10] [--json]

The titles are a page of the practice market, asked in this process without a socket. The rules are the same few
shapes over and over, each with words of its own. Both take turns; processor seconds count, not time on the wall.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.parsing import pages_of
from monitor_site.contract import Sighting
from monitor_site.watches.matching import Rule, decide

NOW = datetime.now(UTC)
WORDS = ("カメラ", "レンズ", "ルミナ|LUMINA", "f2.8", "50mm", "フィルム", "未使用", "Q1", "ケース", "三脚")
SHAPES: tuple[dict[str, Any], ...] = (
    {},
    {"price_max": 30_000},
    {"none_of": ("ジャンク", "部品取り"), "price_max": 50_000, "conditions": ("like_new", "good")},
    {"any_of": ("黒", "ブラック|BLACK"), "none_of": ("訳あり",), "shipping_included": True},
    {"pattern": r"\d{2}mm", "price_min": 1_000},
    {"none_of": ("空箱",), "in_description": True, "listed_within": timedelta(hours=6)},
)


def rules(count: int) -> list[Rule]:
    """So many rules of several shapes."""
    pairs = zip(cycle(WORDS), cycle(SHAPES), strict=False)
    return [Rule(must=("カメラ", word), **shape) for word, shape in islice(pairs, count)]


def sightings() -> list[Sighting]:
    """One page of the practice market."""
    answer, parse, _rows = asyncio.run(pages_of("mercari"))["mercari search"]
    return list(parse(answer).sightings)


def decided(watches: Sequence[Rule], found: Sequence[Sighting]) -> int:
    """How many pairs match."""
    return sum(decide(rule, one, now=NOW).matches for rule in watches for one in found)


def bare(watches: Sequence[Rule], found: Sequence[Sighting]) -> int:
    """The same words as they stand, looked for in the lower-cased title: what a naive monitor does."""
    return sum(all(word.lower() in one.title.lower() for word in rule.must) for rule in watches for one in found)


def seconds(work: Callable[[Sequence[Rule], Sequence[Sighting]], int], *of: Any) -> float:
    """Processor seconds."""
    began = time.process_time()
    work(*of)
    return time.process_time() - began


def measure(watches: Sequence[Rule], found: Sequence[Sighting], *, rounds: int) -> dict[str, Any]:
    """Both, in turns; the first round fills the caches and does not count."""
    pairs = [(seconds(decided, watches, found), seconds(bare, watches, found)) for _ in range(rounds + 1)][1:]
    ours, theirs = (statistics.median(each) for each in zip(*pairs, strict=True))
    count = len(watches) * len(found)
    return {
        "watches": len(watches),
        "sightings": len(found),
        "pairs_a_second_and_core": round(count / ours),
        "bare_pairs_a_second_and_core": round(count / theirs),
        "times_the_bare_search": round(ours / theirs, 2),
        "seconds_for_one_whole_page": round(ours, 3),
        "milliseconds_for_one_new_listing": round(1000 * ours / len(found), 2),
    }


def main() -> None:
    """Decide, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watches", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(rules(options.watches), sightings(), rounds=options.rounds)
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
