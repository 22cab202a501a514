"""What django-rq's command asks for, and where selectolax keeps its parser."""

import importlib
import inspect
from typing import Any

import pytest
from django.conf import settings
from django_rq.management.commands import rqworker as stock
from django_rq.workers import get_worker

from monitor_site.engine.management.commands import rqworker as ours


def test_the_stock_command_reads_pickle_unless_told_and_wants_a_queue_named_default() -> None:
    """So ``rqworker`` is a command of our own in front of it: JSON, our worker class, and lanes."""
    parser = stock.Command().create_parser("manage.py", "rqworker")
    assert parser.get_default("serializer") == "rq.serializers.DefaultSerializer"
    assert "default" not in settings.RQ_QUEUES
    with pytest.raises(KeyError):
        get_worker()
    assert settings.INSTALLED_APPS.index("monitor_site.engine") < settings.INSTALLED_APPS.index("django_rq")
    assert "lane" in inspect.getsource(ours)


def test_the_parser_of_selectolax_is_lexbor_only() -> None:
    """So plugins read pages with ``selectolax.lexbor``."""
    with pytest.raises(ImportError):
        _ = importlib.import_module("selectolax.parser").HTMLParser
    tree: Any = importlib.import_module("selectolax.lexbor").LexborHTMLParser("<p>あ</p>")
    assert tree.css_first("p").text() == "あ"
