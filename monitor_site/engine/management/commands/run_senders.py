"""Forks senders of orders; workers start it and talk to it over its standard input."""

from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Fork a process for each order to be sent. Started by the express workers themselves."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        from monitor_site.engine.sender_server import serve

        serve()
