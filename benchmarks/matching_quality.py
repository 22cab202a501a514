"""How right the matching of words is: what it finds beside what a simple rule of its own expects.

    RECORDED_ANSWERS=FOLDER .venv/bin/python benchmarks/matching_quality.py [--judged FILE] [--show] [--json]

Every word of every title is asked of all titles, as it stands and in the other spellings that people type: full
width, small letters, half-width kana, hiragana, another dash. What is expected is told without the code that is
measured: the word as it stands, after NFKC, with nothing Latin or digital beside it. Titles are those of the recorded
answers, read in place, of a page of each practice market, and the traps of the tests, whose labels were written by
hand.

``--judged`` names a file with a person's verdicts where rule and matching disagree: ``{"title id|question": true}``.
What nobody has judged counts against the matching.
"""

import argparse
import asyncio
import html
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.parsing import pages_of
from monitor_site.contract import Kind, Sighting, Status
from monitor_site.watches.matching import Rule, decide
from tests.watches.traps import TRAPS

NOW = datetime.now(UTC)
RUNS = re.compile(r"[0-9A-Za-z]+(?:[-./][0-9A-Za-z]+)*|[ァ-ヺー]{2,}|[ぁ-ゖー]{2,}|[一-鿿々]{2,}")
CARD = re.compile(r"<[^>]*\bdata-auction-id=\"(?P<id>[^\"]+)\"[^>]*>")
CARD_TITLE = re.compile(r"\bdata-auction-title=\"([^\"]*)\"")
PAGE_DATA = re.compile(r"<script id=\"__NEXT_DATA__\"[^>]*>(.*?)</script>", re.DOTALL)
NAMES = ("name", "title", "productName", "auctionTitle")
IDS = ("id", "auctionId", "itemId", "productId")


@dataclass
class Tally:
    """Counts of one kind of question."""

    asked: int = 0
    expected: int = 0
    found: int = 0
    both: int = 0
    wrong: list[str] = field(default_factory=list)

    def count(self, key: str, *, expected: bool, found: bool) -> None:
        """One title asked for one word."""
        self.asked += 1
        self.expected += expected
        self.found += found
        self.both += expected and found
        if expected is not found:
            self.wrong.append(f"{'missed' if expected else 'too much'}: {key}")

    def figures(self) -> dict[str, Any]:
        """With the shares in percent; ``None`` where there is nothing to share."""
        return {
            "asked": self.asked,
            "expected": self.expected,
            "found": self.found,
            "precision": _percent(self.both, self.found),
            "recall": _percent(self.both, self.expected),
        }


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def recorded(folder: Path) -> dict[str, str]:
    """Titles by the id of their listing, of every answer that has some."""
    titles: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".json", ".html", ".txt"} and path.name not in {"manifest.json", "enums.json"}:
            titles |= dict(_titles_in(path.read_bytes().decode("utf-8", "replace")))
    return {key: title for key, title in titles.items() if title.strip()}


def _titles_in(text: str) -> Iterator[tuple[str, str]]:
    for card in CARD.finditer(text):
        if title := CARD_TITLE.search(card[0]):
            yield card["id"], html.unescape(title[1])
    for body in [text, *PAGE_DATA.findall(text)]:
        try:
            yield from _named(json.loads(body))
        except ValueError:
            continue


def _named(data: Any) -> Iterator[tuple[str, str]]:
    if isinstance(data, Mapping):
        found = next((str(data[name]) for name in IDS if data.get(name)), "")
        name = next((data[name] for name in NAMES if isinstance(data.get(name), str) and data[name]), "")
        if found and name and {"price", "status", "endTime", "thumbnails"} & set(data):
            yield found, name
    for inner in data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else ():
        yield from _named(inner)


def practised() -> dict[str, str]:
    """Titles of a page of each practice market."""
    found = {}
    for name in ("mercari", "yahoo_auctions"):
        answer, parse, _rows = asyncio.run(pages_of(name))[f"{name} search"]
        found |= {one.external_id: one.title for one in parse(answer).sightings}
    return found


def expected(title: str, word: str) -> bool:
    """What the simple rule says: the word as it stands, in any width and case, not within a longer one."""
    text, needle = (" ".join(unicodedata.normalize("NFKC", one).casefold().split()) for one in (title, word))
    before = r"(?<![0-9a-z])" if re.match(r"[0-9a-z]", needle) else ""
    after = r"(?![0-9a-z])" if re.search(r"[0-9a-z]$", needle) else ""
    return bool(re.search(before + re.escape(needle) + after, text))


def words_of(title: str) -> list[str]:
    """Runs of one script."""
    return RUNS.findall(unicodedata.normalize("NFKC", title))


def spellings(word: str) -> dict[str, str]:
    """The same word as people type it, by the name of the difference."""
    other = {
        "full width": "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in word),
        "small letters": word.lower(),
        "half-width kana": "".join(HALF.get(sign, sign) for sign in unicodedata.normalize("NFKC", word)),
        "hiragana": "".join(chr(ord(sign) - 0x60) if "ァ" <= sign <= "ヶ" else sign for sign in word),
        "another dash": word.replace("-", "−").replace("ー", "－"),
    }
    return {"as it stands": word} | {name: typed for name, typed in other.items() if typed != word}


def _half() -> dict[str, str]:
    """Half-width kana for every kana that has them, marks included."""
    plain = {unicodedata.normalize("NFKC", chr(code)): chr(code) for code in range(0xFF66, 0xFF9E)}
    marks = {"\u3099": "ﾞ", "\u309a": "ﾟ"}
    pairs = {
        unicodedata.normalize("NFC", kana + mark): half + sign
        for kana, half in plain.items()
        for mark, sign in marks.items()
    }
    return plain | {kana: half for kana, half in pairs.items() if len(kana) == 1}


HALF = _half()


def matches(title: str, word: str) -> bool:
    """What the matching says."""
    seen = Sighting(external_id="m1", title=title, url="", price=None, kind=Kind.FIXED, status=Status.ON_SALE)
    return decide(Rule(must=(word,)), seen, now=NOW).matches


def ask(titles: Mapping[str, str], judged: Mapping[str, bool]) -> dict[str, Tally]:
    """Every word of these titles, in every spelling, of all of them."""
    tallies: dict[str, Tally] = {}
    for word in sorted({word for title in titles.values() for word in words_of(title)}):
        for name, typed in spellings(word).items():
            tally = tallies.setdefault(name, Tally())
            for key, title in titles.items():
                told = judged.get(f"{key}|{typed}", expected(title, word))
                tally.count(f"{key}|{typed}", expected=told, found=matches(title, typed))
    return tallies


def trapped() -> Tally:
    """The traps of the tests, by the labels that were written by hand."""
    tally = Tally()
    for number, (title, word, label) in enumerate(TRAPS):
        tally.count(f"trap {number}|{word}", expected=label, found=matches(title, word))
    return tally


def measure(folder: str, judged: Mapping[str, bool]) -> dict[str, Tally]:
    """All kinds of questions."""
    titles = practised() | (recorded(Path(folder)) if folder else {})
    traps = {f"trap {number}": title for number, (title, _word, _label) in enumerate(TRAPS)}
    print(f"{len(titles)} titles and {len(traps)} traps", file=sys.stderr)
    return {"traps": trapped()} | ask(titles | traps, judged)


def main() -> None:
    """Ask, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judged", type=Path)
    parser.add_argument("--show", action="store_true", help="print every disagreement")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    judged = json.loads(options.judged.read_text("utf-8")) if options.judged else {}
    tallies = measure(os.environ.get("RECORDED_ANSWERS", ""), judged)
    figures = {name: tally.figures() for name, tally in tallies.items()}
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {told}" for name, told in figures.items()))
    if options.show:
        print("\n".join(f"{name}: {line}" for name, tally in tallies.items() for line in tally.wrong))


if __name__ == "__main__":
    main()
