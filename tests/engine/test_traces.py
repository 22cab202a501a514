"""A job of a lane has one trace, in the log and in whatever it writes down."""

import pytest
from redis import Redis
from rq import SimpleWorker

from monitor_site.engine import worker
from monitor_site.tracing import current_trace

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_job_runs_with_a_trace_of_its_own(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(SimpleWorker, "execute_job", lambda *_: seen.append(current_trace()))
    lane = worker.build(lane="upkeep", name="one")
    for _ in range(2):
        lane.execute_job(None, lane.queues[0])  # type: ignore[arg-type]  # the job is not looked at
    assert [len(word) for word in seen] == [16, 16]
    assert seen[0] != seen[1]
    assert current_trace() == ""
