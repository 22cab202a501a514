"""Structured logs: words for a person at home, one JSON object a line in production."""

import logging
import re
from typing import Any

import structlog

NOISY = ("httpx", "httpcore", "rq.worker", "rq.scheduler", "asyncio")
CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
# The address of a feed is a secret; Django names the path of whatever it refuses or fails at.
SECRET_PATH = re.compile(r"(/feeds/)[^\s\"'<>?#]+")
COMMON: tuple[Any, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)

PLAIN = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)


def configure(options: dict[str, Any]) -> None:
    """Set up structlog and the standard library's loggers; ``options`` has ``level`` and ``json``."""
    handler = logging.StreamHandler()
    handler.setFormatter(_formatter(json=options["json"]))
    logging.basicConfig(handlers=[handler], level=options["level"], force=True)
    for noisy in NOISY:
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # Anybody can ask for a wrong name, as often as they like; each time with a traceback it would fill the disk.
    logging.getLogger("django.security.DisallowedHost").setLevel(logging.CRITICAL)
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *COMMON, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def _formatter(*, json: bool) -> logging.Formatter:
    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False) if json else _in_words
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=COMMON,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _without_secrets, renderer],
    )


def _without_secrets(logger: Any, name: str, event: Any) -> Any:  # noqa: ARG001 - as structlog calls it
    return {key: SECRET_PATH.sub(r"\1…", value) if isinstance(value, str) else value for key, value in event.items()}


def _in_words(logger: Any, name: str, event: Any) -> str:
    """A line for a terminal, and harmless to it: strangers' words are in events and in the texts of errors."""
    event["event"] = str(event.get("event", "")).replace("\n", "\\n")
    return str(PLAIN(logger, name, event)).translate(CONTROL)
