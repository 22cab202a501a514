"""``check_truth``: what a practice installation recorded, beside what its practice markets really did."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from monitor_site.engine.home.checker import check
from monitor_site.engine.home.truth import read_lives
from monitor_site.marketplaces.catalog import catalog

SHOWN = 20


class Command(BaseCommand):
    help = "Compare everything recorded in a practice installation with the truth logs of its practice markets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        logs = {name: settings.DATA_DIR / "practice" / f"{name}.jsonl" for name in catalog().plugins}
        lives = {name: read_lives(log) for name, log in logs.items() if log.exists()}
        if not lives:
            raise CommandError("There is no truth log here: no practice market has run in this folder.")
        verdict = check(lives)
        if options["json"]:
            self.stdout.write(json.dumps({"compared": verdict.compared, "wrong": list(verdict.wrong)}))
            return
        self.stdout.write("\n".join([*verdict.wrong[:SHOWN], f"{verdict.compared} facts, {len(verdict.wrong)} wrong"]))
        if verdict.wrong:
            raise CommandError("The database says what is not true.")
