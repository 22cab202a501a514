"""Show what this installation is doing."""

import json
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError, CommandParser

from monitor_site.connections import redis_client
from monitor_site.ops import status


class Command(BaseCommand):
    help = "Watches, targets, lateness, queues, workers and breakers, in words or as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            figures = status.current(redis_client())
        except redis.RedisError as error:
            raise CommandError(f"Redis does not answer, so nothing runs here: {error}") from error
        self.stdout.write(json.dumps(figures, indent=2) if options["json"] else status.in_words(figures))
