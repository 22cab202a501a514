"""Mercari's practice market: a server that plays the search over real HTTP, with a world that moves by itself."""

from pathlib import Path

from monitor_site.contract.practice import Clock

from .app import MercariMarket
from .truth import MinuteTruth
from .world import World

__all__ = ["create", "default"]


def create(*, seed: int, truth_log: Path | None, index_lag: float = 1.0) -> MercariMarket:
    """A practice market as ASGI application.

    ``seed`` decides the catalogue; ``truth_log`` is appended to as JSON lines, ``None`` keeps only the tail in memory;
    ``index_lag`` is how many seconds a new listing stays invisible in search (the real one needs about 55).
    """
    clock = Clock()
    return MercariMarket(World(seed=seed, clock=clock, truth=MinuteTruth(clock, truth_log), index_lag=index_lag))


def default() -> MercariMarket:
    """For ``uvicorn --factory plugins.mercari.practice:default``: seed 1, no file."""
    return create(seed=1, truth_log=None)
