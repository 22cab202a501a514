"""App configuration of ``marketplaces``."""

from django.apps import AppConfig


class MarketplacesConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.marketplaces"
    label = "marketplaces"
