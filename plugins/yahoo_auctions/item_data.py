"""Where the facts of a listing stand on its page, most trustworthy first. Pure."""

import json
import re
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from . import fields
from .page import next_data, word

_PAGE_DATA = re.compile(r"\bvar pageData\s*=\s*(\{.*\})\s*;?\s*$", re.DOTALL)
_FLEA_ID = re.compile(r"z[0-9]{9}")
_KEYS = {
    "auctionId": "productID",
    "title": "productName",
    "price": "price",
    "bids": "bids",
    "startTime": "starttime",
    "endTime": "endtime",
}


def item_of(tree: LexborHTMLParser) -> dict[str, Any]:
    """The listing in the keys of the page's own data; empty when there is none to be had.

    Without that data the counter's data is translated, and the element of the id ``closedNotice`` has the word on
    whether it is over. A store's price is without tax there and the rate is not told, so it stays unknown.
    """
    return next_data(tree, "item", "detail", "item") or _translated(tree)


def _translated(tree: LexborHTMLParser) -> dict[str, Any]:
    told = _counted(tree)
    if not told or tree.css_first("#itemTitle") is None:
        return {}
    return {name: told.get(key) for name, key in _KEYS.items()} | {
        "bidorbuy": told.get("winPrice"),
        "status": _status(tree, told),
        "conditionName": _condition(tree),
        "isFleaMarket": bool(_FLEA_ID.fullmatch(str(told.get("productID")))),
        "seller": {"isStore": told.get("isStore") == "1"},
    }


def _status(tree: LexborHTMLParser, told: dict[str, Any]) -> str | None:
    if tree.css_first("#closedNotice") is not None:
        return "closed"
    return {"0": "open", "1": "closed"}.get(str(told.get("isClosed")))


def _counted(tree: LexborHTMLParser) -> dict[str, Any]:
    for script in tree.css("script"):
        found = _PAGE_DATA.search(script.text().strip())
        if found:
            try:
                return fields.mapping(fields.mapping(json.loads(found[1])).get("items"))
            except (ValueError, RecursionError):
                return {}
    return {}


def _condition(tree: LexborHTMLParser) -> str | None:
    """The word beside the heading in the block of the id ``itemInfo``."""
    for heading in tree.css("#itemInfo dt"):
        if word(heading) == "商品の状態" and heading.next is not None:
            return word(heading.next)
    return None
