"""App configuration of ``alerts``."""

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.alerts"
    label = "alerts"
