"""App configuration of ``marketplaces``."""

from django.apps import AppConfig
from django.core.checks import register


class MarketplacesConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.marketplaces"
    label = "marketplaces"

    def ready(self) -> None:
        from . import vault
        from .checks import check_keys, check_proxies

        vault.keep("marketplaces.MarketplaceAccount")
        register(check_proxies, "marketplaces")
        register(check_keys, "marketplaces")
