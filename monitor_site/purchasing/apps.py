"""App configuration of ``purchasing``."""

from django.apps import AppConfig


class PurchasingConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.purchasing"
    label = "purchasing"
