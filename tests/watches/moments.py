"""Fixed moments for tests without a database."""

from datetime import UTC, datetime

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
