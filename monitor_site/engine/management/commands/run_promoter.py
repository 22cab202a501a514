"""Run a promoter."""

import signal
from typing import Any

from django.core.management.base import BaseCommand

from monitor_site.connections import redis_client
from monitor_site.engine.promoter import Promoter


class Command(BaseCommand):
    help = "Send tickets to the workers whenever something is due. Any number may run."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        stopping: list[int] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda received, _frame: stopping.append(received))
        Promoter(client=redis_client()).run(stopped=lambda: bool(stopping))
