"""App configuration of ``accounts``."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.accounts"
    label = "accounts"
