"""``demo_reset``: forget everything of the practice installation, so that the next start is a first one."""

import shutil
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from monitor_site.engine.home.running import locked

OURS = ("db.sqlite3", "home.lock")
"""Files of which one at least lies in a folder that an installation has used."""


class Command(BaseCommand):
    help = "Remove the data folder of the practice installation."
    requires_system_checks: list[str] = []

    def handle(self, **_options: Any) -> None:
        folder = settings.DATA_DIR
        if settings.LIVE:
            raise CommandError("This is live data; it is never reset. Without LIVE=1 the practice data is meant.")
        if not any((folder / name).exists() for name in OURS) or (folder / "manage.py").exists():
            raise CommandError(f"{folder} is no data folder of this product; nothing was removed.")
        try:
            with locked(folder):
                shutil.rmtree(folder)
        except BlockingIOError as error:
            raise CommandError(f"An installation runs in {folder}. Stop it first.") from error
        self.stdout.write(f"Removed {folder}. The next `make run` starts anew.")
        if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
            self.stdout.write("The database that DATABASE_URL names was not touched.")
