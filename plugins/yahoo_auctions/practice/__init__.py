"""The practice market of Yahoo! Auctions: a server that plays its pages over real HTTP, with rivals who bid."""

from pathlib import Path

from .app import PracticeMarket
from .clock import Clock
from .truth import Truth
from .world import World

__all__ = ["create", "default"]


def create(*, seed: int, truth_log: Path | None, index_lag: float = 1.0) -> PracticeMarket:
    """A practice market as ASGI application.

    ``seed`` decides the stock; ``truth_log`` is appended to as JSON lines, ``None`` keeps only the tail in memory;
    ``index_lag`` is how many seconds a new listing stays invisible in search.
    """
    clock = Clock()
    return PracticeMarket(World(seed=seed, clock=clock, truth=Truth(clock, truth_log), index_lag=index_lag))


def default() -> PracticeMarket:
    """For ``uvicorn --factory plugins.yahoo_auctions.practice:default``: seed 1, no file."""
    return create(seed=1, truth_log=None)
