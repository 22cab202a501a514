"""Questions as addresses. Pure: values in, an address and headers out."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from .manifest import Criteria


def headers() -> Mapping[str, str]:
    """The headers of every request."""
    return {"Accept": "application/json"}


def search_url(base: str, criteria: Criteria, *, page: str) -> str:
    """The address of one page of results, newest first."""
    pairs = [("q", criteria.keyword), ("sort", "new"), ("page", page)]
    pairs += [("category", str(criteria.category))] if criteria.category is not None else []
    return f"{base}/search?{urlencode(pairs)}"


def listing_url(base: str, external_id: str) -> str:
    """The address of all that is known of one listing."""
    return f"{base}/listings/{quote(external_id, safe='')}"
