"""What happens to a flush of results when something in it cannot be recorded, or its target is not what it was."""

from datetime import datetime
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError

from monitor_site.engine import recording
from monitor_site.engine.flight import Landed
from monitor_site.engine.members import member
from monitor_site.engine.schedule import Lease
from monitor_site.watches import follow
from monitor_site.watches.models import Check, Listing, Target
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def landed(target: Target, at: datetime) -> Landed:
    lease = Lease(marketplace="mercari", id=member(target), fence=1, due_ms=1)
    return Landed(lease=lease, result=result(target, at=at), target=target)


@pytest.mark.parametrize("error", [IntegrityError, OperationalError, ValueError, OverflowError])
def test_one_result_that_cannot_be_recorded_costs_its_neighbours_nothing(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    real = recording.record
    targets = [Target.objects.get(links__watch=watch_of(alice, now, must=[word])) for word in ("毒", "鉛筆", "万年筆")]

    def picky(results: Any, **options: Any) -> Any:
        if any(one.target_id == targets[0].pk for one in results):
            raise error("this one cannot be")
        return real(results, **options)

    monkeypatch.setattr(recording, "record", picky)
    monkeypatch.setattr(recording.time, "sleep", lambda _seconds: None)
    monkeypatch.setattr(recording, "close_old_connections", lambda: None)
    returns = recording.write([landed(target, now) for target in targets])
    assert set(Check.objects.values_list("target_id", flat=True)) == {one.pk for one in targets[1:]}
    assert [one.how for one in returns] == ["beat"] * 3
    delays = [one.standing.delay_ms for one in returns if one.standing]
    assert delays == [recording.UNRECORDED_DELAY_MS, 0, 0]


def test_a_look_whose_row_is_gone_and_one_of_another_release_leave_the_schedule(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch, "mercari")
    monkeypatch.setattr(recording, "close_old_connections", lambda: None)
    search = Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))
    one = landed(search, now)
    recording.write([Landed(lease=one.lease, result=result(search, [sighting(1)], at=now), target=search)])
    follow.settle(listing_ids=Listing.objects.values_list("pk", flat=True), now=now)
    look = Target.objects.looks().get()
    assert set(recording.load_targets([member(look), str(look.pk)])) == {member(look)}
    stray = Landed(lease=Lease(marketplace="mercari", id=str(look.pk), fence=1, due_ms=1), result=None)
    late = landed(look, now)
    assert [back.how for back in recording.write([stray, late])] == ["remove", "at"]
    Listing.objects.all().delete()
    assert [back.how for back in recording.write([stray, late])] == ["remove", "remove"]
