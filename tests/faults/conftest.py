"""What stories about faults may ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.installation import Installation
from tests.servers import free_port, wait_for_port


@pytest.fixture
def installation(child_env: dict[str, str], redis: Any, settings: Any) -> Iterator[Installation]:
    """An installation that is not started yet; short leases, so that what died is soon run again."""
    settings.LEASE_SECONDS = 2
    found = Installation(child_env | {"LEASE_SECONDS": "2", "DRAIN_SECONDS": "20"})
    yield found
    found.stop()


@pytest.fixture
def practice_market(installation: Installation, tmp_path: Path) -> str:
    """Address of a practice market for Mercari; its truth log is ``truth.jsonl`` in ``tmp_path``."""
    port = free_port()
    truth = tmp_path / "truth.jsonl"
    process = installation.start("run_practice", "mercari", "--port", port, "--seed", 7, "--truth-log", truth)
    wait_for_port(port, process)
    return f"http://127.0.0.1:{port}"
