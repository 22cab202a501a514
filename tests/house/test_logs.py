"""Lines of the log: strangers' words in them forge nothing and command no terminal."""

import logging
from typing import Any

import pytest

from monitor_site.logs import _formatter

HOSTILE = "one\n2026-01-01 [error] forged\x1b[2J\x9b31m\r\x00"


def line(event: Any, *, json: bool = False) -> str:
    record = logging.LogRecord("x", logging.INFO, __file__, 1, event, (), None)
    if isinstance(event, dict):  # of structlog's own
        record._logger, record._name = logging.getLogger("x"), "info"
    return _formatter(json=json).format(record)


@pytest.mark.parametrize("event", [HOSTILE, {"event": "picture.unavailable", "url": HOSTILE}, {"event": HOSTILE}])
def test_a_line_stays_one_line_without_control_signs(event: Any) -> None:
    said = line(event)
    assert "forged" in said
    assert not [sign for sign in said if not sign.isprintable()]


def test_a_traceback_keeps_its_lines_and_nothing_else() -> None:
    said = line({"event": "plugin.fault", "exception": f"Traceback:\n{HOSTILE}"})
    assert "Traceback:\none" in said
    assert not [sign for sign in said if not sign.isprintable() and sign != "\n"]


def test_a_json_line_is_one_line() -> None:
    assert len(line({"event": HOSTILE}, json=True).splitlines()) == 1


def test_asking_for_a_wrong_name_writes_no_traceback() -> None:
    assert not logging.getLogger("django.security.DisallowedHost").isEnabledFor(logging.ERROR)
