"""The practice market of Yahoo! Auctions: a server that plays its pages over real HTTP, with rivals who bid."""

from pathlib import Path

from monitor_site.contract.practice import Clock

from .app import YahooMarket
from .truth import SummedTruth
from .world import World

__all__ = ["create", "default"]


def create(*, seed: int, truth_log: Path | None, index_lag: float = 1.0) -> YahooMarket:
    """A practice market as ASGI application.

    ``seed`` decides the stock; ``truth_log`` is appended to as JSON lines, ``None`` keeps only the tail in memory;
    ``index_lag`` is how many seconds a new listing stays invisible in search.
    """
    clock = Clock()
    return YahooMarket(World(seed=seed, clock=clock, truth=SummedTruth(clock, truth_log), index_lag=index_lag))


def default() -> YahooMarket:
    """For ``uvicorn --factory plugins.yahoo_auctions.practice:default``: seed 1, no file."""
    return create(seed=1, truth_log=None)
