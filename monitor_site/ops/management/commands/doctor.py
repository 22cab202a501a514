"""Say what is wrong with this installation, and what to do."""

import dataclasses
import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from monitor_site.connections import redis_client
from monitor_site.ops.doctor.rounds import examine, lines


class Command(BaseCommand):
    help = "Check what commonly is wrong: one line each, with what to do. Ends with 1 when something fails."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="a JSON array of objects")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine(redis_client())
        if options["json"]:
            self.stdout.write(json.dumps([dataclasses.asdict(one) for one in findings], indent=2))
        else:
            self.stdout.write("\n".join(lines(findings)))
        if any(one.level == "fail" for one in findings):
            sys.exit(1)
