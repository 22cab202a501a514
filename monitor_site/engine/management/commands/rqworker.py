"""Run workers: one lane in this process, or all lanes under one supervisor."""

import os
import socket
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from monitor_site.engine import pool, worker


class Command(BaseCommand):
    help = "Serve one lane, or without a lane supervise workers for all of them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("lane", nargs="?", choices=settings.LANES, help="one lane; all under a supervisor if empty")
        parser.add_argument("--seat", help="this worker's place among others of its pool")
        parser.add_argument("--burst", action="store_true", help="end when the lane is empty")

    def handle(self, *args: Any, **options: Any) -> None:
        lane = options["lane"]
        if lane is None:
            pool.run()
            return
        seat = options["seat"] or f"{lane}-{socket.gethostname()}-{os.getpid()}"
        worker.settle_memory()
        worker.work(lane=lane, seat=seat, drain_seconds=settings.DRAIN_SECONDS, burst=options["burst"])
