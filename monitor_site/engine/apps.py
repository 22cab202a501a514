"""App configuration of the engine."""

from django.apps import AppConfig


class EngineConfig(AppConfig):
    """The door for time. It stands before django_rq, so that its ``rqworker`` is the one that runs."""

    name = "monitor_site.engine"
    label = "engine"

    def ready(self) -> None:
        from . import jobs

        jobs.register()
