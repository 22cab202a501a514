"""The practice markets of both plugins on real ports, and an express worker that asks them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path

from monitor_site.engine import worker
from tests.plugins import standins
from tests.plugins.standins import Market

NAMES = ("mercari", "yahoo_auctions")


@contextmanager
def both(folder: Path) -> Iterator[dict[str, Market]]:
    """Name → market, with nothing in it that nobody has put there."""
    with ExitStack() as open_markets:
        markets = {}
        for name in NAMES:
            create = import_module(f"plugins.{name}.practice").create
            market = open_markets.enter_context(standins.served(create, folder / f"{name}.jsonl"))
            markets[name] = open_markets.enter_context(standins.quiet(market))
        yield markets


def work() -> None:
    """Let an express worker do what waits for it, to the end."""
    worker.work(lane="express", seat="express-1", drain_seconds=120, burst=True)
