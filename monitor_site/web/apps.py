"""App configuration of ``web``."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.web"
    label = "web"

    def ready(self) -> None:
        from monitor_site.marketplaces import vault

        from .factor_secrets import rotate_factors

        vault.keep_elsewhere(rotate_factors)
