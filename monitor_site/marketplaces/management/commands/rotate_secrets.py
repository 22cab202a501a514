"""Encrypt all stored secrets with the first key: ``manage.py rotate_secrets``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from monitor_site.accounts import auditing
from monitor_site.marketplaces import services, vault


class Command(BaseCommand):
    help = "Encrypt all stored secrets with the first of SECRETS_KEYS; the others may then go."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with auditing.by_command("rotate_secrets"):
                count = services.rotate_secrets(now=timezone.now())
        except (vault.CannotOpen, vault.BadKeys) as error:
            raise CommandError(f"nothing was changed: {error}") from error
        self.stdout.write(f"The secrets of {count} {'row' if count == 1 else 'rows'} are under the first key.")
