"""``home``: a whole installation on this machine, in one terminal. ``make run`` starts it."""

import asyncio
import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from monitor_site.engine.home import Trouble, running, steps
from monitor_site.engine.home.console import Console
from monitor_site.engine.home.start import run


class Command(BaseCommand):
    help = "Run web, promoter, workers, Redis and practice markets under one supervisor."

    def handle(self, **_options: Any) -> None:
        os.umask(0o077)  # what it and its parts write is nobody else's on this machine: sessions, logs, listings
        console = Console(settings.DATA_DIR / "logs")
        try:
            with running.held(settings.DATA_DIR):
                self._run(console)
        except Trouble as trouble:
            raise CommandError(str(trouble)) from trouble
        except KeyboardInterrupt:
            console.say("\nstopped.")
        # All is closed and written. On a busy machine taking the interpreter apart lasts longer than stopping did.
        os._exit(0)

    def _run(self, console: Console) -> None:
        console.step("data folder", f"{settings.DATA_DIR} ({'live' if settings.LIVE else 'practice'})")
        steps.database(console)
        steps.static_files(console)
        asyncio.run(run(console))
        console.say("stopped.")
