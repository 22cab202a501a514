"""The kill switch on the command line: ``manage.py spending stop``, of everybody or of one person."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from monitor_site.accounts import auditing
from monitor_site.purchasing import switching


class Command(BaseCommand):
    help = "Stop all spending, or let it go on. Without --user it is about everybody."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["stop", "resume"])
        parser.add_argument("--user", metavar="NAME", help="only this person's spending")
        parser.add_argument("--reason", default="", help="why, as people read it on their pages")

    def handle(self, *args: Any, **options: Any) -> None:
        user = self._person(options["user"])
        whose = user.get_username() if user else "everybody"
        if options["act"] == "stop":
            with auditing.by_command("spending"):
                switching.stop(user=user, reason=options["reason"], now=timezone.now())
            self.stdout.write(f"Spending of {whose} is stopped.")
        else:
            with auditing.by_command("spending"):
                switching.resume(user=user, now=timezone.now())
            self.stdout.write(f"Spending of {whose} is not stopped by this switch any more.")

    def _person(self, name: str | None) -> Any:
        if name is None:
            return None
        found = get_user_model().objects.filter(username=name).first()
        if found is None:
            raise CommandError(f"Nobody is called {name}.")
        return found
