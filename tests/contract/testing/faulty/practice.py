"""A practice market that cannot block and keeps no truth log."""

from pathlib import Path

from monitor_site.contract.practice import Clock, Truth
from monitor_site.contract.scaffold.sample_market import practice as whole


class Market(whole.Market):
    kinds = {name: kind for name, kind in whole.KINDS.items() if name != "block"}  # noqa: RUF012
    routes = (*whole.Market.routes, "purchase", "cancel")


def create(*, seed: int, truth_log: Path | None) -> Market:
    clock = Clock()
    world = whole.World(seed=seed, clock=clock, truth=Truth(clock, None))
    return Market(world, whole.Stream(world))
