"""App configuration of ``web``."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Named by its folder, so that tables are called after the glossary."""

    name = "monitor_site.web"
    label = "web"
