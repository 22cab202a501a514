"""What a gateway brings back of a marketplace's pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from monitor_site.contract import MarketplaceError, Sighting

from .usual import StaleTop
from .visit import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search brought: each listing once, newest first as the marketplace sorts.

    ``gap`` says that more may be new than was read. ``bytes`` is what came over the network; ``bad_rows`` counts rows
    nobody could read, ``padding`` rows that do not answer the question. ``usual`` is what to remember of the question:
    the next search takes it as :attr:`History.before`. It is plain JSON.
    """

    sightings: tuple[Sighting, ...]
    pages: int
    gap: bool
    bytes: int
    bad_rows: int
    padding: int
    usual: Mapping[str, Any] = field(default_factory=dict)


def remembered(error: MarketplaceError) -> Mapping[str, Any] | None:
    """What to remember of the question although its check failed; ``None``: all stays as it was."""
    return error.usual.stored() if isinstance(error, StaleTop) else None


def found_of(read: Reading, size: int) -> Found:
    """What was read, which came as ``size`` bytes."""
    return Found(
        sightings=read.rows(),
        pages=len(read.pages),
        gap=read.gap,
        bytes=size,
        bad_rows=sum(len(page.bad_rows) for page in read.pages),
        padding=sum(page.padding for page in read.pages),
        usual=read.usual.stored(),
    )
