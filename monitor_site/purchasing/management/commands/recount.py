"""Whether the counters of all budgets are what the ledger says: ``manage.py recount``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from monitor_site.purchasing import ledger
from monitor_site.purchasing.models import Scope


class Command(BaseCommand):
    help = "Compare the counters of all budgets with the ledger; changes nothing. Exit code 1 when one differs."

    def handle(self, *args: Any, **options: Any) -> None:
        scopes = Scope.objects.order_by("pk")
        if wrong := ledger.recount(scopes.iterator(chunk_size=1000)):
            raise CommandError("\n".join(wrong))
        self.stdout.write(f"{scopes.count()} counters are what the ledger says.")
