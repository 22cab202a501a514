"""``run_web``: the web process, as home runs it. Elsewhere any ASGI server does."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from monitor_site.engine.home.serving import serve


class Command(BaseCommand):
    help = "Serve the pages on this machine."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument("--fd", type=int, help="a listening socket, inherited from who starts this")

    def handle(self, *, port: int, fd: int | None, **_options: Any) -> None:
        from monitor_site.asgi import application

        serve(application, fd=fd, port=port, patience=1)
