"""``demo``: make the demo person, if needed, and print an address that signs it in once."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from monitor_site.engine.home.demo import demo_user, sign_in_link


class Command(BaseCommand):
    help = "Print a one-time sign-in for the demo user of a practice installation."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        address = settings.RUNNING.get("web_url") or f"http://127.0.0.1:{settings.PORT}"
        parser.add_argument("--address", default=address, help="where the pages are")

    def handle(self, *, address: str, **_options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("There is no demo user in a live or production installation.")
        self.stdout.write(sign_in_link(demo_user(now=timezone.now()), address))
