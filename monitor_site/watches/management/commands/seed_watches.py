"""Make many watches in the practice market, to see how an installation bears them."""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from monitor_site.accounts.models import User
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Watch
from monitor_site.watches.services import Wish, create_watch, delete_watch

WORDS = ("camera", "record", "figure", "watch", "console", "bowl", "guitar", "doll", "lens", "card")


class Command(BaseCommand):
    help = "Make watches over a number of distinct questions for a user; only in practice markets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--watches", type=int, default=500)
        parser.add_argument("--questions", type=int, default=200)
        parser.add_argument("--interval", type=int, default=5, help="seconds")
        parser.add_argument("--marketplace", help="whose practice market; the first one if not said")
        parser.add_argument("--user", default="load", help="made when missing; cannot sign in")
        parser.add_argument("--clear", action="store_true", help="remove this user's watches first")

    def handle(self, *args: Any, **options: Any) -> None:
        marketplace = options["marketplace"] or next(iter(sorted(settings.PRACTICE_MARKETS)), "")
        if settings.LIVE or marketplace not in settings.PRACTICE_MARKETS:
            raise CommandError("No such practice market runs here; start them with `make run`.")
        user, _ = User.objects.get_or_create(username=options["user"])
        if options["clear"]:
            self._clear(user)
        for number in range(options["watches"]):
            self._make(user, marketplace, number, number % options["questions"], options["interval"])
        self.stdout.write(f"{options['watches']} watches over {options['questions']} questions at {marketplace}")

    def _make(self, user: User, marketplace: str, number: int, question: int, interval: int) -> None:
        floor = catalog().pace(marketplace).floor_seconds
        wish = Wish(
            name=f"Seeded {number}",
            marketplaces=[marketplace],
            must=[f"{WORDS[question % len(WORDS)]}{question}"],
            price_max=5_000 + 1_000 * (number % 7),
            interval_seconds=max(floor, interval),
        )
        create_watch(user=user, wish=wish, now=datetime.now(UTC))

    def _clear(self, user: User) -> None:
        for watch in Watch.objects.of(user):
            delete_watch(watch=watch, now=datetime.now(UTC))
