"""Answers for the tests: from a folder with its manifest, or made on the spot."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from monitor_site.contract import Answer, SearchPage
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.parse import read_search

HERE = Path(__file__).parent / "answers"
NOW = datetime(2026, 9, 21, 15, 0, tzinfo=UTC)
URL = "https://api.mercari.jp/v2/entities:search"


@dataclass(frozen=True)
class Sample:
    """One line of a manifest and the bytes it speaks of."""

    file: str
    answer: Answer
    raises: str | None


def samples(folder: Path = HERE, *, without: tuple[str, ...] = ()) -> dict[str, Sample]:
    """The answers of a folder by file name, but those whose name begins like one of ``without``."""
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    wanted = [entry for entry in entries if not entry["file"].startswith(without or ("-",))]
    return {entry["file"]: _sample(folder, entry) for entry in wanted}


def _sample(folder: Path, entry: dict[str, Any]) -> Sample:
    body = (folder / entry["file"]).read_bytes()
    answer = Answer(status=entry["http_status"], headers=entry["headers"], body=body, url=URL)
    return Sample(entry["file"], answer, entry.get("raises"))


def read(file: str, *, category_ids: tuple[int, ...] = ()) -> SearchPage:
    return read_search(samples()[file].answer, MercariCriteria(category_ids=category_ids), now=NOW)


def row(**changes: Any) -> dict[str, Any]:
    usual = {"id": "m07799000001", "name": "見本", "price": "1000", "status": "ITEM_STATUS_ON_SALE"}
    return {**usual, "itemConditionId": "3", "shippingPayerId": "2", **changes}


def page_of(*rows: Any, token: Any = "", status: int = 200, **headers: str) -> Answer:
    meta = {"nextPageToken": token, "previousPageToken": "", "numFound": str(len(rows))}
    body = json.dumps({"meta": meta, "items": rows}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers={"content-type": "application/json", **named}, body=body, url=URL)


def only(answer: Answer) -> Any:
    """The one sighting of an answer with one row."""
    (sighting,) = read_search(answer, MercariCriteria(), now=NOW).sightings
    return sighting
