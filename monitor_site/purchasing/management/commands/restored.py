"""After a backup was restored: ``manage.py restored 2026-11-29T03:00+09:00``, the moment the backup was made."""

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from monitor_site.accounts import auditing
from monitor_site.purchasing import restoring


class Command(BaseCommand):
    help = "After a backup was restored: stop all spending, and compare every account with the orders of the backup."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", metavar="WHEN", help="when the backup was made, with its time zone")

    def handle(self, *args: Any, **options: Any) -> None:
        with auditing.by_command("restored"):
            done = restoring.take_over(backup_at=_moment(options["backup"]), now=timezone.now())
        self.stdout.write("All spending is stopped.")
        self.stdout.write(f"{done.ended} orders were ended that may have been sent since the backup.")
        self.stdout.write(f"{done.asked} orders without a known outcome will be asked about.")
        self.stdout.write(f"{done.swept} accounts will be compared with the marketplaces; see the page Orders.")
        self.stdout.write("Once you have looked: manage.py spending resume")


def _moment(text: str) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or moment > timezone.now():
        raise CommandError(f"{text!r} is no past moment with a time zone, such as 2026-11-29T03:00+09:00")
    return moment
