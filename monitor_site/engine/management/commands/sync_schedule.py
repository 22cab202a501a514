"""Bring the schedule in line with the database."""

from typing import Any

from django.core.management.base import BaseCommand

from monitor_site.connections import redis_client
from monitor_site.engine import settling, upkeep
from monitor_site.engine.schedule import Schedule


class Command(BaseCommand):
    help = "Add what is missing from the schedule and take out what no watch wants; safe at any time."

    def handle(self, *args: Any, **options: Any) -> None:
        schedule = Schedule(redis_client())
        added = settling.rebuild(schedule)
        removed = settling.prune(schedule)
        upkeep.plant(schedule)
        self.stdout.write(f"added {added}, removed {removed}")
