"""Every recorded reading answer of both marketplaces and what its plugin makes of it, as a table in Markdown.

    RECORDED_ANSWERS=FOLDER .venv/bin/python scripts/recorded.py

Where the recordings' own manifest promises values, they are compared; the exit code is the number of broken promises.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from monitor_site.contract import Answer, MarketplaceError, SearchPage, Sighting, Status
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.parse import read_search as read_mercari
from plugins.mercari.parse_item import read_item
from plugins.mercari.parse_product import read_product
from plugins.mercari.parse_seller import read_seller_items
from plugins.yahoo_auctions.ask import listing_url
from plugins.yahoo_auctions.fields import JST
from plugins.yahoo_auctions.manifest import HOME, Order, YahooCriteria
from plugins.yahoo_auctions.parse import read_search as read_yahoo
from plugins.yahoo_auctions.parse_closed import read_closed
from plugins.yahoo_auctions.parse_detail import read_listing
from plugins.yahoo_auctions.parse_seller import read_seller

NOW = datetime(2027, 1, 30, tzinfo=UTC)
ASKED = YahooCriteria(keyword="x", order=Order.RECOMMENDED)
PADDED = 7091
# Bidding, orders, a person's own pages, costs that a look does not ask, a list of words, a call that no plugin makes.
NOT_READ = re.compile(r"order/.*|enums\.json|seller/profile\.json|bid_2026/.*|api/.*|legacy_2021/(bid_|my_).*")
OPEN = {Status.ON_SALE: "open", Status.SOLD: "closed", Status.ENDED: "closed"}

Found = SearchPage | Sighting
Read = Callable[[Answer], Found]
Told = dict[str, Any]


def _mentioned(pattern: bytes, answer: Answer, otherwise: str) -> str:
    found = re.search(pattern, answer.body)
    return found[1].decode() if found else otherwise


def _look_at_yahoo(answer: Answer) -> Found:
    external_id = _mentioned(rb'"auctionId":"([a-z]?[0-9]+)"', answer, "x0000000000")
    return read_listing(replace(answer, url=listing_url(HOME, external_id)), external_id, now=NOW)


def _look_at_seller(answer: Answer) -> Found:
    return read_seller(answer, YahooCriteria(seller=_mentioned(rb'"aucUserId":"(\w+)"', answer, "x")), now=NOW)


def _look_at_item(answer: Answer) -> Found:
    return read_item(answer, _mentioned(rb'"id": ?"(m[0-9]+)"', answer, "m0"), now=NOW)


def _look_at_product(answer: Answer) -> Found:
    return read_product(answer, _mentioned(rb'^\{\s*"name": ?"(\w+)"', answer, "x"), now=NOW)


def _list_of_seller(answer: Answer) -> Found:
    seller = int(_mentioned(rb'"seller": ?\{\s*"id": ?([0-9]+)', answer, "1"))
    return read_seller_items(answer, MercariCriteria(seller=seller), now=NOW)


_YAHOO: Read = partial(read_yahoo, criteria=ASKED, now=NOW)
_MERCARI: Read = partial(read_mercari, criteria=MercariCriteria(), now=NOW)
READERS: dict[str, dict[str, dict[str, Read]]] = {
    "mercari": {
        "search/padded": {"search": partial(read_mercari, criteria=MercariCriteria(category_ids=(PADDED,)), now=NOW)},
        "search/": {"search": _MERCARI},
        "item/": {"look": _look_at_item},
        "shops/": {"look": _look_at_product},
        "seller/": {"seller": _list_of_seller},
        "errors/": {"search": _MERCARI, "look": _look_at_item},
    },
    "yahoo_auctions": {
        "search/": {"search": _YAHOO},
        "detail/": {"look": _look_at_yahoo},
        "closedsearch/": {"sold prices": partial(read_closed, criteria=ASKED, now=NOW)},
        "seller/": {"seller": _look_at_seller},
        "errors/": {"search": _YAHOO, "look": _look_at_yahoo},
        "legacy_2021/": {"search": _YAHOO, "look": _look_at_yahoo},
    },
}
"""Marketplace → how the names of files begin → what each is read as."""


def entries(folder: Path) -> list[dict[str, Any]]:
    """What the manifest of a marketplace's recordings names and a plugin reads."""
    told = json.loads((folder / "manifest.json").read_text("utf-8"))
    rows: list[dict[str, Any]] = told["files"] if isinstance(told, dict) else told
    return [row for row in rows if not NOT_READ.fullmatch(row["file"])]


def answer_of(folder: Path, row: dict[str, Any]) -> Answer:
    """The answer as it came."""
    headers = row.get("headers") or {"content-type": "text/html; charset=UTF-8"}
    status = row.get("http_status") or row["status"]
    return Answer(status=status, headers=headers, body=(folder / row["file"]).read_bytes(), url=row.get("url") or "")


def in_words(found: Found) -> str:
    """A page by its numbers, a listing by its values."""
    if isinstance(found, SearchPage):
        more = f", {found.padding} left out" if found.padding else ""
        return f"{len(found.sightings)} listings of {found.about}{more}, next {found.next_token}"
    price, buy_now = (money.amount if money else None for money in (found.price, found.buy_now))
    return f"{found.kind} {found.status}, price {price}, buy now {buy_now}, bids {found.bids}"


def told_by(found: Found) -> Told:
    """The values of an answer in the words of the manifest."""
    if isinstance(found, Sighting):
        price, buy_now = (money.amount if money else None for money in (found.price, found.buy_now))
        end = found.ends_at.astimezone(JST).isoformat() if found.ends_at else None
        status = OPEN.get(found.status)
        return {"price": price, "buy_now": buy_now, "bids": found.bids, "status": status, "end": end}
    rows = found.sightings
    count = {"unique_ids": len(rows), "items": len(rows), "cards": len(rows) + found.padding, "total": found.about}
    store = [row.external_id for row in rows if row.extra.get("store")]
    flea = [row.external_id for row in rows if row.kind == "flea"]
    return count | {"has_next": found.next_token is not None, "store": store, "flea": flea}


def broken(found: Found, promised: Told) -> list[str]:
    """The promised values that are others; amounts with tax go before those without."""
    taxed = {name.removesuffix("_tax_in"): value for name, value in promised.items() if name.endswith("_tax_in")}
    told, wanted = told_by(found), promised | taxed
    differing = [name for name, value in told.items() if wanted.get(name, value) != value]
    return [f"{name} is {told[name]}, not {wanted[name]}" for name in differing]


def lines(root: Path) -> Iterator[tuple[str, ...]]:
    """Marketplace, file, status, what it was read as, what came of it, and whether that was promised."""
    for marketplace, readers in READERS.items():
        for row in entries(root / marketplace):
            answer = answer_of(root / marketplace, row)
            begin = next(name for name in readers if row["file"].startswith(name))
            for way, read in readers[begin].items():
                yield marketplace, row["file"], str(answer.status), way, *judged(read, answer, row.get("expect") or {})


def judged(read: Read, answer: Answer, promised: Told) -> tuple[str, str]:
    """What came of an answer in words, and what became of the promise."""
    try:
        found = read(answer)
    except MarketplaceError as error:
        return f"**{type(error).__name__}**: {error.detail[:90]}", ""
    wrong = broken(found, promised)
    return in_words(found), f"WRONG: {'; '.join(wrong)}" if wrong else "as promised" if promised else ""


def main() -> int:
    """Print the table; how many promises were broken."""
    folder = os.environ.get("RECORDED_ANSWERS")
    if not folder:
        sys.stderr.write("RECORDED_ANSWERS names no folder\n")
        return 2
    rows = list(lines(Path(folder)))
    head = ("marketplace", "answer", "status", "read as", "what came of it", "manifest")
    sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in (head, ("---",) * len(head), *rows))
    return sum(row[-1].startswith("WRONG") for row in rows)


if __name__ == "__main__":
    sys.exit(main())
