"""App configuration of ``ops``."""

from django.apps import AppConfig


class OpsConfig(AppConfig):
    """It looks at everything; nothing looks at it."""

    name = "monitor_site.ops"
    label = "ops"
