"""App configuration of ``watches``."""

from django.apps import AppConfig


class WatchesConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.watches"
    label = "watches"
