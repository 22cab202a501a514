"""What a list of matches or auctions offers to narrow it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Tag, Watch

from .watch_words import marketplace_title

MOST_WATCHES = 200
MOST_TAGS = 200
FACTS = ("pk", "name", "paused_at", "marketplaces")


class Narrowed(Protocol):
    """The filters of a page; they live in its query string."""

    @property
    def watch(self) -> int | None:
        """The one watch, if any."""
        ...

    @property
    def market(self) -> str:
        """The one marketplace, else empty."""
        ...

    def query(self, **changes: Any) -> str:
        """The query string with some of them changed."""
        ...


def choices_of(user: Any, filters: Narrowed, segments: Mapping[str, Any]) -> dict[str, Any]:
    """Segments, watches and marketplaces, each with the query string it leads to, and what is chosen; one query.

    With one marketplace there is nothing to choose from.
    """
    watches = list(Watch.objects.of(user).order_by("name").values(*FACTS)[:MOST_WATCHES])
    names = sorted(catalog().plugins)
    return {
        "segments": [(name, label, filters.query(show=name)) for name, label in segments.items()],
        "watches": [watch | {"query": filters.query(watch=watch["pk"])} for watch in watches],
        "watch_name": next((watch["name"] for watch in watches if watch["pk"] == filters.watch), ""),
        "any_watch": filters.query(watch=None),
        "markets": [(name, filters.query(market=name)) for name in names] if len(names) > 1 or filters.market else [],
        "market_name": marketplace_title(filters.market) if filters.market else "",
        "any_market": filters.query(market=""),
        "all_paused": bool(watches) and all(watch["paused_at"] for watch in watches),
    }


def asked_markets(user: Any, watches: Sequence[Mapping[str, Any]]) -> list[str]:
    """The marketplaces of a person's active watches, by name; ``watches`` are those that :func:`choices_of` offers.

    Only who has more of them than a menu takes is asked about again.
    """
    active = [watch["marketplaces"] for watch in watches if not watch["paused_at"]]
    if len(watches) == MOST_WATCHES:
        active = list(Watch.objects.of(user).active().order_by().values_list("marketplaces", flat=True))
    return sorted({name for names in active for name in names})


def tags_of(user: Any, filters: Narrowed) -> dict[str, Any]:
    """The person's tags, each with the query string it leads to, and the chosen one's name; one query."""
    tags = list(Tag.objects.of(user).order_by("key")[:MOST_TAGS])
    chosen = getattr(filters, "tag", None)
    return {
        "tags": [{"tag": tag, "query": filters.query(tag=tag.pk)} for tag in tags],
        "tag_name": next((tag.name for tag in tags if tag.pk == chosen), ""),
        "any_tag": filters.query(tag=None),
    }
