"""``run_practice NAME``: the practice market that a plugin brings, over real HTTP."""

from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from monitor_site.engine.home.serving import serve
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog


class Command(BaseCommand):
    help = "Run the practice market of a plugin."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the marketplace, e.g. mercari")
        parser.add_argument("--port", type=int, default=9000)
        parser.add_argument("--fd", type=int, help="a listening socket, inherited from who starts this")
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same world")
        parser.add_argument("--truth-log", type=Path, help="where it writes down what it really accepted")

    def handle(
        self, *, name: str, port: int, fd: int | None, seed: int, truth_log: Path | None, **_options: Any
    ) -> None:
        try:
            plugin = catalog().get(name)
        except UnknownMarketplace as error:
            raise CommandError(f"No marketplace is called {name}.") from error
        if truth_log:
            truth_log.parent.mkdir(parents=True, exist_ok=True)
        serve(import_module(plugin.practice).create(seed=seed, truth_log=truth_log), fd=fd, port=port, patience=1)
