"""How many workers the waiting work asks for."""

import pytest

from monitor_site.engine.pool import wanted_workers

CASES = [
    ({"waiting": 0, "late": 0, "present": 1, "least": 1, "most": 20}, 1),
    ({"waiting": 49, "late": 0, "present": 1, "least": 1, "most": 20}, 1),
    ({"waiting": 50, "late": 0, "present": 1, "least": 1, "most": 20}, 2),
    ({"waiting": 10, "late": 3, "present": 2, "least": 1, "most": 20}, 3),
    ({"waiting": 5_000, "late": 3, "present": 2, "least": 1, "most": 20}, 20),
    ({"waiting": 5_000, "late": 3, "present": 1, "least": 1, "most": 1}, 1),
    ({"waiting": 0, "late": 0, "present": 9, "least": 4, "most": 20}, 4),
]


@pytest.mark.parametrize(("facts", "wanted"), CASES)
def test_workers_follow_the_waiting_work_between_least_and_most(facts: dict[str, int], wanted: int) -> None:
    assert wanted_workers(**facts) == wanted
