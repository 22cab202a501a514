"""Ask a marketplace again at once, whatever its breaker waits for: ``manage.py reset_breaker mercari``."""

from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError, CommandParser

from monitor_site.connections import redis_client
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.catalog import catalog


class Command(BaseCommand):
    help = "Close the breaker of a marketplace by hand."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the marketplace, as its plugin is called")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        if name not in catalog().plugins:
            raise CommandError(f"No marketplace called {name} works here; these do: {', '.join(catalog().plugins)}.")
        try:
            if breaker.read_all(redis_client(), [name])[name]["reason"] == breaker.PAUSED:
                raise CommandError(f"{name} is paused by an operator; the page Operations resumes it.")
            was_open = breaker.reset(redis_client(), marketplace=name, by="command")
        except redis.RedisError as error:
            raise CommandError(f"Redis does not answer, so nothing was changed: {error}") from error
        self.stdout.write(f"{name} is asked again." if was_open else f"{name} was not stopped.")
