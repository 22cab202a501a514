"""What the filters of feed and auctions share: their values in the query string, and the words looked for."""

from collections.abc import Container, Iterable, Mapping
from typing import Any, TypedDict
from urllib.parse import urlencode

from django.http import QueryDict

from monitor_site.watches.text import fold


class Asked(TypedDict):
    """The filters that every list has."""

    segment: str
    watch: int | None
    market: str
    words: str


def asked(query: QueryDict, segments: Container[str]) -> Asked:
    """From a query string; what makes no sense is left out."""
    segment = query.get("show", "all")
    return {
        "segment": segment if segment in segments else "all",
        "watch": number(query.get("watch")),
        "market": query.get("market", "").replace("\x00", "")[:40],
        "words": query.get("q", "").replace("\x00", "").strip()[:200],
    }


def number(text: str | None) -> int | None:
    """A whole number of a query string."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None


def query_string(values: Mapping[str, Any]) -> str:
    """The same for a link, without what is empty or goes without saying."""
    return urlencode({key: value for key, value in values.items() if value and (key, value) != ("show", "all")})


def holds(parts: Iterable[str], words: Iterable[str]) -> bool:
    """Whether title, seller and number together hold all folded words, in any width and kana: folding is ours."""
    folded = fold(" ".join(parts))
    return all(word in folded for word in words)
