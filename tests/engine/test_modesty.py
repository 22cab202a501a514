"""Clockwork steps back for events, across the sessions that each worker leads."""

import subprocess
import sys
from pathlib import Path

import pytest

from monitor_site.engine.modesty import AUTOGROUP, MODEST_NICE

STEP_BACK = """
import os
from pathlib import Path
from monitor_site.engine.modesty import step_back
step_back()
print(os.nice(0), Path("/proc/self/autogroup").read_text().split()[-1] if Path("/proc/self/autogroup").exists() else "")
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
    assert int(nice) >= MODEST_NICE
    assert session in ([], [str(MODEST_NICE)])


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="this system weighs no sessions")
def test_a_worker_in_the_session_of_others_leaves_that_as_it_is() -> None:
    before = AUTOGROUP.read_text().split()[-1]
    assert stepped_back(leads=False)[1:] == [before]
