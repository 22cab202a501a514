"""Print an address that signs a person in once: ``manage.py signin_link USERNAME``."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token


class Command(BaseCommand):
    help = "Print an address that signs a person in once, within a day."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--base", help="address of the site, where it is not the running installation's")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"there is no active user called {options['username']!r}")
        base = options["base"] or self._running()
        self.stdout.write(base.rstrip("/") + reverse("sign-in-once", args=[make_token(user)]))

    def _running(self) -> str:
        address = str(settings.RUNNING.get("web_url") or "")
        if not address:
            raise CommandError("nothing runs here whose address could be used: name it with --base https://...")
        return address
