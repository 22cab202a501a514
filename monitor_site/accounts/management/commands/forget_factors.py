"""Take a person's second factors away, who has lost them: ``manage.py forget_factors USERNAME``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from monitor_site.accounts import auditing
from monitor_site.accounts.factors import forget_factors
from monitor_site.accounts.models import User


class Command(BaseCommand):
    help = "Take a person's second factors and recovery codes away. Make sure first that it is that person who asks."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"there is no user called {options['username']!r}")
        with auditing.by_command("forget_factors"):
            found = forget_factors(user=user, now=timezone.now())
        self.stdout.write(f"{user.username} had {found} second factor{'' if found == 1 else 's'}, and now none.")
