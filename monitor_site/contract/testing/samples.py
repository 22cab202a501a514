"""Sample answers: files in a folder, and a ``manifest.json`` that says what each is.

The manifest is a list of objects::

    {"file": "full.json", "capability": "search", "case": "full", "http_status": 200,
     "headers": {"content-type": "application/json"}, "raises": null}

``capability``
    ``search``, ``look`` or ``sold_prices``.
``case``
    ``full`` (several usual rows), ``empty`` (honestly nothing), ``blocked`` (the block page), ``foreign`` (another
    layout), ``gone`` (a look at a listing that exists no more), ``bad_row`` (some rows unreadable among good ones).
    A case may have several files.
``http_status``, ``headers``, ``url``
    How it was answered; 200, none, and the plugin's API when left out.
``raises``
    The error it must be refused with, by its name in the contract; ``null`` or left out where the case says it all.
``question``
    The criteria that were asked, as an object; the control question when left out.
``external_id``
    The listing that was looked at; needed for ``look``.

Entries without a ``case`` are left to the plugin's other tests. Where the folder has a ``conformance.json`` too, that
is the list, and ``manifest.json`` only adds what its entries leave out, by file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..fields import SearchCriteria, criteria_from
from ..manifest import Capability
from ..marketplace import Plugin
from ..values import Answer

NEEDED = {
    Capability.SEARCH: ("full", "empty", "blocked", "foreign"),
    Capability.LOOK: ("full", "gone", "blocked", "foreign"),
    Capability.SOLD_PRICES: ("full", "empty"),
}
"""The cases of which a plugin must bring samples, by what it can do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer and what it is; ``raises`` is empty where the case says it all."""

    file: str
    capability: Capability
    case: str
    answer: Answer
    question: SearchCriteria
    external_id: str = ""
    raises: str = ""
    page_token: str | None = None

    def answered(self, **changes: Any) -> "Sample":
        """The same question with another answer."""
        return replace(self, answer=replace(self.answer, **changes))

    def asking(self, question: SearchCriteria) -> "Sample":
        """The same answer to another question."""
        return replace(self, question=question)


def samples_in(folder: Path, plugin: Plugin) -> tuple[Sample, ...]:
    """All samples of a folder that have a case; raises ``OSError``, ``ValueError`` or ``KeyError`` for a bad list."""
    known = _entries(folder / "manifest.json")
    chosen = _entries(folder / "conformance.json")
    by_file = {entry["file"]: entry for entry in known}
    entries = [by_file.get(entry["file"], {}) | entry for entry in chosen] if chosen else known
    return tuple(_sample(folder, plugin, entry) for entry in entries if entry.get("case"))


def _entries(path: Path) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    if not isinstance(found, list):
        raise TypeError(f"{path.name} is no list")
    return found


def _sample(folder: Path, plugin: Plugin, entry: Mapping[str, Any]) -> Sample:
    answer = Answer(
        status=int(entry.get("http_status", 200)),
        headers={name.lower(): value for name, value in entry.get("headers", {}).items()},
        body=(folder / entry["file"]).read_bytes(),
        url=entry.get("url") or plugin.api,
    )
    return Sample(
        file=entry["file"],
        capability=Capability(entry["capability"]),
        case=entry["case"],
        answer=answer,
        question=_question(plugin, entry),
        external_id=str(entry.get("external_id", "")),
        raises=entry.get("raises") or "",
    )


def _question(plugin: Plugin, entry: Mapping[str, Any]) -> SearchCriteria:
    if "question" not in entry:
        return plugin.manifest.control
    return criteria_from(json.dumps(entry["question"]), plugin.manifest.criteria)
