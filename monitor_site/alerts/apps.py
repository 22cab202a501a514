"""App configuration of ``alerts``."""

from django.apps import AppConfig
from django.core.checks import register


class AlertsConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.alerts"
    label = "alerts"

    def ready(self) -> None:
        from monitor_site.marketplaces import vault

        from .checks import check_settings

        vault.keep("alerts.Channel")
        register(check_settings, "alerts")
