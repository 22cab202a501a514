"""``newplugin NAME``: write a working plugin with practice market, sample answers and tests, to start from."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from monitor_site.contract.scaffold import BadName, make_plugin


class Command(BaseCommand):
    help = "Write a working plugin to start from."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="small letters, digits and _, e.g. flower_market")
        parser.add_argument("--into", type=Path, help="the folder that gets it; PLUGIN_DIR when left out")

    def handle(self, *, name: str, into: Path | None, **_options: Any) -> None:
        try:
            folder = make_plugin(name, into=into or settings.PLUGIN_DIR)
        except (BadName, OSError) as error:
            raise CommandError(f"{error}. Nothing was written.") from error
        self.stdout.write(f"Wrote {folder}. It works as it is:")
        self.stdout.write(f"  python -m monitor_site.contract.testing {folder}   keeps every rule")
        if folder.parent == settings.PLUGIN_DIR:
            self.stdout.write("  make run   asks its practice market")
        self.stdout.write("Its README.md says what to change, in which order.")
