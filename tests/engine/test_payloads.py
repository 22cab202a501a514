"""What a release before this one has put into Redis is understood: jobs may wait on a lane while processes change."""

import importlib
import inspect
from typing import Any

import pytest

from monitor_site.engine import jobs

# What release 0.1.0 and what came after it send. A job may take more, never less or otherwise; one that goes stays for
# one more release.
SENT = {
    "run_checks": ("mercari", "0123456789abcdef"),
    "settle_targets": ([1, 2],),
    "hurry_targets": ([1, 2],),
    "announce_matches": ([1, 2],),
    "announce_changes": ([1, 2],),
    "follow_listings": ([1, 2],),
    "settle_sales": ([1, 2],),
    "ask_preview": (1, "0123456789abcdef"),
    "look_at_listings": ([1, 2],),
    "advance_orders": ([1, 2],),
    "ask_outcomes": ([1, 2],),
    "sweep_accounts": ([1, 2],),
    "verify_accounts": ([1, 2],),
    "run_upkeep": ("0123456789abcdef",),
}


@pytest.mark.parametrize("name", SENT)
def test_a_job_of_the_release_before_is_still_run(name: str) -> None:
    path = f"monitor_site.engine.jobs.{name}"
    assert path in jobs.ALLOWED
    module, _, function = path.rpartition(".")
    inspect.signature(getattr(importlib.import_module(module), function)).bind(*SENT[name])


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["settle_targets", "hurry_targets", "announce_matches", "announce_changes",
                                  "follow_listings", "settle_sales", "look_at_listings", "advance_orders",
                                  "ask_outcomes", "sweep_accounts", "verify_accounts"])  # fmt: skip
def test_a_job_whose_rows_are_gone_ends_well(name: str, redis: Any) -> None:
    getattr(jobs, name)([987_654])
