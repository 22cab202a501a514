"""What stories about libraries may ask for."""

import os

import pytest


@pytest.fixture
def takes_minutes() -> None:
    """Such a story is told only where ``SLOW=1``; elsewhere its skip says so."""
    if os.environ.get("SLOW") != "1":
        pytest.skip("takes minutes or an idle machine: SLOW=1 runs it")
