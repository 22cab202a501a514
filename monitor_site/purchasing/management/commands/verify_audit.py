"""Is the record whole? ``manage.py verify_audit [--knows DIGEST]``; ends with 1 and the place when it is not."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from monitor_site.accounts.models import Seal
from monitor_site.purchasing import sealing


class Command(BaseCommand):
    help = "Compare the audit log, the steps of orders and the ledger with their chain of seals."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--knows", default="", help="a digest that this command has printed before")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        sealing.seal(now=now)
        check = sealing.verify(now=now, knows=options["knows"])
        if check.place:
            raise CommandError(f"the record is broken: {check.place}")
        last = Seal.objects.order_by("-number").first()
        if last is None:
            self.stdout.write("Nothing is sealed yet.")
            return
        self.stdout.write(f"The record is whole: {last.number} seals, until {last.at:%Y-%m-%d %H:%M} UTC.")
        self.stdout.write(f"Keep this elsewhere, and give it to --knows next time: {last.digest}")
