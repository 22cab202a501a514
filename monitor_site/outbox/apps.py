"""App configuration of ``outbox``."""

from django.apps import AppConfig


class OutboxConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.outbox"
    label = "outbox"
