"""Ask one marketplace once and tell what happens: ``manage.py try_marketplace mercari --keyword camera``."""

import asyncio
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError, CommandParser

from monitor_site.marketplaces import trying
from monitor_site.marketplaces.catalog import catalog


class Command(BaseCommand):
    help = "Ask one marketplace once, as the workers do, and tell what happens. Ends with 1 when it fails."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the marketplace, as its plugin is called")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--keyword", default="", help="search for this instead of the plugin's control question")
        what.add_argument("--look", default="", metavar="ID", help="look at one listing instead")

    def handle(self, *args: Any, **options: Any) -> None:
        if sentence := trying.refusal(catalog(), options["name"]):
            raise CommandError(sentence)
        try:
            standing = trying.standing_of(catalog(), options["name"])
        except redis.RedisError as error:
            raise CommandError(f"Redis does not answer, and without it nobody asks: {error}") from error
        self.stdout.write("\n".join(trying.before(standing)))
        if lines := trying.stopped(standing):
            self._fail(lines)
        trial = asyncio.run(trying.ask(catalog(), options["name"], keyword=options["keyword"], look=options["look"]))
        if not trial.ok:
            self._fail(trial.lines)
        self.stdout.write("\n".join(trial.lines))

    def _fail(self, lines: list[str]) -> None:
        """What was found out is the answer; the exit code says that it is not a good one."""
        self.stdout.write("\n".join(lines))
        raise SystemExit(1)
