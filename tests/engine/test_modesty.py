"""Clockwork steps back for events, across the sessions that each worker leads."""

import subprocess
import sys
from pathlib import Path

import pytest

from monitor_site.engine.modesty import AUTOGROUP

STEP_BACK = """
import os
from pathlib import Path
from monitor_site.engine.modesty import step_back
step_back(7)
autogroup = Path("/proc/self/autogroup")
print(os.nice(0), *(autogroup.read_text().split()[-1:] if autogroup.exists() else []))
"""
ROOT = Path(__file__).resolve().parents[2]


def stepped_back(*, leads: bool) -> list[str]:
    """Niceness of a process that stepped back, and that of its session."""
    done = subprocess.run(
        [sys.executable, "-c", STEP_BACK], cwd=ROOT, start_new_session=leads, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_worker_that_leads_a_session_steps_back_with_it() -> None:
    nice, *session = stepped_back(leads=True)
    assert int(nice) >= 7
    assert session in ([], ["7"])


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="this system weighs no sessions")
def test_a_worker_in_the_session_of_others_leaves_that_as_it_is() -> None:
    """The file is empty where the session has no weight of its own, as the first one of a machine."""
    before = AUTOGROUP.read_text().split()[-1:]
    assert stepped_back(leads=False)[1:] == before
