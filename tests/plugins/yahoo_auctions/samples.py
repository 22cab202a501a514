"""Answers for the tests: from a folder with its manifest, or made on the spot."""

import html
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from monitor_site.contract import Answer, SearchPage, Sighting
from plugins.yahoo_auctions.manifest import YahooCriteria
from plugins.yahoo_auctions.parse import read_search

HERE = Path(__file__).parent / "answers"
NOW = datetime(2026, 10, 5, 3, 0, tzinfo=UTC)
URL = "https://auctions.yahoo.co.jp/search/search"
TYPE = {"content-type": "text/html; charset=UTF-8"}


@dataclass(frozen=True)
class Sample:
    """One line of a manifest and the bytes it speaks of."""

    file: str
    answer: Answer
    raises: str | None


def samples(folder: Path = HERE) -> dict[str, Sample]:
    """The answers of a folder by file name."""
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return {entry["file"]: _sample(folder, entry) for entry in entries}


def _sample(folder: Path, entry: dict[str, Any]) -> Sample:
    body = (folder / entry["file"]).read_bytes()
    answer = Answer(status=entry["http_status"], headers=entry["headers"], body=body, url=URL)
    return Sample(entry["file"], answer, entry.get("raises"))


def read(file: str, *, offset: int = 1, **criteria: Any) -> SearchPage:
    return read_search(samples()[file].answer, YahooCriteria(**criteria), now=NOW, offset=offset)


def answer(body: str | bytes, *, status: int = 200, **headers: str) -> Answer:
    raw = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers={**TYPE, **named}, body=raw, url=URL)


def page_of(
    *cards: str, total: int | None = None, order: str = "新着順", more: bool = False, status: int = 200, **headers: str
) -> Answer:
    """A page of results with these cards."""
    count = "" if total is None else f'<span class="Tab__subText">{total:,}件</span>'
    link = '<a href="?b=51">次へ</a>' if more else '<span class="Pager__link--disable">次へ</span>'
    return answer(
        '<!DOCTYPE html><html lang="ja"><head><title>見本</title></head><body><form id="sbn"></form>'
        f'<ul><li class="Tab__item Tab__item--current">{count}</li></ul>'
        f'<span class="Option__selected">{order}</span><div class="Result"><div class="Products Products--grid">'
        f'<ul class="Products__items">{"".join(cards)}</ul></div>'
        f'<ul><li class="Pager__list Pager__list--next">{link}</li></ul></div></body></html>',
        status=status,
        **headers,
    )


USUAL = {
    "id": "w0900000001",
    "title": "見本の品",
    "price": "3000",
    "flea": "",
    "free": "",
    "end": "1791200000",
    "start": "1790600000",
    "buy_now": "0",
    "store": "",
    "tax": "0",
    "shown": "3,000円",
    "bids": "4",
    "postage": "＋送料350円",
    "time": "3日",
    "unused": "",
    "path": "",
    "more": "",
}
_CARD = """<li class="Product"><div class="Product__image"><a class="Product__imageLink" {link}
data-cl-params="_cl_vmodule:aal;_cl_link:ic;atax:{tax};cid:{id};st:{start};end:{end};grat:97.5;apprsl:0;flm:{flm};">
<img class="Product__imageData" src="https://auctions.c.yimg.jp/{id}.jpg"></a></div><div class="Product__detail">
<div class="Product__bonus" data-auction-id="{id}" data-auction-endtime="{end}" data-auction-buynowprice="{buy_now}"
data-auction-price="{price}" data-auction-auc-seller-id="SampleSeller" data-auction-isshoppingitem="{store}"
data-auction-categoryidpath="{path}"></div>
<h3 class="Product__title"><a class="Product__titleLink" {link}>{title}</a></h3>
<div class="Product__priceInfo"><span class="Product__price"><span class="Product__label">現在</span>
<span class="Product__priceValue u-textRed">{shown}</span></span>{more}<p class="Product__postage">{postage}</p></div>
<dl>{bids}<dd class="Product__time">{time}</dd></dl><div class="Product__icons">{unused}</div></div></li>"""
_LINK = (
    'data-auction-id="{id}" data-auction-category="2500" data-auction-title="{title}" '
    'data-auction-img="https://auctions.c.yimg.jp/{id}.jpg" data-auction-price="{price}" '
    'data-auction-isflea="{flea}" data-auction-isfreeshipping="{free}" '
    'href="https://auctions.yahoo.co.jp/jp/auction/{id}"'
)


def card(**changes: str) -> str:
    """A card; ``more`` is a second price, ``bids`` empty leaves the count out."""
    values = {name: html.escape(value) for name, value in (USUAL | changes).items()}
    values |= {"more": changes.get("more", ""), "flm": "1" if values["flea"] else "0"}
    values["bids"] = f'<dd class="Product__bid">{values["bids"]}</dd>' if values["bids"] else ""
    unused = f'<span class="Product__icon Product__icon--unused">{values["unused"]}</span>'
    values["unused"] = unused if values["unused"] else ""
    return _CARD.format(**values, link=_LINK.format(**values))


def buy_now(shown: str) -> str:
    return (
        '<span class="Product__price"><span class="Product__label">即決</span>'
        f'<span class="Product__priceValue">{shown}</span></span>'
    )


def only(*cards: str) -> Sighting:
    """The one sighting of a page with one card."""
    (sighting,) = read_search(page_of(*cards), YahooCriteria(), now=NOW).sightings
    return sighting
